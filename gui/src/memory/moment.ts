// gui/src/memory/moment.ts - what was in memory at a moment, or came to be in a span, line by line.
//
// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../model/answers";
import { pointAt } from "../model/scale";

export const memoryQuestion = "api/memory";

/** A line that held memory, with its live memory over the run. */
export interface Holder {
  file: number;
  lineno: number;
  text: string;
  peak_mb: number;
  at_peak_mb: number;
  at_exit_mb: number;
  allocated_mb: number;
  curve: Curve;
}

export interface MemoryAnswer {
  line_count: number;
  rows: Holder[];
}

export type Moment =
  | { kind: "peak" | "end" | "own" | "freed" }
  | { kind: "at"; seconds: number }
  | { kind: "span"; from: number; to: number };

export interface MomentRow {
  holder: Holder;
  mb: number;
  other_mb: number;
}

/** Less is not shown. */
const LEAST_MB = 0.001;

/** Live memory at a time; none before the curve begins. */
export function liveAt(curve: Curve, seconds: number): number {
  const first = curve[0];
  if (!first || seconds < first[0]) return 0;
  return pointAt(curve, seconds)?.[1] ?? 0;
}

/** The most live memory in a span. */
export function mostIn(curve: Curve, from: number, to: number): number {
  let most = liveAt(curve, from);
  for (const [seconds, mb] of curve) if (seconds > from && seconds <= to) most = Math.max(most, mb);
  return most;
}

/** The number of a row at the moment, and the one to compare it with. */
function numbersOf(holder: Holder, moment: Moment): [number, number] {
  switch (moment.kind) {
    case "peak":
      return [holder.at_peak_mb, holder.at_exit_mb];
    case "end":
      return [holder.at_exit_mb, holder.allocated_mb];
    case "freed":
      return [Math.max(holder.allocated_mb - holder.at_exit_mb, 0), holder.allocated_mb];
    case "own":
      return [holder.peak_mb, holder.at_peak_mb];
    case "at":
      return [liveAt(holder.curve, moment.seconds), holder.at_exit_mb];
    case "span":
      return [liveAt(holder.curve, moment.to) - liveAt(holder.curve, moment.from), mostIn(holder.curve, moment.from, moment.to)];
  }
}

/** Highest first. In a span also lines whose memory shrank, and those that held some and gave it back. */
export function rowsAt(answer: MemoryAnswer, moment: Moment): MomentRow[] {
  const rows: MomentRow[] = [];
  for (const holder of answer.rows) {
    const [mb, other_mb] = numbersOf(holder, moment);
    const is_shown = Math.abs(mb) >= LEAST_MB || (moment.kind === "span" && other_mb >= LEAST_MB);
    if (is_shown) rows.push({ holder, mb, other_mb });
  }
  return rows.sort((a, b) => b.mb - a.mb || b.other_mb - a.other_mb);
}

/** The headings of the two numbers. */
export const HEADINGS: Record<Moment["kind"], [string, string]> = {
  peak: ["in use", "of it, at the end"],
  end: ["in use", "allocated in all"],
  freed: ["freed again", "allocated in all"],
  own: ["peak", "at the program's peak"],
  at: ["in use", "at the end"],
  span: ["growth", "most in the span"],
};
