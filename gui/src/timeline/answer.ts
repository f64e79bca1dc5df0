// gui/src/timeline/answer.ts - the answer "api/timeline": what each thread did when.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame } from "../flame/answer";
import type { Source } from "../model/source";

export interface Track {
  id: string;
  title: string;
  /** For each bin, in what part of it any thread was in this state; for "gpu", how busy the devices were. */
  percents: number[];
}

export interface TimelineAnswer {
  from_s: number;
  to_s: number;
  /** The end of the run. */
  end_s: number;
  run_count: number;
  is_cut: boolean;
  threads: { id: string; name: string; is_main: boolean }[];
  threads_left_out: number;
  stacks: number[][];
  frames: Frame[];
  starts_s: number[];
  ends_s: number[];
  run_threads: number[];
  run_stacks: number[];
  tracks: Track[];
}

export const BINS = 2000;

/** The question for the whole run is also the key in a standalone file. */
export function timelineQuestion(span?: { from: number; to: number }): string {
  const bins = `bins=${BINS}`;
  return span ? `api/timeline?from_s=${span.from}&to_s=${span.to}&${bins}` : `api/timeline?${bins}`;
}

/** A span around the one in sight, whose answer can be used for spans nearby too: half its length more on each
 * side, with rounded edges, so that spans nearby give the same question. Undefined where the whole run is as good. */
export function spanToAsk(from: number, to: number, end: number): { from: number; to: number } | undefined {
  const length = to - from;
  if (!(length > 0) || length * 1.5 >= end) return undefined;
  const step = 2 ** Math.floor(Math.log2(length)) / 2;
  const [first, last] = [Math.floor((from - length / 2) / step) * step, Math.ceil((to + length / 2) / step) * step];
  const found = { from: Number(Math.max(first, 0).toPrecision(9)), to: Number(Math.min(last, end).toPrecision(9)) };
  return found.to - found.from >= end * 0.95 ? undefined : found;
}

/** The question for what is in sight, finer than the whole run; undefined where that is as good or all there is. */
export function nearQuestion(source: Source, range: { from: number; to: number }, end: number): string | undefined {
  if (!source.served) return source.heldPart?.(Math.max(range.from, 0), Math.min(range.to, end));
  const span = spanToAsk(range.from, range.to, end);
  return span && timelineQuestion(span);
}
