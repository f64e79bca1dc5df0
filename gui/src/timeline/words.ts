// gui/src/timeline/words.ts - the texts about a moment and about what is at it.
//
// SPDX-License-Identifier: Apache-2.0
import { kindOf } from "../flame/words";
import type { Curve } from "../model/answers";
import { duration, megabytes } from "../model/number";
import type { TimelineAnswer, Track } from "./answer";
import type { Bands, Spot } from "./bands";
import { boxAt, type Lane } from "./stitch";

/** A moment, with as many digits as a pixel's worth of time needs. */
export function moment(time: number, pixel: number): string {
  const digits = Math.max(0, Math.min(Math.ceil(-Math.log10(pixel || 1)), 6));
  return `${Math.max(time, 0).toFixed(digits)} s`;
}

export function footprintAt(curve: Curve, time: number): number {
  let value = 0;
  for (const [at, mb] of curve) {
    if (at > time) break;
    value = mb;
  }
  return value;
}

export function percentAt(track: Track, answer: TimelineAnswer, time: number): number {
  const bin = (answer.to_s - answer.from_s) / Math.max(track.percents.length, 1);
  return track.percents[Math.floor((time - answer.from_s) / bin)] ?? 0;
}

export interface SaidBox {
  title: string;
  place: string;
  facts: [string, string][];
}

/** The frame of a box, when it began and how long it went on. */
function saidFrame(answer: TimelineAnswer, lane: Lane, depth: number, time: number, pixel: number): SaidBox | null {
  const row = lane.rows[depth];
  const index = row ? boxAt(row, time) : -1;
  const frame = row && index >= 0 ? answer.frames[row.frames[index] as number] : undefined;
  if (!row || !frame) return null;
  const [start, end] = [row.starts[index] as number, row.ends[index] as number];
  return {
    title: frame.name || "(no name)",
    place: frame.path ? `${frame.path}${frame.line ? `:${frame.line}` : ""}` : "",
    facts: [
      ["when", `${moment(start, pixel)} to ${moment(end, pixel)}, ${duration(end - start)}`],
      ["thread", answer.threads[lane.thread]?.name ?? ""],
      ["kind", kindOf(frame)],
    ],
  };
}

export function saidSpot(
  answer: TimelineAnswer,
  bands: Bands,
  spot: Spot,
  time: number,
  footprint: Curve | undefined,
  pixel: number,
): SaidBox | null {
  switch (spot.part) {
    case "axis":
      return { title: moment(time, pixel), place: "", facts: [] };
    case "curve":
      return footprint
        ? { title: `Footprint ${megabytes(footprintAt(footprint, time))}`, place: "", facts: [["at", moment(time, pixel)]] }
        : null;
    case "track": {
      const track = answer.tracks[spot.track];
      if (!track) return null;
      return {
        title: `${track.title}: ${percentAt(track, answer, time)}%`,
        place: "",
        facts: [["at", moment(time, pixel)]],
      };
    }
    case "strip":
    case "stack": {
      const lane = bands.lanes[spot.lane]?.lane;
      if (!lane) return null;
      const depth = spot.part === "stack" ? spot.depth : deepest(lane, time);
      return depth < 0 ? null : saidFrame(answer, lane, depth, time, pixel);
    }
    case "none":
      return null;
  }
}

/** The innermost frame at a time: its depth, or -1. */
export function deepest(lane: Lane, time: number): number {
  let depth = -1;
  for (let at = 0; at < lane.rows.length; at += 1) {
    const row = lane.rows[at];
    if (!row || boxAt(row, time) < 0) break;
    depth = at;
  }
  return depth;
}

/** A moment described in one sentence. */
export function sentence(answer: TimelineAnswer, bands: Bands, time: number, footprint: Curve | undefined, pixel: number): string {
  const parts: string[] = [];
  for (const { lane } of bands.lanes.slice(0, 8)) {
    const row = lane.rows[deepest(lane, time)];
    const frame = row && answer.frames[row.frames[boxAt(row, time)] as number];
    if (frame) parts.push(`${answer.threads[lane.thread]?.name ?? "a thread"} in ${frame.name || "(no name)"}`);
  }
  for (const track of answer.tracks) {
    const percent = percentAt(track, answer, time);
    if (percent > 0) parts.push(`${track.title.charAt(0).toLowerCase()}${track.title.slice(1)} ${percent}%`);
  }
  if (footprint) parts.push(`footprint ${megabytes(footprintAt(footprint, time))}`);
  return `${moment(time, pixel)}: ${parts.length > 0 ? parts.join("; ") : "nothing is known"}.`;
}
