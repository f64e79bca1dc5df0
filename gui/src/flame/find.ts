// gui/src/flame/find.ts - which frames a search finds, and how much of the whole they are.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame } from "./answer";
import type { FlameTree } from "./tree";

export interface Found {
  /** Per node: 1 if it matches. */
  marks: Uint8Array;
  count: number;
  /** The matches' part of the tree's total; a match inside another one is not counted again. */
  amount: number;
}

/** Matches text in the name or the file, case-sensitively if it has upper case; "/.../" is a regular expression for the name. */
export function matcher(text: string): ((frame: Frame) => boolean) | null {
  const wanted = text.trim();
  if (wanted === "") return null;
  if (wanted.length > 2 && wanted.startsWith("/") && wanted.endsWith("/")) {
    try {
      const expression = new RegExp(wanted.slice(1, -1), "u");
      return (frame) => expression.test(frame.name);
    } catch {
      return () => false;
    }
  }
  if (wanted !== wanted.toLowerCase()) return (frame) => frame.name.includes(wanted) || (frame.path ?? "").includes(wanted);
  return (frame) => frame.name.toLowerCase().includes(wanted) || (frame.path ?? "").toLowerCase().includes(wanted);
}

export function find(tree: FlameTree, matches: (frame: Frame) => boolean): Found {
  const hits = tree.frames.map(matches);
  const marks = new Uint8Array(tree.count);
  const isInside = new Uint8Array(tree.count);
  let count = 0;
  let amount = 0;
  for (let node = 1; node < tree.count; node += 1) {
    const isAround = isInside[tree.parent[node] as number] === 1;
    const isHit = hits[tree.frame[node] as number] === true;
    if (isHit) {
      marks[node] = 1;
      count += 1;
      if (!isAround) amount += tree.totals[node] as number;
    }
    isInside[node] = isAround || isHit ? 1 : 0;
  }
  return { marks, count, amount };
}

/** The next node that is marked, in the order of reading: row by row from the left. */
export function nextMark(tree: FlameTree, marks: Uint8Array, from: number, step: 1 | -1): number {
  const nodes: number[] = [];
  for (let node = 1; node < tree.count; node += 1) if (marks[node] === 1) nodes.push(node);
  nodes.sort(
    (a, b) => (tree.row[a] as number) - (tree.row[b] as number) || (tree.start[a] as number) - (tree.start[b] as number),
  );
  if (nodes.length === 0) return -1;
  const index = nodes.indexOf(from);
  const next = index < 0 ? (step > 0 ? 0 : nodes.length - 1) : (index + step + nodes.length) % nodes.length;
  return nodes[next] as number;
}
