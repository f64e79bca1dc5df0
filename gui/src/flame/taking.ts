// gui/src/flame/taking.ts - a tree that is made of the nodes of another one.
//
// Nodes with the same parent and the same frame are one node. Totals are computed at the end from the self
// times (or memory), so that nodes can be put anywhere.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame, StacksAnswer } from "./answer";

const at = (list: readonly number[], index: number) => list[index] as number;

export class Taking {
  private readonly parents: number[] = [];
  private readonly node_frames: number[] = [];
  private readonly lines: number[] = [];
  private readonly selves: number[] = [];
  private readonly firsts_s: (number | null)[] = [];
  private readonly heaviest: number[] = [];
  private readonly index = new Map<string, number>();

  /** The root has frame -1 and is its own parent. */
  node(parent: number, frame: number): number {
    const key = `${parent}:${frame}`;
    const known = this.index.get(key);
    if (known !== undefined) return known;
    const node = this.parents.length;
    this.index.set(key, node);
    this.parents.push(parent);
    this.node_frames.push(frame);
    this.lines.push(0);
    this.selves.push(0);
    this.firsts_s.push(null);
    this.heaviest.push(-1);
    return node;
  }

  /** Another node is part of this one: the line of the heaviest counts, and the earliest time. */
  add(node: number, weight: number, line: number, first: number | null): void {
    const known = this.firsts_s[node] ?? null;
    this.firsts_s[node] = known === null || (first !== null && first < known) ? first : known;
    if (weight > at(this.heaviest, node)) {
      this.heaviest[node] = weight;
      this.lines[node] = line;
    }
  }

  spend(node: number, self: number): void {
    this.selves[node] = at(this.selves, node) + self;
  }

  /** The answer with this tree in place of its own. */
  done(answer: StacksAnswer, frames: Frame[]): StacksAnswer {
    const totals = this.selves.slice();
    for (let n = totals.length - 1; n > 0; n -= 1) {
      const parent = at(this.parents, n);
      totals[parent] = at(totals, parent) + at(totals, n);
    }
    // A node whose callees have all gone elsewhere is none.
    const kept = totals.map((_, n) => n).filter((n) => n === 0 || at(totals, n) > 0);
    const places = new Map(kept.map((old, place) => [old, place]));
    const take = <T>(list: readonly T[]) => kept.map((n) => list[n] as T);
    const tree = {
      frames,
      parents: take(this.parents).map((parent) => places.get(parent) ?? 0),
      node_frames: take(this.node_frames),
      lines: take(this.lines),
      selves: take(this.selves),
      totals: take(totals),
    };
    const firsts_s = take(this.firsts_s);
    return { ...answer, ...tree, ...(answer.firsts_s ? { firsts_s } : {}) };
  }
}
