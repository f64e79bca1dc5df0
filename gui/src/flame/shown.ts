// gui/src/flame/shown.ts - which frames charts show: one's own code, libraries, native code, or everything.
//
// The cost of a frame that is not shown counts for its caller.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame, StacksAnswer } from "./answer";

export type Detail = "mine" | "libraries" | "native" | "all";

export const DETAILS: readonly (readonly [Detail, string])[] = [
  ["mine", "My code"],
  ["libraries", "+ libraries"],
  ["native", "+ native"],
  ["all", "+ plumbing"],
];

export const isDetail = (value: unknown): value is Detail => DETAILS.some(([detail]) => detail === value);

export function isShown(frame: Frame | undefined, detail: Detail): boolean {
  if (frame === undefined || detail === "all") return true;
  if (detail === "native") return frame.role !== "plumbing";
  return frame.kind === "python" && (detail === "libraries" || frame.role !== "library");
}

const at = (list: readonly number[], index: number) => list[index] as number;

/** The frames of a stack that are shown. */
export function shownOf(stack: readonly number[], frames: readonly Frame[], detail: Detail): number[] {
  return stack.filter((frame, depth) => isShown(frames[frame], detail) || (detail === "native" && depth === stack.length - 1));
}

/** A tree made of nodes of another one, in their order; nodes of the same parent and frame are merged. */
class Taking {
  readonly parents: number[] = [];
  readonly node_frames: number[] = [];
  readonly lines: number[] = [];
  readonly selves: number[] = [];
  readonly totals: number[] = [];
  readonly firsts_s: (number | null)[] = [];
  private readonly heaviest: number[] = [];
  private readonly index = new Map<string, number>();

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
    this.totals.push(0);
    this.firsts_s.push(null);
    this.heaviest.push(-1);
    return node;
  }

  add(node: number, total: number, line: number, first: number | null): void {
    this.totals[node] = at(this.totals, node) + total;
    const known = this.firsts_s[node] ?? null;
    this.firsts_s[node] = known === null || (first !== null && first < known) ? first : known;
    if (total > at(this.heaviest, node)) {
      this.heaviest[node] = total;
      this.lines[node] = line;
    }
  }

  spend(node: number, self: number): void {
    this.selves[node] = at(this.selves, node) + self;
  }
}

/** The tree without the frames that are not shown. Plumbing with self time becomes a leaf; its callees go to its caller. */
export function shownTree(answer: StacksAnswer, detail: Detail): StacksAnswer {
  if (answer.frames.every((frame) => isShown(frame, detail))) return answer;
  const taking = new Taking();
  const to: number[] = [];
  answer.parents.forEach((parent, n) => {
    const frame = at(answer.node_frames, n);
    const self = at(answer.selves, n);
    const [line, first] = [at(answer.lines, n), answer.firsts_s?.[n] ?? null];
    const isTaken = n === 0 || isShown(answer.frames[frame], detail);
    const isLeaf = !isTaken && detail === "native" && self > 0;
    const caller = n === 0 ? 0 : at(to, parent);
    const node = isTaken || isLeaf ? taking.node(caller, frame) : caller;
    if (isTaken || isLeaf) taking.add(node, isTaken ? at(answer.totals, n) : self, line, first);
    taking.spend(node, self);
    to.push(isLeaf ? caller : node);
  });
  const { parents, node_frames, lines, selves, totals, firsts_s } = taking;
  const tree = { parents, node_frames, lines, selves, totals };
  return { ...answer, ...tree, ...(answer.firsts_s ? { firsts_s } : {}) };
}
