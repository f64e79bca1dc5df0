// gui/src/timeline/timeline_chart.tsx - the timeline on a canvas: zoom, pan, a span by dragging, keys.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Camera } from "../flame/camera";
import { type BoxPlace, ChartBox } from "../flame/chart_box";
import { type Colours, readColours, useThemeChange } from "../flame/colours";
import { fit, Letters, setFont } from "../flame/paint";
import { useSize } from "../flame/size_hook";
import type { Range } from "../flame/tree";
import type { Curve } from "../model/answers";
import type { TimelineAnswer } from "./answer";
import { type Bands, type Spot, spotAt } from "./bands";
import { paintTimeline } from "./paint";
import { saidSpot, sentence } from "./words";

export interface TimelineChartProps {
  answer: TimelineAnswer;
  /** Of the chart's width. */
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

const ZOOM_STEP = 0.7;
const DRAG_PX = 4;
const REST_MS = 200;

interface Drag {
  x: number;
  time: number;
  from: number;
  pans: boolean;
  isMoving: boolean;
}

export function TimelineChart(props: TimelineChartProps) {
  const { answer, footprint, label } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useSize(scroller);
  const bands = useMemo(() => props.bandsOf(width), [props.bandsOf, width]);
  const theme = useThemeChange();
  const colours = useRef<Colours | null>(null);
  const letters = useRef<Letters | null>(null);
  const [hovered, setHovered] = useState<{ spot: Spot; time: number; at: BoxPlace } | null>(null);
  const [cursor, setCursor] = useState<{ time: number; anchor: number } | null>(null);
  const [drawnSpan, setDrawnSpan] = useState<Range | null>(null);
  const drag = useRef<Drag | null>(null);
  const rest = useRef(0);
  useEffect(() => () => clearTimeout(rest.current), []);
  const span = drawnSpan ?? props.span;
  const latest = useRef({ ...props, bands, width, height, span, cursor: cursor?.time });
  latest.current = { ...props, bands, width, height, span, cursor: cursor?.time };

  const camera = useMemo(() => {
    const draw = () => {
      const now = latest.current;
      const context = canvas.current && fit(canvas.current, now.width, now.height);
      if (!context || !colours.current || now.width === 0) return;
      if (!letters.current) {
        setFont(context);
        letters.current = new Letters(context);
      }
      const scene = { ...now, range: made.range, scrolled: scroller.current?.scrollTop ?? 0 };
      const begun = performance.now();
      const drawn = paintTimeline(context, scene, colours.current, letters.current);
      canvas.current?.setAttribute("data-drawn", `${drawn}`);
      canvas.current?.setAttribute("data-draw-ms", (performance.now() - begun).toFixed(2));
      canvas.current?.setAttribute("data-range", `${made.range.from.toFixed(6)} ${made.range.to.toFixed(6)}`);
      now.onRange(made.range, made.isWhole);
    };
    const made: Camera = new Camera({ from: 0, to: answer.end_s }, draw);
    return made;
  }, []);

  useLayoutEffect(() => {
    if (canvas.current) colours.current = readColours(canvas.current);
  }, [theme]);
  useLayoutEffect(() => camera.request());
  useEffect(() => () => camera.stop(), []);
  useEffect(() => {
    if (!props.goal) return;
    if (props.goal.range) camera.glide(props.goal.range);
    else camera.home();
  }, [props.goal]);

  const chartWidth = Math.max(width - bands.gutter, 1);
  const pixel = (camera.range.to - camera.range.from) / chartWidth;
  const timeAt = (x: number) =>
    Math.min(Math.max(camera.range.from + ((x - bands.gutter) / chartWidth) * (camera.range.to - camera.range.from), 0), answer.end_s);
  const pointAt = (event: { clientX: number; clientY: number }) => {
    const box = scroller.current?.getBoundingClientRect();
    if (!box || width === 0) return null;
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { x, time: timeAt(x), spot: spotAt(bands, y, scroller.current?.scrollTop ?? 0) };
  };

  const moveCursor = (step: number, extends_: boolean) => {
    const length = camera.range.to - camera.range.from;
    const old = cursor ?? { time: (camera.range.from + camera.range.to) / 2, anchor: 0 };
    const time = Math.min(Math.max(old.time + step * length, 0), answer.end_s);
    const anchor = extends_ && cursor ? old.anchor : extends_ ? old.time : time;
    setCursor({ time, anchor });
    setHovered(null);
    if (time < camera.range.from || time > camera.range.to) camera.pan(time - (camera.range.from + camera.range.to) / 2);
    if (!extends_ || time === anchor) return;
    const made = { from: Math.min(time, anchor), to: Math.max(time, anchor) };
    setDrawnSpan(made);
    clearTimeout(rest.current); // views follow when the keys rest
    rest.current = setTimeout(() => {
      setDrawnSpan(null);
      latest.current.setSpan(made);
    }, REST_MS);
  };

  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = cursor?.time ?? (camera.range.from + camera.range.to) / 2;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      moveCursor(event.key === "ArrowLeft" ? -0.01 : 0.01, event.shiftKey);
    else if (event.key === "PageUp" || event.key === "PageDown") moveCursor(event.key === "PageUp" ? -0.2 : 0.2, event.shiftKey);
    else if (event.key === "+" || event.key === "=") camera.zoom(ZOOM_STEP, middle);
    else if (event.key === "-") camera.zoom(1 / ZOOM_STEP, middle);
    else if (event.key === "Home") camera.home();
    else if (event.key === "Enter" && props.span) camera.glide({ ...props.span });
    else if (event.key === "Escape" && drag.current?.isMoving) cancel();
    else if (event.key === "Escape" && !camera.isWhole) camera.home();
    else if (event.key === "Escape" && props.span) props.setSpan(undefined);
    else if (event.key === "Escape" && cursor) setCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const wheel = (event: WheelEvent) => {
    const element = scroller.current;
    const point = pointAt(event);
    if (!element || !point) return;
    const isAbove = event.clientY - element.getBoundingClientRect().top < bands.head;
    const scrolls = element.scrollHeight > element.clientHeight + 1 && !isAbove;
    const length = camera.range.to - camera.range.from;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey)
      camera.pan(((event.deltaX || event.deltaY) / chartWidth) * length);
    else if (event.ctrlKey || event.metaKey || event.altKey || !scrolls)
      camera.zoom(Math.exp(Math.max(-120, Math.min(event.deltaY, 120)) * 0.003), point.time);
    else return; // the browser scrolls
    setHovered(null); // the pointer is at something else now
    event.preventDefault();
  };
  const turned = useRef(wheel);
  turned.current = wheel;
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const listener = (event: WheelEvent) => turned.current(event);
    element.addEventListener("wheel", listener, { passive: false });
    return () => element.removeEventListener("wheel", listener);
  }, []);

  const cancel = () => {
    drag.current = null;
    setDrawnSpan(null);
  };
  const pointerDown = (event: PointerEvent) => {
    const point = pointAt(event);
    if (!point || (event.button !== 0 && event.button !== 1) || point.x < bands.gutter) return;
    const pans = event.shiftKey || event.button === 1;
    drag.current = { x: event.clientX, time: point.time, from: camera.range.from, pans, isMoving: false };
    if (event.button === 1) event.preventDefault();
  };
  const pointerMoved = (event: PointerEvent) => {
    const from = drag.current;
    const point = pointAt(event);
    if (!point) return;
    if (from && (from.isMoving || Math.abs(event.clientX - from.x) > DRAG_PX)) {
      if (!from.isMoving) scroller.current?.setPointerCapture(event.pointerId);
      from.isMoving = true;
      setHovered(null);
      if (from.pans) {
        const length = camera.range.to - camera.range.from;
        camera.pan(from.from - ((event.clientX - from.x) / chartWidth) * length - camera.range.from);
      } else setDrawnSpan({ from: Math.min(from.time, point.time), to: Math.max(from.time, point.time) });
      return;
    }
    setHovered(point.x >= bands.gutter ? { ...point, at: { x: event.clientX, y: event.clientY } } : null);
  };
  const pointerUp = (event: PointerEvent) => {
    const from = drag.current;
    const point = pointAt(event);
    const made = drawnSpan;
    cancel();
    if (!from || !point) return;
    if (!from.isMoving) {
      setCursor({ time: point.time, anchor: point.time });
      props.pick(bands, point.spot, point.time);
    } else if (made && made.to > made.from) props.setSpan(made);
  };

  const words = hovered ? saidSpot(answer, bands, hovered.spot, hovered.time, footprint, pixel) : null;
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
        onPointerDown={pointerDown}
        onPointerMove={pointerMoved}
        onPointerUp={pointerUp}
        onPointerCancel={cancel}
        onPointerLeave={() => setHovered(null)}
        onScroll={() => camera.request()}
      >
        <div class="chart-tall" style={{ height: `${bands.head + bands.tall}px` }}>
          <canvas ref={canvas} class="chart-canvas" style={{ width: `${width}px`, height: `${height}px` }} aria-hidden="true" />
        </div>
      </div>
      <p class="chart-heard" aria-live="polite">
        {cursor ? sentence(answer, bands, cursor.time, footprint, pixel) : ""}
      </p>
      {hovered && words && (
        <ChartBox at={hovered.at}>
          <strong>{words.title}</strong>
          {words.place !== "" && <div class="chart-path">{words.place}</div>}
          {words.facts.length > 0 && (
            <dl>
              {words.facts.map(([term, text]) => (
                <>
                  <dt>{term}</dt>
                  <dd>{text}</dd>
                </>
              ))}
            </dl>
          )}
        </ChartBox>
      )}
    </div>
  );
}
