// gui/src/flame/answer.ts - the answer "api/stacks": one tree of stacks.
//
// SPDX-License-Identifier: Apache-2.0
import { partQuery, type PartTime } from "../model/part_words";

export type FrameKind = "python" | "native" | "kernel";

export interface Frame {
  name: string;
  kind: FrameKind;
  /** Python out of scope; native code that only passes a call on. */
  role?: "library" | "plumbing";
  /** Source file or module. */
  path?: string;
  /** Of the code of a module: its name. */
  module?: string;
  /** Index in the overview's files, if it is one of them. */
  file?: number;
  /** Only in the timeline's answer, in which each line of a function is a frame of its own. */
  line?: number;
}

export type StackUnit = "s" | "samples" | "MB";
/** Of time: all, or its parts on a CPU (or ready for one) and waiting. Of memory: what was allocated, and of that what was in use at the peak, at the end and at a moment. */
export type StackKind = "time" | "cpu" | "waiting" | "memory" | "peak" | "exit" | "moment";
export type ChosenKind = Exclude<StackKind, PartTime>;
export type Grain = "function" | "line";

export interface StacksAnswer {
  kind: StackKind;
  by: Grain;
  unit: StackUnit;
  /** Of a span or a thread, not of the whole run. */
  is_part: boolean;
  /** How much of the run's time the listed stacks are. */
  stacks_percent?: number;
  total: number;
  count: number;
  folded: number;
  is_cut: boolean;
  frames: Frame[];
  parents: number[];
  node_frames: number[];
  /** The line in which most of a node's total passes; 0: not known. */
  lines: number[];
  selves: number[];
  totals: number[];
  firsts_s?: (number | null)[];
}

export interface Wanted {
  /** Time is all time, or what of it the place says. */
  kind: ChosenKind;
  time?: PartTime | undefined;
  /** Of "moment": its number in the profile. */
  moment?: number | undefined;
  by: Grain;
  from?: number | undefined;
  to?: number | undefined;
  thread?: string | undefined;
}

/** The question's text; in its simplest forms it is also a key in a standalone file. */
export function stacksQuestion(wanted: Wanted): string {
  const kind: StackKind = wanted.kind === "time" ? (wanted.time ?? "time") : wanted.kind;
  let text = `api/stacks?kind=${kind}`;
  if (kind === "moment") text += `&moment=${wanted.moment ?? 0}`;
  if (wanted.by === "line") text += "&by=line";
  return wanted.kind === "time" ? text + partQuery({ ...wanted, time: undefined }) : text; // memory has no times
}
