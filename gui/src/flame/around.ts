// gui/src/flame/around.ts - the callers and the callees of a function, over the whole tree.
//
// Recursive calls are not counted again: they are callees of the function, and its callers are those of
// the outermost call.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame } from "./answer";
import { type FlameTree, layOut, type Nodes } from "./tree";

export interface Around {
  callers: FlameTree;
  callees: FlameTree;
  /** Including its callees; recursive calls are not counted again. */
  total: number;
  self: number;
}

/** A tree that is built by adding paths from the root, and charging amounts to their nodes. */
class Growing {
  private readonly index = new Map<string, number>();
  private readonly weights: Map<number, number>[] = [];
  private readonly parents: number[] = [];
  private readonly nodeFrames: number[] = [];
  private readonly selves: number[] = [];
  private readonly totals: number[] = [];

  constructor(frame: number) {
    this.add(0, frame);
  }

  private add(parent: number, frame: number): number {
    this.parents.push(parent);
    this.nodeFrames.push(frame);
    this.selves.push(0);
    this.totals.push(0);
    this.weights.push(new Map());
    return this.parents.length - 1;
  }

  child(parent: number, frame: number): number {
    const key = `${parent}:${frame}`;
    let node = this.index.get(key);
    if (node === undefined) {
      node = this.add(parent, frame);
      this.index.set(key, node);
    }
    return node;
  }

  charge(node: number, total: number, self: number, line: number): void {
    this.totals[node] = (this.totals[node] as number) + total;
    this.selves[node] = (this.selves[node] as number) + self;
    const lines = this.weights[node] as Map<number, number>;
    lines.set(line, (lines.get(line) ?? 0) + total);
  }

  done(frames: readonly Frame[]): FlameTree {
    const heaviest = (lines: Map<number, number>) =>
      [...lines].reduce((best, one) => (one[1] > best[1] ? one : best), [0, -1] as [number, number])[0];
    const nodes: Nodes = {
      frames,
      parents: this.parents,
      node_frames: this.nodeFrames,
      lines: this.weights.map(heaviest),
      selves: this.selves,
      totals: this.totals,
    };
    return layOut(nodes);
  }
}

/** Which nodes are of the frame: in a tree by lines all lines of the function are. */
function isOf(tree: FlameTree, node: number, frame: Frame): boolean {
  const other = tree.frames[tree.frame[node] as number];
  return other !== undefined && other.name === frame.name && other.path === frame.path && other.kind === frame.kind;
}

export function around(tree: FlameTree, frameIndex: number): Around {
  const frame = tree.frames[frameIndex];
  const callers = new Growing(frameIndex);
  const callees = new Growing(frameIndex);
  const inside = new Int32Array(tree.count).fill(-1); // for each node of tree its node in callees, or -1
  let total = 0;
  let self = 0;
  for (let node = 1; node < tree.count && frame; node += 1) {
    const parent = tree.parent[node] as number;
    const line = tree.line[node] as number;
    const weight = tree.totals[node] as number;
    const own = tree.self[node] as number;
    const around = inside[parent] as number;
    if (around >= 0) {
      inside[node] = callees.child(around, tree.frame[node] as number);
      callees.charge(inside[node] as number, weight, own, line);
      if (isOf(tree, node, frame)) self += own;
    } else if (isOf(tree, node, frame)) {
      inside[node] = 0;
      callees.charge(0, weight, own, line);
      total += weight;
      self += own;
      let at = 0;
      callers.charge(0, weight, 0, line);
      for (let up = parent; up > 0; up = tree.parent[up] as number) {
        at = callers.child(at, tree.frame[up] as number);
        callers.charge(at, weight, 0, tree.line[up] as number);
      }
    }
  }
  return { callers: callers.done(tree.frames), callees: callees.done(tree.frames), total, self };
}
