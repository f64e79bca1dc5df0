// gui/src/flame/flame_chart.tsx - a flame chart on a canvas: the outermost frames above, zoom, pan, keys.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Camera } from "./camera";
import { type BoxPlace, ChartBox } from "./chart_box";
import { type Colours, readColours, useThemeChange } from "./colours";
import { fit, Letters, paint, ROW, setFont } from "./paint";
import { useSize } from "./size_hook";
import { stepBy } from "./steps";
import { type FlameTree, nodeAt, rangeOf } from "./tree";
import { type Measure, said, sentence } from "./words";

export interface FlameChartProps {
  tree: FlameTree;
  measure: Measure;
  /** What the whole chart is, for a screen reader. */
  label: string;
  marks: Uint8Array | null;
  chosen: string | undefined;
  focused: number;
  setFocused: (node: number) => void;
  /** Goes to the line of a frame, if it has one that is on the page. */
  open: (node: number) => void;
  /** Called with whether all of the chart is in sight. */
  onZoom?: (isWhole: boolean) => void;
  /** A new value shows all of the chart. */
  resets?: number;
  /** No higher than its rows. */
  isSnug?: boolean;
}

const ZOOM_STEP = 0.7;
const DRAG_PX = 4;
const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home"];

export function FlameChart(props: FlameChartProps) {
  const { tree, measure, label, focused } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, ratio } = useSize(scroller);
  const theme = useThemeChange();
  const colours = useRef<Colours | null>(null);
  const letters = useRef<Letters | null>(null);
  const [hovered, setHovered] = useState<{ node: number; at: BoxPlace } | null>(null);
  const [byKeys, setByKeys] = useState(false);
  const latest = useRef({ ...props, hovered: -1, width, height });
  latest.current = { ...props, hovered: hovered?.node ?? -1, width, height };
  const drag = useRef<{ x: number; y: number; top: number; from: number; isMoving: boolean } | null>(null);

  const camera = useMemo(() => {
    const draw = () => {
      const now = latest.current;
      const context = canvas.current && fit(canvas.current, now.width, now.height);
      if (!context || !colours.current || now.width === 0) return;
      if (!letters.current) {
        setFont(context);
        letters.current = new Letters(context);
      }
      const picture = { ...now, root: now.measure.root, range: made.range, top: scroller.current?.scrollTop ?? 0 };
      const begun = performance.now();
      const drawn = paint(context, picture, colours.current, letters.current);
      canvas.current?.setAttribute("data-drawn", `${drawn}`);
      canvas.current?.setAttribute("data-draw-ms", (performance.now() - begun).toFixed(2));
      now.onZoom?.(made.isWhole);
    };
    const made: Camera = new Camera({ from: 0, to: tree.total }, draw);
    return made;
  }, []);

  useLayoutEffect(() => {
    camera.reset({ from: 0, to: tree.total });
    setHovered(null);
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [tree]);
  useEffect(() => {
    if (props.resets) camera.home();
  }, [props.resets]);
  useLayoutEffect(() => {
    if (canvas.current) colours.current = readColours(canvas.current);
  }, [theme]);
  useLayoutEffect(() => camera.request());
  useEffect(() => () => camera.stop(), []);

  const place = (event: { clientX: number; clientY: number }) => {
    const box = scroller.current?.getBoundingClientRect();
    if (!box || width === 0) return null;
    const x = event.clientX - box.left;
    const at = camera.range.from + (x / width) * (camera.range.to - camera.range.from);
    const row = Math.floor((event.clientY - box.top + (scroller.current?.scrollTop ?? 0)) / ROW);
    return { at, node: nodeAt(tree, at, row) };
  };

  /** Brings a frame into sight: its row by scrolling, itself by moving the camera. */
  const reveal = (node: number) => {
    const element = scroller.current;
    if (!element || node < 0) return;
    const y = (tree.row[node] as number) * ROW;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW > element.scrollTop + element.clientHeight) element.scrollTop = y + ROW - element.clientHeight;
    const own = rangeOf(tree, node);
    const { from, to } = camera.range;
    const isNarrow = (own.to - own.from) / (to - from) < 3 / Math.max(width, 1);
    if (isNarrow) camera.glide(rangeOf(tree, node > 0 ? (tree.parent[node] as number) : 0));
    else if (own.from < from || own.to > to) camera.pan(own.from < from || own.to - own.from > to - from ? own.from - from : own.to - to);
  };
  useEffect(() => {
    if (focused >= 0) reveal(focused);
  }, [focused, tree]);

  const zoomTo = (node: number) => {
    if (node >= 0) camera.glide(rangeOf(tree, node));
  };

  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const span = camera.range.to - camera.range.from;
    if (event.shiftKey && (event.key === "ArrowLeft" || event.key === "ArrowRight"))
      camera.pan(event.key === "ArrowLeft" ? -span / 5 : span / 5);
    else if (ARROWS.includes(event.key)) props.setFocused(stepBy(tree, focused, event.key, span / Math.max(width, 1)));
    else if (event.key === "Enter") zoomTo(focused);
    else if (event.key === "+" || event.key === "=" || event.key === "-") {
      const own = rangeOf(tree, Math.max(focused, 0));
      const middle = Math.min(Math.max((own.from + own.to) / 2, camera.range.from), camera.range.to);
      camera.zoom(event.key === "-" ? 1 / ZOOM_STEP : ZOOM_STEP, middle);
    } else if (event.key === "Escape" && !camera.isWhole) camera.home();
    else if (event.key === "Escape" && focused >= 0) props.setFocused(-1);
    else if (event.key === "g") props.open(focused);
    else return;
    setByKeys(true);
    setHovered(null);
    event.preventDefault();
    event.stopPropagation();
  };

  const wheel = (event: WheelEvent) => {
    const element = scroller.current;
    const spot = place(event);
    if (!element || !spot) return;
    const scrolls = element.scrollHeight > element.clientHeight + 1;
    const span = camera.range.to - camera.range.from;
    if (event.ctrlKey || event.metaKey || event.altKey || (!scrolls && !event.shiftKey && Math.abs(event.deltaY) > Math.abs(event.deltaX)))
      camera.zoom(Math.exp(Math.max(-120, Math.min(event.deltaY, 120)) * 0.003), spot.at);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      camera.pan(((event.deltaX || event.deltaY) / Math.max(width, 1)) * span);
    else return; // the browser scrolls
    setHovered(null); // the pointer is at something else now
    event.preventDefault();
  };
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const listener = (event: WheelEvent) => turned.current(event);
    element.addEventListener("wheel", listener, { passive: false });
    return () => element.removeEventListener("wheel", listener);
  }, []);
  const turned = useRef(wheel);
  turned.current = wheel;

  const pointerMoved = (event: PointerEvent) => {
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
    setByKeys(false);
    setHovered(spot && spot.node >= 0 ? { node: spot.node, at: { x: event.clientX, y: event.clientY } } : null);
  };
  const pointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    drag.current = {
      x: event.clientX,
      y: event.clientY,
      top: scroller.current?.scrollTop ?? 0,
      from: camera.range.from,
      isMoving: false,
    };
  };
  const pointerUp = (event: PointerEvent) => {
    const wasMoving = drag.current?.isMoving === true;
    const isClick = drag.current !== null && !wasMoving;
    drag.current = null;
    const spot = isClick ? place(event) : null;
    if (!spot || spot.node < 0) return;
    props.setFocused(spot.node);
    if (event.ctrlKey || event.metaKey) props.open(spot.node);
    else zoomTo(spot.node);
  };

  const boxed = hovered ?? (byKeys && focused >= 0 ? { node: focused, at: keyPlace() } : null);
  function keyPlace(): BoxPlace {
    const box = scroller.current?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    const scale = width / (camera.range.to - camera.range.from || 1);
    const x = ((tree.start[focused] as number) - camera.range.from) * scale;
    const y = (tree.row[focused] as number) * ROW - (scroller.current?.scrollTop ?? 0);
    return { x: box.left + Math.min(Math.max(x, 0), width), y: box.top + y + ROW / 2 };
  }
  const words = boxed && boxed.node < tree.count ? said(tree, boxed.node, measure) : null;

  return (
    <div class="flame-chart" style={props.isSnug ? { maxHeight: `${tree.rows * ROW + 2}px`, minHeight: "64px" } : {}}>
      <div
        class="chart-scroll"
        ref={scroller}
        tabIndex={0}
        role="application"
        aria-roledescription="flame chart"
        aria-label={label}
        onKeyDown={pressed}
        onPointerMove={pointerMoved}
        onPointerDown={pointerDown}
        onPointerUp={pointerUp}
        onPointerLeave={() => setHovered(null)}
        onPointerCancel={() => (drag.current = null)}
        onBlur={() => setByKeys(false)}
        onScroll={() => camera.request()}
        data-ratio={ratio}
      >
        <div class="chart-tall" style={{ height: `${tree.rows * ROW}px` }}>
          <canvas ref={canvas} class="chart-canvas" style={{ width: `${width}px`, height: `${height}px` }} aria-hidden="true" />
        </div>
      </div>
      <p class="chart-heard" aria-live="polite">
        {focused >= 0 && focused < tree.count ? sentence(tree, focused, measure) : ""}
      </p>
      {boxed && words && (
        <ChartBox at={boxed.at}>
          <strong>{words.name}</strong>
          {words.path !== "" && <div class="chart-path">{words.path}</div>}
          <dl>
            <dt>with calls</dt>
            <dd>{words.total}</dd>
            <dt>itself</dt>
            <dd>{words.self}</dd>
            {words.kind !== "" && <dt>kind</dt>}
            {words.kind !== "" && <dd>{words.kind}</dd>}
          </dl>
        </ChartBox>
      )}
    </div>
  );
}
