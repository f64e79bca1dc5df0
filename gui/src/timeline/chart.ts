// gui/src/timeline/chart.ts - the timeline as it is in sight: what is where, in times and in pixels.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import type { Camera } from "../flame/camera";
import type { BoxPlace } from "../flame/chart_box";
import type { Drawing } from "../flame/drawing";
import { type Bands, type Spot, spotAt } from "./bands";

export interface Pointed {
  spot: Spot;
  time: number;
  at: BoxPlace;
}

export interface Chart {
  scroller: RefObject<HTMLDivElement | null>;
  camera: Camera;
  bands: Bands;
  /** Seconds per pixel now: the camera moves without the component being rendered again. */
  pixel: () => number;
  /** Where an event of the pointer is; null before the first drawing. */
  pointAt: (event: { clientX: number; clientY: number }) => { x: number; time: number; spot: Spot } | null;
}

export function chartOf(scroller: RefObject<HTMLDivElement | null>, drawing: Drawing, bands: Bands, end_s: number): Chart {
  const { camera, width } = drawing;
  const chartWidth = Math.max(width - bands.gutter, 1);
  const pixel = () => (camera.range.to - camera.range.from) / chartWidth;
  const timeAt = (x: number) => Math.min(Math.max(camera.range.from + (x - bands.gutter) * pixel(), 0), end_s);
  return {
    scroller,
    camera,
    bands,
    pixel,
    pointAt: (event) => {
      const box = scroller.current?.getBoundingClientRect();
      if (!box || width === 0) return null;
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      return { x, time: timeAt(x), spot: spotAt(bands, y, scroller.current?.scrollTop ?? 0) };
    },
  };
}
