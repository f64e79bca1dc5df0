// gui/src/async/lanes.ts - when single tasks waited: the colours of the lines they waited at, and the words about a lane.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { countOf, duration } from "../model/number";

/** A line at which tasks wait. */
export interface LanePlace {
  /** "" for lines outside of functions. */
  name: string;
  /** Absent where the profile does not have it. */
  file?: number;
  lineno: number;
}

/** Seconds since profiling began, how long, and the index of the place; -1: several, or not known. */
export type LaneRun = readonly [number, number, number];

export interface Lane {
  name: string;
  pid: number;
  wait_s: number;
  runs: readonly LaneRun[];
}

/** So many places have a colour of their own; the others share one. */
export const TONES = 6;

export interface RankedPlace {
  index: number;
  wait_s: number;
}

/** The places by the time that tasks waited there, most first. */
export function rankedPlaces(lanes: readonly Lane[]): RankedPlace[] {
  const sums = new Map<number, number>();
  for (const lane of lanes) for (const [, waited, index] of lane.runs) if (index >= 0) sums.set(index, (sums.get(index) ?? 0) + waited);
  return [...sums].map(([index, wait_s]) => ({ index, wait_s })).sort((a, b) => b.wait_s - a.wait_s);
}

/** The number of each place's colour, from 0 on. */
export function tonesOf(ranked: readonly RankedPlace[]): Map<number, number> {
  return new Map(ranked.slice(0, TONES).map(({ index }, tone) => [index, tone]));
}

/** "fetch (a.py:12)". */
export function placeText(place: LanePlace | undefined, overview: Overview): string {
  if (!place) return "several lines";
  const file = place.file === undefined ? undefined : overview.files[place.file];
  const line = file ? `${file.short_name}:${place.lineno}` : `line ${place.lineno}`;
  return place.name === "" ? line : `${place.name} (${line})`;
}

/** When the first task is seen to wait, and the last. */
export function spanOf(lanes: readonly Lane[]): [number, number] {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { runs } of lanes)
    for (const [begin, waited] of runs) {
      first = Math.min(first, begin);
      last = Math.max(last, begin + waited);
    }
  return first < last ? [first, last] : [0, 1];
}

/** What of the runs is in a span. */
export function clipped(runs: readonly LaneRun[], from: number, to: number): LaneRun[] {
  const found: LaneRun[] = [];
  for (const [begin, waited, index] of runs) {
    const start = Math.max(begin, from);
    const end = Math.min(begin + waited, to);
    if (end > start) found.push([start, end - start, index]);
  }
  return found;
}

/** A lane for a screen reader: "2 waits from 0.10 s to 1.30 s, longest 900 ms at fetch (a.py:12)". */
export function laneSentence(runs: readonly LaneRun[], places: readonly LanePlace[], overview: Overview): string {
  const [begin] = runs[0] ?? [0];
  const last = runs[runs.length - 1];
  if (!last) return "did not wait";
  const longest = runs.reduce((a, b) => (b[1] > a[1] ? b : a));
  const where = placeText(places[longest[2]], overview);
  return `${countOf(runs.length, "wait")} from ${duration(begin)} to ${duration(last[0] + last[1])}, longest ${duration(longest[1])} at ${where}`;
}
