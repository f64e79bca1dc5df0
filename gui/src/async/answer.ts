// gui/src/async/answer.ts - the answer about an asyncio program: what its tasks wait for, what blocks its event loop.
//
// SPDX-License-Identifier: Apache-2.0
import type { Kind, Overview } from "../model/answers";
import type { Source } from "../model/source";
import type { Lane, LanePlace } from "./lanes";

export const asyncQuestion = "api/async";

/** Whether the view has anything to show: await time, and in a page without a server the answer. */
export function hasAsync(overview: Overview, source: Source): boolean {
  return overview.parts.await && (source.served || source.known(asyncQuestion) !== undefined);
}

/** Of all await time; how many tasks wait at once, and which. */
interface Tasks {
  percent: number;
  /** Where the profile has it. */
  seconds?: number;
  /** Where it was measured. */
  mean?: number;
  peak?: number;
  tasks?: string;
}

export interface WaitLine extends Tasks {
  lineno: number;
  text: string;
}

export interface Wait extends Tasks {
  /** "" for lines outside of functions. */
  name: string;
  file: number;
  lineno: number;
  /** Most await time first. */
  lines: WaitLine[];
  lines_left_out: number;
}

/** Of the run's time. */
interface Time {
  percent: number;
  seconds: number;
  kinds: Record<Kind, number>;
}

export interface BlockLine extends Time {
  lineno: number;
  text: string;
  /** What it calls; absent: it computes. */
  call?: string;
  /** What to write for a call that waits. */
  instead?: string;
}

export interface Block extends Time {
  name: string;
  place: string;
  /** Absent where the profile does not have the file. */
  file?: number;
  lineno: number;
  /** What the loop ran, if that is another function. */
  coroutine?: string;
  lines: BlockLine[];
  lines_left_out: number;
}

export interface AsyncAnswer {
  /** A sentence on what the loops did; absent where no stack has a loop. */
  loop?: string;
  waits: Wait[];
  waits_left_out: number;
  blocks: Block[];
  blocks_left_out: number;
  /** Of the tasks that waited longest, first begun first. */
  lanes: Lane[];
  lanes_cut: boolean;
  places: LanePlace[];
}

/** The columns that waits can be sorted by. */
export type WaitOrder = "percent" | "mean" | "peak" | "name";

/** Sorted: numbers from the largest on, names from A on, or the other way round. */
export function sortedWaits(waits: readonly Wait[], order: WaitOrder, isTurned: boolean): Wait[] {
  const turn = isTurned ? -1 : 1;
  if (order === "name") return [...waits].sort((a, b) => turn * a.name.localeCompare(b.name));
  return [...waits].sort((a, b) => turn * ((b[order] ?? 0) - (a[order] ?? 0)));
}
