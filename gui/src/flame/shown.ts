// gui/src/flame/shown.ts - which frames charts show: one's own code, libraries, native code, or everything.
//
// The cost of a frame that is not shown counts for its caller. Only "everything" has the inside of imports.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame, StacksAnswer } from "./answer";
import { foldImports } from "./imports";
import { Taking } from "./taking";

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

/** The tree without the frames that are not shown. Plumbing with self time becomes a leaf; its callees go to its caller. */
export function shownTree(whole: StacksAnswer, detail: Detail): StacksAnswer {
  const answer = detail === "all" ? whole : foldImports(whole);
  if (answer.frames.every((frame) => isShown(frame, detail))) return answer;
  const taking = new Taking();
  const to: number[] = [];
  answer.parents.forEach((parent, n) => {
    const frame = at(answer.node_frames, n);
    const self = at(answer.selves, n);
    const isTaken = n === 0 || isShown(answer.frames[frame], detail);
    const isLeaf = !isTaken && detail === "native" && self > 0;
    const caller = n === 0 ? 0 : at(to, parent);
    const node = isTaken || isLeaf ? taking.node(caller, frame) : caller;
    if (isTaken || isLeaf) taking.add(node, isTaken ? at(answer.totals, n) : self, at(answer.lines, n), answer.firsts_s?.[n] ?? null);
    taking.spend(node, self);
    to.push(isLeaf ? caller : node);
  });
  return taking.done(answer, answer.frames);
}
