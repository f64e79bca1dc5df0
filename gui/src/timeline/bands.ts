// gui/src/timeline/bands.ts - where everything of the timeline stands: axis, footprint, tracks, lanes.
//
// The upper bands stay in sight, the lanes of threads below them scroll.
//
// SPDX-License-Identifier: Apache-2.0
import type { Lane } from "./stitch";

export const AXIS = 24;
export const CURVE = 52;
export const TRACK = 20;
export const STRIP = 20;
export const DEPTH = 17;
const LANE_GAP = 10;

/** With several threads, each lane shows at most so many of its outermost frames, so that none hides the others. */
const DEPTHS_OF_MANY = 14;

export interface LanePlace {
  lane: Lane;
  /** How many rows of frames it shows. */
  depths: number;
  /** From the top of all lanes. */
  y: number;
  height: number;
}

export interface Bands {
  /** Width of the names at the left. */
  gutter: number;
  curveY: number;
  hasCurve: boolean;
  tracksY: number;
  tracks: number;
  /** Where the lanes begin. */
  head: number;
  lanes: LanePlace[];
  /** The height of all lanes. */
  tall: number;
}

export function bandsOf(lanes: readonly Lane[], tracks: number, hasCurve: boolean, width: number): Bands {
  const curveY = AXIS;
  const tracksY = curveY + (hasCurve ? CURVE : 0);
  const places: LanePlace[] = [];
  let y = 0;
  for (const lane of lanes) {
    const depths = lanes.length > 1 ? Math.min(lane.rows.length, DEPTHS_OF_MANY) : lane.rows.length;
    const height = STRIP + depths * DEPTH + LANE_GAP;
    places.push({ lane, depths, y, height });
    y += height;
  }
  return {
    gutter: width < 560 ? 84 : 148,
    curveY,
    hasCurve,
    tracksY,
    tracks,
    head: tracksY + tracks * TRACK + 6,
    lanes: places,
    tall: y,
  };
}

export type Spot =
  | { part: "axis" | "curve" | "none" }
  | { part: "track"; track: number }
  | { part: "strip"; lane: number }
  | { part: "stack"; lane: number; depth: number };

/** What is at a height of the chart, `scrolled` pixels of the lanes being above. */
export function spotAt(bands: Bands, y: number, scrolled: number): Spot {
  if (y < bands.curveY) return { part: "axis" };
  if (y < bands.tracksY) return { part: "curve" };
  if (y < bands.head) {
    const track = Math.floor((y - bands.tracksY) / TRACK);
    return track < bands.tracks ? { part: "track", track } : { part: "none" };
  }
  const below = y - bands.head + scrolled;
  const lane = bands.lanes.findIndex((place) => below >= place.y && below < place.y + place.height);
  const place = bands.lanes[lane];
  if (!place) return { part: "none" };
  const inside = below - place.y;
  if (inside < STRIP) return { part: "strip", lane };
  const depth = Math.floor((inside - STRIP) / DEPTH);
  return depth < place.depths ? { part: "stack", lane, depth } : { part: "none" };
}
