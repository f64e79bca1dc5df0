// gui/src/flame/steps.ts - from one frame to the next by the keys of arrows.
//
// SPDX-License-Identifier: Apache-2.0
import type { FlameTree } from "./tree";

const at = (list: Int32Array, index: number) => list[index] as number;

/** The next drawn frame of the same row, to the right (1) or to the left (-1); -1 without one. */
function beside(tree: FlameTree, node: number, step: 1 | -1, least: number): number {
  const row = at(tree.row, node);
  let best = -1;
  for (let other = 1; other < tree.count; other += 1) {
    if (other === node || at(tree.row, other) !== row || (tree.totals[other] as number) < least) continue;
    const start = tree.start[other] as number;
    const isBehind = start > (tree.start[node] as number);
    if (isBehind !== step > 0) continue;
    const isNearer = best < 0 || (step > 0 ? start < (tree.start[best] as number) : start > (tree.start[best] as number));
    if (isNearer) best = other;
  }
  return best;
}

/** The frame the key leads to; the same where there is none. `least`: the width of a pixel in the tree's unit. */
export function stepBy(tree: FlameTree, node: number, key: string, least: number): number {
  if (tree.count === 0) return -1;
  if (node < 0) return 0;
  switch (key) {
    case "ArrowUp":
      return node > 0 ? at(tree.parent, node) : node;
    case "ArrowDown": {
      for (let k = at(tree.childStart, node); k < at(tree.childStart, node + 1); k += 1) {
        const child = at(tree.children, k);
        if ((tree.totals[child] as number) >= least) return child;
      }
      return node;
    }
    case "ArrowLeft":
    case "ArrowRight": {
      const next = beside(tree, node, key === "ArrowRight" ? 1 : -1, least);
      return next < 0 ? node : next;
    }
    case "Home":
      return 0;
    default:
      return node;
  }
}
