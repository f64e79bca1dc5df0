// gui/src/flame/drawing.ts - a chart's canvas: it is painted anew when the camera, the size, the theme or the picture changes.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Camera } from "./camera";
import { type Colours, readColours, useThemeChange } from "./colours";
import { fit, Letters, setFont } from "./paint";
import { useSize } from "../state/size";
import type { Range } from "./tree";

/** The part of the picture that is in sight; top is how far it is scrolled. */
export interface Sight {
  range: Range;
  width: number;
  height: number;
  top: number;
}

/** Paints what is in sight; returns how many boxes that were. */
export type Painter = (context: CanvasRenderingContext2D, sight: Sight, colours: Colours, letters: Letters) => number;

export interface Drawing {
  canvas: RefObject<HTMLCanvasElement | null>;
  camera: Camera;
  width: number;
  height: number;
  ratio: number;
}

/** whole: the range of the whole chart, all in sight at first. drawn is called after each painting. */
export function useDrawing(
  scroller: RefObject<HTMLDivElement | null>,
  whole: Range,
  painter: Painter,
  drawn: (camera: Camera) => void,
): Drawing {
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const { width, height, ratio } = useSize(scroller);
  const theme = useThemeChange();
  const colours = useRef<Colours | null>(null);
  const letters = useRef<Letters | null>(null);
  const latest = useRef({ painter, drawn, width, height });
  latest.current = { painter, drawn, width, height };

  const camera = useMemo(() => {
    const draw = () => {
      const now = latest.current;
      const context = canvas.current && fit(canvas.current, now.width, now.height);
      if (!context || !canvas.current || !colours.current || now.width === 0) return;
      if (!letters.current) {
        setFont(context);
        letters.current = new Letters(context);
      }
      const sight = { range: made.range, width: now.width, height: now.height, top: scroller.current?.scrollTop ?? 0 };
      const begun = performance.now();
      const count = now.painter(context, sight, colours.current, letters.current);
      canvas.current.setAttribute("data-drawn", `${count}`);
      canvas.current.setAttribute("data-draw-ms", (performance.now() - begun).toFixed(2));
      canvas.current.setAttribute("data-range", `${made.range.from.toFixed(6)} ${made.range.to.toFixed(6)}`);
      now.drawn(made);
    };
    const made: Camera = new Camera(whole, draw);
    return made;
  }, []);

  useLayoutEffect(() => {
    if (canvas.current) colours.current = readColours(canvas.current);
  }, [theme]);
  useLayoutEffect(() => camera.request());
  useEffect(() => () => camera.stop(), []);
  return { canvas, camera, width, height, ratio };
}

/** Calls listener when the wheel turns over a chart; it may keep the browser from scrolling. */
export function useWheel(scroller: RefObject<HTMLDivElement | null>, listener: (event: WheelEvent) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const turned = (event: WheelEvent) => latest.current(event);
    element.addEventListener("wheel", turned, { passive: false });
    return () => element.removeEventListener("wheel", turned);
  }, []);
}

/** By how much a turn of the wheel zooms. */
export function zoomOf(deltaY: number): number {
  return Math.exp(Math.max(-120, Math.min(deltaY, 120)) * 0.003);
}

export const ZOOM_STEP = 0.7;
export const DRAG_PX = 4;
