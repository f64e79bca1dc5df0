// gui/src/flame/flame_pointer.ts - the pointer over a flame chart: what it is at, dragging, clicks, the wheel.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { BoxPlace } from "./chart_box";
import { DRAG_PX, type Drawing, useWheel, zoomOf } from "./drawing";
import { ROW } from "./paint";
import { type FlameTree, nodeAt } from "./tree";

export interface Hovered {
  node: number;
  at: BoxPlace;
}

interface Props {
  tree: FlameTree;
  drawing: Drawing;
  scroller: RefObject<HTMLDivElement | null>;
  setHovered: (hovered: Hovered | null) => void;
  /** The pointer has moved over the chart, and drags nothing. */
  moved: () => void;
  /** A frame was clicked; isFar: with a key that opens its line. */
  clicked: (node: number, isFar: boolean) => void;
}

export function useFlamePointer({ tree, drawing, scroller, setHovered, moved, clicked }: Props) {
  const { camera, width } = drawing;
  const drag = useRef<{ x: number; y: number; top: number; from: number; isMoving: boolean } | null>(null);

  const place = (event: { clientX: number; clientY: number }) => {
    const box = scroller.current?.getBoundingClientRect();
    if (!box || width === 0) return null;
    const x = event.clientX - box.left;
    const at = camera.range.from + (x / width) * (camera.range.to - camera.range.from);
    const row = Math.floor((event.clientY - box.top + (scroller.current?.scrollTop ?? 0)) / ROW);
    return { at, node: nodeAt(tree, at, row) };
  };

  useWheel(scroller, (event) => {
    const element = scroller.current;
    const spot = place(event);
    if (!element || !spot) return;
    const scrolls = element.scrollHeight > element.clientHeight + 1;
    const span = camera.range.to - camera.range.from;
    if (event.ctrlKey || event.metaKey || event.altKey || (!scrolls && !event.shiftKey && Math.abs(event.deltaY) > Math.abs(event.deltaX)))
      camera.zoom(zoomOf(event.deltaY), spot.at);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      camera.pan(((event.deltaX || event.deltaY) / Math.max(width, 1)) * span);
    else return; // the browser scrolls
    setHovered(null); // the pointer is at something else now
    event.preventDefault();
  });

  return {
    onPointerMove: (event: PointerEvent) => {
      const from = drag.current;
      const element = scroller.current;
      if (from && element && (from.isMoving || Math.hypot(event.clientX - from.x, event.clientY - from.y) > DRAG_PX)) {
        if (!from.isMoving) element.setPointerCapture(event.pointerId);
        from.isMoving = true;
        element.scrollTop = from.top - (event.clientY - from.y);
        const span = camera.range.to - camera.range.from;
        camera.pan(from.from - ((event.clientX - from.x) / Math.max(width, 1)) * span - camera.range.from);
        setHovered(null);
        return;
      }
      const spot = place(event);
      moved();
      setHovered(spot && spot.node >= 0 ? { node: spot.node, at: { x: event.clientX, y: event.clientY } } : null);
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      const top = scroller.current?.scrollTop ?? 0;
      drag.current = { x: event.clientX, y: event.clientY, top, from: camera.range.from, isMoving: false };
    },
    onPointerUp: (event: PointerEvent) => {
      const isClick = drag.current !== null && !drag.current.isMoving;
      drag.current = null;
      const spot = isClick ? place(event) : null;
      if (spot && spot.node >= 0) clicked(spot.node, event.ctrlKey || event.metaKey);
    },
    onPointerLeave: () => setHovered(null),
    onPointerCancel: () => {
      drag.current = null;
    },
  };
}

