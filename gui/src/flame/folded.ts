// gui/src/flame/folded.ts - a tree as text: one line per stack, as tools for flame charts read it.
//
// SPDX-License-Identifier: Apache-2.0
import type { StackUnit } from "./answer";
import { type FlameTree, pathOf } from "./tree";

/** Those tools read whole numbers: microseconds, samples, KB. */
const SCALE: Record<StackUnit, number> = { s: 1e6, samples: 1, MB: 1024 };

function word(name: string): string {
  return (name || "?").replace(/;/g, ":").replace(/[\r\n]/g, " ");
}

/** The stacks below a node, or all of them. */
export function foldedText(tree: FlameTree, unit: StackUnit, top = 0): string {
  const isBelow = new Uint8Array(tree.count);
  const names = tree.frames.map((frame) => word(frame.name));
  const lines: string[] = [];
  for (let node = 0; node < tree.count; node += 1) {
    if (node !== top && isBelow[tree.parent[node] as number] !== 1) continue;
    if (node === 0 && top !== 0) continue;
    isBelow[node] = 1;
    const weight = Math.round((tree.self[node] as number) * SCALE[unit]);
    if (weight < 1) continue;
    if (node === 0) {
      lines.push(`[not shown] ${weight}`); // self of outermost frames that the detail switch hides
      continue;
    }
    lines.push(`${pathOf(tree, node).map((one) => names[tree.frame[one] as number]).join(";")} ${weight}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}
