// gui/src/timeline/stitch.ts - runs of stacks as boxes over time: a frame that goes on is one box.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame, FrameKind } from "../flame/answer";
import { type Detail, shownOf } from "../flame/shown";
import type { TimelineAnswer } from "./answer";

/** Boxes of one depth, by time; they do not overlap. */
export interface Row {
  starts: number[];
  ends: number[];
  frames: number[];
}

export interface Lane {
  /** Index in the answer's threads. */
  thread: number;
  rows: Row[];
  /** The kinds of the innermost frames. */
  strip: { starts: number[]; ends: number[]; kinds: FrameKind[] };
}

/** A number for each frame, equal for frames of the same function. */
function functionsOf(frames: readonly Frame[]): number[] {
  const known = new Map<string, number>();
  return frames.map((frame) => {
    const key = `${frame.kind}\n${frame.path ?? ""}\n${frame.name}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, known.size);
    return known.size - 1;
  });
}

/** Frames on both sides of so short a gap are taken to have been there all the time: a thread that waits for
 * a moment keeps its stack. The strip shows when it really ran. */
const STAYS_S = 0.02;

const last = (list: readonly number[]) => list[list.length - 1] as number;

class Stitching {
  private open: number[] = []; // functions of the boxes that may go on
  private end = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly lane: Lane,
    private readonly functions: readonly number[],
    private readonly gap: number,
  ) {}

  add(stack: readonly number[], start: number, end: number): void {
    const goesOn = start - this.end <= this.gap;
    let same = 0;
    if (goesOn) while (same < stack.length && this.open[same] === this.functions[stack[same] as number]) same += 1;
    for (let depth = 0; depth < stack.length; depth += 1) {
      const row = this.lane.rows[depth] ?? { starts: [], ends: [], frames: [] };
      this.lane.rows[depth] = row;
      if (depth < same) {
        row.ends[row.ends.length - 1] = end;
        continue;
      }
      row.starts.push(start);
      row.ends.push(end);
      row.frames.push(stack[depth] as number);
    }
    this.open = stack.map((frame) => this.functions[frame] as number);
    this.end = end;
  }
}

function addStrip(strip: Lane["strip"], kind: FrameKind, start: number, end: number, gap: number): void {
  const at = strip.kinds.length - 1;
  if (at >= 0 && strip.kinds[at] === kind && start - last(strip.ends) <= gap) {
    strip.ends[at] = end;
    return;
  }
  strip.starts.push(start);
  strip.ends.push(end);
  strip.kinds.push(kind);
}

/** A lane per thread, in the order of the answer, those without a run too. */
export function stitch(answer: TimelineAnswer, bins: number, detail: Detail): Lane[] {
  const gap = (answer.to_s - answer.from_s) / bins / 2;
  const functions = functionsOf(answer.frames);
  const lanes: Lane[] = answer.threads.map((_, thread) => ({ thread, rows: [], strip: { starts: [], ends: [], kinds: [] } }));
  const stitchings = lanes.map((lane) => new Stitching(lane, functions, Math.max(gap * 3, STAYS_S)));
  const shown = answer.stacks.map((stack) => shownOf(stack, answer.frames, detail));
  answer.run_stacks.forEach((stackIndex, run) => {
    const thread = answer.run_threads[run] as number;
    const stack = answer.stacks[stackIndex] ?? [];
    const [start, end] = [answer.starts_s[run] as number, answer.ends_s[run] as number];
    stitchings[thread]?.add(shown[stackIndex] ?? [], start, end);
    const lane = lanes[thread];
    const inner = answer.frames[stack[stack.length - 1] ?? -1];
    if (lane && inner) addStrip(lane.strip, inner.kind, start, end, gap);
  });
  return lanes;
}

/** The index of the first box that ends after the time. */
export function firstAfter(ends: readonly number[], time: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the box at a time, or -1. */
export function boxAt(row: { starts: readonly number[]; ends: readonly number[] }, time: number): number {
  const index = firstAfter(row.ends, time);
  return index < row.ends.length && (row.starts[index] as number) <= time ? index : -1;
}
