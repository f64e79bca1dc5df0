// gui/src/timeline/span_pointer.ts - the pointer over the timeline: what it is at, a span by dragging, moving, clicks, the wheel.
//
// SPDX-License-Identifier: Apache-2.0
import { useRef } from "preact/hooks";
import { DRAG_PX, useWheel, zoomOf } from "../flame/drawing";
import type { Range } from "../flame/tree";
import type { Spot } from "./bands";
import type { Chart, Pointed } from "./chart";

interface Drag {
  x: number;
  time: number;
  from: number;
  pans: boolean;
  isMoving: boolean;
}

interface Props {
  chart: Chart;
  setHovered: (hovered: Pointed | null) => void;
  drawnSpan: Range | null;
  setDrawnSpan: (span: Range | null) => void;
  setSpan: (span: Range) => void;
  clicked: (spot: Spot, time: number) => void;
}

export function useSpanPointer({ chart, setHovered, drawnSpan, setDrawnSpan, setSpan, clicked }: Props) {
  const { scroller, camera, bands } = chart;
  const drag = useRef<Drag | null>(null);

  useWheel(scroller, (event) => {
    const element = scroller.current;
    const point = chart.pointAt(event);
    if (!element || !point) return;
    const isAbove = event.clientY - element.getBoundingClientRect().top < bands.head;
    const scrolls = element.scrollHeight > element.clientHeight + 1 && !isAbove;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) camera.pan((event.deltaX || event.deltaY) * chart.pixel());
    else if (event.ctrlKey || event.metaKey || event.altKey || !scrolls) camera.zoom(zoomOf(event.deltaY), point.time);
    else return; // the browser scrolls
    setHovered(null); // the pointer is at something else now
    event.preventDefault();
  });

  const cancel = () => {
    drag.current = null;
    setDrawnSpan(null);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      const point = chart.pointAt(event);
      if (!point || (event.button !== 0 && event.button !== 1) || point.x < bands.gutter) return;
      const pans = event.shiftKey || event.button === 1;
      drag.current = { x: event.clientX, time: point.time, from: camera.range.from, pans, isMoving: false };
      if (event.button === 1) event.preventDefault();
    },
    onPointerMove: (event: PointerEvent) => {
      const from = drag.current;
      const point = chart.pointAt(event);
      if (!point) return;
      if (from && (from.isMoving || Math.abs(event.clientX - from.x) > DRAG_PX)) {
        if (!from.isMoving) scroller.current?.setPointerCapture(event.pointerId);
        from.isMoving = true;
        setHovered(null);
        if (from.pans) camera.pan(from.from - (event.clientX - from.x) * chart.pixel() - camera.range.from);
        else setDrawnSpan({ from: Math.min(from.time, point.time), to: Math.max(from.time, point.time) });
        return;
      }
      setHovered(point.x >= bands.gutter ? { ...point, at: { x: event.clientX, y: event.clientY } } : null);
    },
    onPointerUp: (event: PointerEvent) => {
      const from = drag.current;
      const point = chart.pointAt(event);
      const made = drawnSpan;
      cancel();
      if (!from || !point) return;
      if (!from.isMoving) clicked(point.spot, point.time);
      else if (made && made.to > made.from) setSpan(made);
    },
    onPointerCancel: cancel,
    onPointerLeave: () => setHovered(null),
  };
  return { handlers, cancel, isDragging: () => drag.current?.isMoving === true };
}
