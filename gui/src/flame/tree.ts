// gui/src/flame/tree.ts - a tree of stacks laid out: each node has its left edge, its width and its row.
//
// Everything is in the unit of the tree (seconds, MB), so that zooming needs no new layout. Node 0 is
// the root, children of a node lie side by side from its left edge on, the node's self time (or memory)
// is the rest at its right.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame, StacksAnswer } from "./answer";

export type Order = "heavy" | "time";

export interface FlameTree {
  /** Callers are below what they call (inverted.ts). */
  isInverted?: boolean;
  frames: readonly Frame[];
  count: number;
  /** How many rows there are, the root's included. */
  rows: number;
  total: number;
  parent: Int32Array;
  /** Index in frames; -1 of the root. */
  frame: Int32Array;
  line: Int32Array;
  self: Float64Array;
  totals: Float64Array;
  start: Float64Array;
  row: Int32Array;
  /** Children of node n: children[childStart[n]] up to children[childStart[n + 1]]. */
  childStart: Int32Array;
  children: Int32Array;
}

export interface Nodes {
  frames: readonly Frame[];
  parents: ArrayLike<number>;
  node_frames: ArrayLike<number>;
  lines: ArrayLike<number>;
  selves: ArrayLike<number>;
  totals: ArrayLike<number>;
}

const at = (list: ArrayLike<number>, index: number) => list[index] as number;

/** Lists of children, each in the order that `before` gives. */
function gather(parents: ArrayLike<number>, before: (a: number, b: number) => number) {
  const count = parents.length;
  const childStart = new Int32Array(count + 1);
  for (let n = 1; n < count; n += 1) {
    const slot = at(parents, n) + 1;
    childStart[slot] = at(childStart, slot) + 1;
  }
  for (let n = 1; n <= count; n += 1) childStart[n] = at(childStart, n) + at(childStart, n - 1);
  const next = childStart.slice();
  const children = new Int32Array(Math.max(count - 1, 0));
  for (let n = 1; n < count; n += 1) {
    const parent = at(parents, n);
    children[at(next, parent)] = n;
    next[parent] = at(next, parent) + 1;
  }
  for (let n = 0; n < count; n += 1) {
    const from = at(childStart, n);
    const to = at(childStart, n + 1);
    if (to - from > 1) children.subarray(from, to).sort(before);
  }
  return { childStart, children };
}

/** Each node must come after its parent, as in answers. */
export function layOut(nodes: Nodes, before?: (a: number, b: number) => number): FlameTree {
  const count = nodes.parents.length;
  const heavier = (a: number, b: number) => at(nodes.totals, b) - at(nodes.totals, a) || a - b;
  const { childStart, children } = gather(nodes.parents, before ?? heavier);
  const start = new Float64Array(count);
  const row = new Int32Array(count);
  let rows = count > 0 ? 1 : 0;
  for (let n = 0; n < count; n += 1) {
    let left = at(start, n);
    for (let k = at(childStart, n); k < at(childStart, n + 1); k += 1) {
      const child = at(children, k);
      start[child] = left;
      row[child] = at(row, n) + 1;
      rows = Math.max(rows, at(row, n) + 2);
      left += at(nodes.totals, child);
    }
  }
  return {
    frames: nodes.frames,
    count,
    rows,
    total: count > 0 ? at(nodes.totals, 0) : 0,
    parent: Int32Array.from(nodes.parents),
    frame: Int32Array.from(nodes.node_frames),
    line: Int32Array.from(nodes.lines),
    self: Float64Array.from(nodes.selves),
    totals: Float64Array.from(nodes.totals),
    start,
    row,
    childStart,
    children,
  };
}

export function treeOf(answer: StacksAnswer, order: Order): FlameTree {
  const firsts = answer.firsts_s;
  if (order === "heavy" || !firsts) return layOut(answer);
  const first = (n: number) => firsts[n] ?? Number.POSITIVE_INFINITY;
  return layOut(answer, (a, b) => {
    const [one, other] = [first(a), first(b)];
    return one === other ? a - b : one < other ? -1 : 1;
  });
}

export function frameOf(tree: FlameTree, node: number): Frame | undefined {
  return tree.frames[at(tree.frame, node)];
}

/** "foo", or what stands for a frame without a name. */
export function nameOf(tree: FlameTree, node: number, root: string): string {
  const frame = frameOf(tree, node);
  return frame === undefined ? root : frame.name || "(no name)";
}

/** From the outermost frame to the node, without the root. */
export function pathOf(tree: FlameTree, node: number): number[] {
  const path: number[] = [];
  for (let n = node; n > 0; n = at(tree.parent, n)) path.push(n);
  return path.reverse();
}

export interface Range {
  from: number;
  to: number;
}

export interface Shown {
  nodes: number[];
  lefts: number[];
  widths: number[];
}

/** The nodes of rows first to last that are at least a pixel wide in the range, left edges and widths
 * in pixels of a chart that is `width` wide. */
export function visible(tree: FlameTree, range: Range, width: number, first: number, last: number): Shown {
  const shown: Shown = { nodes: [], lefts: [], widths: [] };
  const scale = width / (range.to - range.from);
  if (tree.count === 0 || !(scale > 0) || !Number.isFinite(scale)) return shown;
  const stack = [0];
  while (stack.length > 0) {
    const node = stack.pop() as number;
    const left = (at(tree.start, node) - range.from) * scale;
    const wide = at(tree.totals, node) * scale;
    if (wide < 1 || left >= width || left + wide <= 0) continue;
    if (at(tree.row, node) >= first) {
      shown.nodes.push(node);
      shown.lefts.push(left);
      shown.widths.push(wide);
    }
    if (at(tree.row, node) >= last) continue;
    for (let k = at(tree.childStart, node + 1); k > at(tree.childStart, node); ) {
      k -= 1;
      stack.push(at(tree.children, k));
    }
  }
  return shown;
}

/** The node at a place of the chart, or -1. */
export function nodeAt(tree: FlameTree, place: number, row: number): number {
  if (tree.count === 0 || place < 0 || place >= tree.total || row < 0) return -1;
  let node = 0;
  while (at(tree.row, node) < row) {
    let found = -1;
    for (let k = at(tree.childStart, node); k < at(tree.childStart, node + 1) && found < 0; k += 1) {
      const child = at(tree.children, k);
      if (place < at(tree.start, child) + at(tree.totals, child)) found = child;
    }
    if (found < 0 || place < at(tree.start, found)) return -1;
    node = found;
  }
  return node;
}

export function rangeOf(tree: FlameTree, node: number): Range {
  const from = at(tree.start, node);
  return { from, to: from + at(tree.totals, node) };
}

/** The range made `factor` times as wide, with `fixed` staying at its place on the screen. */
export function zoomed(range: Range, factor: number, fixed: number, whole: Range): Range {
  const length = Math.min(Math.max((range.to - range.from) * factor, (whole.to - whole.from) / 1e7), whole.to - whole.from);
  const share = (fixed - range.from) / (range.to - range.from || 1);
  return moved({ from: fixed - share * length, to: fixed + (1 - share) * length }, 0, whole);
}

/** The range moved, but not beyond the whole. */
export function moved(range: Range, by: number, whole: Range): Range {
  const length = range.to - range.from;
  const from = Math.min(Math.max(range.from + by, whole.from), Math.max(whole.to - length, whole.from));
  return { from, to: from + length };
}
