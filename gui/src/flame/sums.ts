// gui/src/flame/sums.ts - the functions of a tree, with what each cost itself and with all that it called.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame } from "./answer";
import type { FlameTree } from "./tree";

export interface FunctionSum {
  /** The same for all frames of the function. */
  key: string;
  /** One of its frames, as an index and as it is. */
  frame: number;
  of: Frame;
  self: number;
  /** Recursive calls are not counted again. */
  total: number;
}

export type SumOrder = "name" | "self" | "total";

export const keyOf = (frame: Frame) => `${frame.kind}\n${frame.path ?? ""}\n${frame.name}`;

export function functionSums(tree: FlameTree): FunctionSum[] {
  const known = new Map<string, number>();
  const sums: FunctionSum[] = [];
  const functions = tree.frames.map((of, frame) => {
    const key = keyOf(of);
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, sums.length);
    sums.push({ key, frame, of, self: 0, total: 0 });
    return sums.length - 1;
  });
  const around = new Int32Array(sums.length); // how often the function is on the stack of the node
  const enter = (node: number, step: 1 | -1) => {
    if (node <= 0) return;
    const at = functions[tree.frame[node] as number] as number;
    const sum = sums[at] as FunctionSum;
    if (step > 0) {
      sum.self += tree.self[node] as number;
      if (around[at] === 0) sum.total += tree.totals[node] as number;
    }
    around[at] = (around[at] as number) + step;
  };
  const open = tree.count > 0 ? [0] : [];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node < 0) {
      enter(-node, -1); // all that it calls is done
      continue;
    }
    enter(node, 1);
    if (node > 0) open.push(-node);
    for (let k = tree.childStart[node] as number; k < (tree.childStart[node + 1] as number); k += 1)
      open.push(tree.children[k] as number);
  }
  return sums.filter((sum) => sum.total > 0);
}

/** Costs come highest first, names in the order of the alphabet, unless they are turned around. */
export function sorted(sums: readonly FunctionSum[], order: SumOrder, isTurned: boolean): FunctionSum[] {
  const byName = (a: FunctionSum, b: FunctionSum) => a.of.name.localeCompare(b.of.name) || (a.key < b.key ? -1 : 1);
  const before = order === "name" ? byName : (a: FunctionSum, b: FunctionSum) => b[order] - a[order] || byName(a, b);
  return [...sums].sort((a, b) => (isTurned ? -1 : 1) * before(a, b));
}
