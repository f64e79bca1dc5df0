// gui/src/timeline/timeline_chart.tsx - the timeline on a canvas: zoom, pan, a span by dragging, keys.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useDrawing, ZOOM_STEP } from "../flame/drawing";
import type { Range } from "../flame/tree";
import type { Curve } from "../model/answers";
import type { TimelineAnswer } from "./answer";
import type { Bands, Spot } from "./bands";
import { chartOf, type Pointed } from "./chart";
import { paintTimeline } from "./paint";
import { useSpanPointer } from "./span_pointer";
import { SpotSaid } from "./spot_said";
import { useTimeCursor } from "./time_cursor";
import { saidSpot, sentence } from "./words";

export interface TimelineChartProps {
  answer: TimelineAnswer;
  /** The bands of a chart of this width. */
  bandsOf: (width: number) => Bands;
  footprint: Curve | undefined;
  span: Range | undefined;
  setSpan: (span: Range | undefined) => void;
  chosen: string | undefined;
  label: string;
  /** A box was clicked, at a time. */
  pick: (bands: Bands, spot: Spot, time: number) => void;
  /** What is in sight has changed. */
  onRange: (range: Range, isWhole: boolean) => void;
  /** Where to go: a new object moves the chart. */
  goal: { range: Range | null } | null;
}

export function TimelineChart(props: TimelineChartProps) {
  const { answer, footprint, label, setSpan } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<Pointed | null>(null);
  const [drawnSpan, setDrawnSpan] = useState<Range | null>(null);
  const drawing = useDrawing(
    scroller,
    { from: 0, to: answer.end_s },
    (context, { top, ...sight }, colours, letters) =>
      paintTimeline(
        context,
        { ...props, ...sight, bands, scrolled: top, span: drawnSpan ?? props.span, cursor: cursor.time },
        colours,
        letters,
      ),
    (camera) => props.onRange(camera.range, camera.isWhole),
  );
  const { camera, canvas, width, height } = drawing;
  const bands = useMemo(() => props.bandsOf(width), [props.bandsOf, width]);
  const chart = chartOf(scroller, drawing, bands, answer.end_s);
  const cursor = useTimeCursor(camera, answer.end_s, setDrawnSpan, setSpan);
  const pointer = useSpanPointer({
    chart,
    setHovered,
    drawnSpan,
    setDrawnSpan,
    setSpan,
    clicked: (spot, time) => {
      cursor.set(time);
      props.pick(bands, spot, time);
    },
  });
  useLayoutEffect(() => camera.grow({ from: 0, to: answer.end_s }), [answer.end_s]);
  useEffect(() => {
    if (!props.goal) return;
    if (props.goal.range) camera.glide(props.goal.range);
    else camera.home();
  }, [props.goal]);

  const move = (step: number, extends_: boolean) => {
    cursor.move(step, extends_);
    setHovered(null);
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = cursor.time ?? (camera.range.from + camera.range.to) / 2;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") move(event.key === "ArrowLeft" ? -0.01 : 0.01, event.shiftKey);
    else if (event.key === "PageUp" || event.key === "PageDown") move(event.key === "PageUp" ? -0.2 : 0.2, event.shiftKey);
    else if (event.key === "+" || event.key === "=") camera.zoom(ZOOM_STEP, middle);
    else if (event.key === "-") camera.zoom(1 / ZOOM_STEP, middle);
    else if (event.key === "Home") camera.home();
    else if (event.key === "Enter" && props.span) camera.glide({ ...props.span });
    else if (event.key === "Escape" && pointer.isDragging()) pointer.cancel();
    else if (event.key === "Escape" && !camera.isWhole) camera.home();
    else if (event.key === "Escape" && props.span) setSpan(undefined);
    else if (event.key === "Escape" && cursor.time !== undefined) cursor.set(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const words = hovered ? saidSpot(answer, bands, hovered.spot, hovered.time, footprint, chart.pixel()) : null;
  return (
    <div class="flame-chart">
      <div
        class="chart-scroll timeline-scroll"
        ref={scroller}
        tabIndex={0}
        role="application"
        aria-roledescription="timeline"
        aria-label={label}
        onKeyDown={pressed}
        {...pointer.handlers}
        onScroll={() => camera.request()}
      >
        <div class="chart-tall" style={{ height: `${bands.head + bands.tall}px` }}>
          <canvas ref={canvas} class="chart-canvas" style={{ width: `${width}px`, height: `${height}px` }} aria-hidden="true" />
        </div>
      </div>
      <p class="chart-heard" aria-live="polite">
        {cursor.time !== undefined ? sentence(answer, bands, cursor.time, footprint, chart.pixel()) : ""}
      </p>
      {hovered && words && <SpotSaid at={hovered.at} words={words} />}
    </div>
  );
}
