// gui/src/flame/flame_chart.tsx - a flame chart on a canvas: the outermost frames above, zoom, pan, keys.
//
// SPDX-License-Identifier: Apache-2.0
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Profile } from "../state/carried";
import type { BoxPlace } from "./chart_box";
import { sameNode, sameRange } from "./carry";
import { type Drawing, useDrawing } from "./drawing";
import { pressKey } from "./flame_keys";
import { type Hovered, useFlamePointer } from "./flame_pointer";
import { FrameSaid } from "./frame_said";
import { paint, ROW } from "./paint";
import { type FlameTree, rangeOf } from "./tree";
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
  /** How much each node has changed, in a chart of two versions (paint.ts). */
  levels?: readonly number[];
  /** No higher than its rows. */
  isSnug?: boolean;
}

/** Brings a frame into sight: its row by scrolling, itself by moving the camera. */
function reveal(tree: FlameTree, node: number, element: HTMLElement, { camera, width }: Drawing): void {
  const y = (tree.row[node] as number) * ROW;
  if (y < element.scrollTop) element.scrollTop = y;
  else if (y + ROW > element.scrollTop + element.clientHeight) element.scrollTop = y + ROW - element.clientHeight;
  const own = rangeOf(tree, node);
  const { from, to } = camera.range;
  const isNarrow = (own.to - own.from) / (to - from) < 3 / Math.max(width, 1);
  if (isNarrow) camera.glide(rangeOf(tree, node > 0 ? (tree.parent[node] as number) : 0));
  else if (own.from < from || own.to > to) camera.pan(own.from < from || own.to - own.from > to - from ? own.from - from : own.to - to);
}

/** Where a frame is on the screen. */
function placeOf(tree: FlameTree, node: number, element: HTMLElement | null, { camera, width }: Drawing): BoxPlace {
  const box = element?.getBoundingClientRect();
  if (!element || !box) return { x: 0, y: 0 };
  const scale = width / (camera.range.to - camera.range.from || 1);
  const x = ((tree.start[node] as number) - camera.range.from) * scale;
  const y = (tree.row[node] as number) * ROW - element.scrollTop;
  return { x: box.left + Math.min(Math.max(x, 0), width), y: box.top + y + ROW / 2 };
}

export function FlameChart(props: FlameChartProps) {
  const { tree, measure, label, focused } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const [byKeys, setByKeys] = useState(false);
  const drawing = useDrawing(
    scroller,
    { from: 0, to: tree.total },
    (context, sight, colours, letters) =>
      paint(context, { ...props, ...sight, hovered: hovered?.node ?? -1, root: measure.root }, colours, letters),
    (camera) => props.onZoom?.(camera.isWhole),
  );
  const { camera, canvas, width, height } = drawing;

  // The tree of a newer profile is shown at the same place; of any other tree all is.
  const overview = useContext(Profile);
  const shown = useRef({ tree, overview });
  const isCarried = useRef(false);
  useLayoutEffect(() => {
    const was = shown.current;
    const whole = { from: 0, to: tree.total };
    shown.current = { tree, overview };
    isCarried.current = was.tree !== tree && was.overview !== overview;
    if (isCarried.current && !camera.isWhole) camera.carry(whole, sameRange(was.tree, camera.range, tree));
    else camera.reset(whole);
    camera.request();
    setHovered((last) => {
      const node = isCarried.current && last ? sameNode(was.tree, last.node, tree) : -1;
      return last && node >= 0 ? { ...last, node } : null;
    });
    if (!isCarried.current && scroller.current) scroller.current.scrollTop = 0;
  }, [tree]);
  useEffect(() => {
    if (props.resets) camera.home();
  }, [props.resets]);
  useEffect(() => {
    const isOld = isCarried.current; // it was brought into sight when it was chosen
    isCarried.current = false;
    if (!isOld && focused >= 0 && scroller.current) reveal(tree, focused, scroller.current, drawing);
  }, [focused, tree]);

  const zoomTo = (node: number) => {
    if (node >= 0) camera.glide(rangeOf(tree, node));
  };
  const pointer = useFlamePointer({
    tree,
    drawing,
    scroller,
    setHovered,
    moved: () => setByKeys(false),
    clicked: (node, isFar) => {
      props.setFocused(node);
      if (isFar) props.open(node);
      else zoomTo(node);
    },
  });
  const pressed = (event: KeyboardEvent) => {
    if (!pressKey(event, { tree, drawing, focused, setFocused: props.setFocused, zoomTo, open: props.open })) return;
    setByKeys(true);
    setHovered(null);
  };

  const isOfKeys = byKeys && focused >= 0;
  const boxed = hovered ?? (isOfKeys ? { node: focused, at: placeOf(tree, focused, scroller.current, drawing) } : null);
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
        {...pointer}
        onBlur={() => setByKeys(false)}
        onScroll={() => camera.request()}
        data-ratio={drawing.ratio}
      >
        <div class="chart-tall" style={{ height: `${tree.rows * ROW}px` }}>
          <canvas ref={canvas} class="chart-canvas" style={{ width: `${width}px`, height: `${height}px` }} aria-hidden="true" />
        </div>
      </div>
      <p class="chart-heard" aria-live="polite">
        {focused >= 0 && focused < tree.count ? sentence(tree, focused, measure) : ""}
      </p>
      {boxed && boxed.node < tree.count && <FrameSaid at={boxed.at} words={said(tree, boxed.node, measure)} />}
    </div>
  );
}
