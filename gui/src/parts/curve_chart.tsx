// gui/src/parts/curve_chart.tsx - megabytes, or a load, over the run: point to read it, drag to select a span.
//
// With the keys: arrows move the reading, with Shift they select, Escape lets go. Where moments can be chosen, a click or
// Enter chooses the one that is read.
//
// SPDX-License-Identifier: Apache-2.0
import { useRef, useState } from "preact/hooks";
import { duration, megabytes, percent } from "../model/number";
import { areaPath, type Box, linePath, pointAt, ticks } from "../model/scale";
import { isBrowsers } from "../state/keys";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import { useSize } from "../state/size";
import { CurveLegend, type Series } from "./curve_legend";

interface Props {
  name: string;
  curves: readonly Series[];
  elapsed_s: number;
  /** In `unit`. The axis reaches at least this high: the peak that the profile states, or 100 for a load. */
  peak: number;
  unit?: "megabytes" | "percent";
  height: number;
  place: Place;
  go: Go;
  /** Whether a click chooses a moment, which `place.at` is then. */
  hasMoments?: boolean;
}

const LEFT = 58;
const BOTTOM = 20;
const TOP = 8;
const RIGHT = 10;
const STEPS = 100;
const MIN_PIXELS = 4;

function highest(curves: readonly Series[]): number {
  let top = 0;
  for (const series of curves) for (const point of series.curve) top = Math.max(top, point[1]);
  return top;
}

/** The unit of an axis that ends at top, and how many MB it is. */
export function axisUnitOf(top: number): [string, number] {
  if (top >= 1024) return ["GB", 1024];
  return top >= 1 ? ["MB", 1] : ["KB", 1 / 1024];
}

/** Round numbers of the unit that is shown. */
function axisTicks(top: number, wanted: number): number[] {
  const [, unit] = axisUnitOf(top);
  return ticks(0, top / unit, wanted).map((value) => value * unit);
}

export function axisText(mb: number, top: number): string {
  const [name, unit] = axisUnitOf(top);
  const value = Number((mb / unit).toPrecision(9)); // a multiple of a KB has no digits of its own
  return `${value.toFixed(value >= 10 || Number.isInteger(value) ? 0 : 1)} ${name}`;
}

function timeText(seconds: number): string {
  if (seconds === 0) return "0";
  return seconds >= 60 ? duration(seconds).replace(/\.00s$/, "s") : `${Number(seconds.toPrecision(3))} s`;
}

export function CurveChart({ name, curves, elapsed_s, peak: known, unit = "megabytes", height, place, go, hasMoments = false }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useSize(frame);
  const [at, setAt] = useState<number | null>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const top = Math.max(highest(curves), known, 1e-6) * 1.06;
  const isPercent = unit === "percent";
  const textOf = isPercent ? percent : megabytes;
  const elapsed = Math.max(elapsed_s, ...curves.map((series) => series.curve[series.curve.length - 1]?.[0] ?? 0), 1e-9);
  const box: Box = { width: Math.max(width - LEFT - RIGHT, 1), height: height - TOP - BOTTOM, from: 0, to: elapsed, top };
  const x = (seconds: number) => LEFT + (seconds / elapsed) * box.width;
  const y = (mb: number) => TOP + box.height - (Math.min(mb, top) / top) * box.height;
  const main = curves[curves.length - 1];
  const timeAt = (event: PointerEvent) => {
    const left = frame.current?.getBoundingClientRect().left ?? 0;
    return Math.min(Math.max((event.clientX - left - LEFT) / box.width, 0), 1) * elapsed;
  };
  const select = (from: number, to: number) => {
    if (((to - from) / elapsed) * box.width >= MIN_PIXELS) go({ from, to }, true);
    else go({ from: undefined, to: undefined, ...(hasMoments ? { at: to } : {}) }, true);
  };
  const selected = drag
    ? { from: Math.min(drag.from, drag.to), to: Math.max(drag.from, drag.to) }
    : place.from !== undefined && place.to !== undefined
      ? { from: place.from, to: Math.min(place.to, elapsed) }
      : null;
  const moment = hasMoments && selected === null ? place.at : undefined;
  const key = (event: KeyboardEvent) => {
    if (isBrowsers(event)) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape" && (selected || moment !== undefined)) go({ from: undefined, to: undefined, at: undefined }, true);
    else if (event.key === "Enter" && hasMoments && at !== null) go({ from: undefined, to: undefined, at }, true);
    else if (step === undefined) return;
    else {
      const now = at ?? (step > 0 ? 0 : elapsed);
      const next = Math.min(Math.max(now + (step * elapsed) / STEPS, 0), elapsed);
      setAt(next);
      if (event.shiftKey) {
        const other = selected && Math.abs(selected.from - now) < Math.abs(selected.to - now) ? selected.to : (selected?.from ?? now);
        if (other !== next) go({ from: Math.min(other, next), to: Math.max(other, next) }, true);
      }
    }
    event.preventDefault();
  };
  const peak = main && main.curve.reduce((best, point) => (point[1] > best[1] ? point : best), [0, -1] as [number, number]);
  const reading = at === null ? null : curves.map((series) => ({ series, point: pointAt(series.curve, at) }));
  const peakText = textOf(isPercent ? highest(curves) : known); // the one that is stated elsewhere, too
  const axisUnit = isPercent ? "%" : axisUnitOf(top)[0];
  return (
    <div class="curves">
      <div
        class="chart"
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label={`${name}: peak ${peakText}. Arrow keys read it, with Shift they select a span${hasMoments ? ", Enter chooses the moment" : ""}.`}
        style={{ height: `${height}px` }}
        onKeyDown={key}
        onBlur={() => setAt(null)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const time = timeAt(event);
          setDrag({ from: time, to: time });
        }}
        onPointerMove={(event) => {
          const time = timeAt(event);
          setAt(time);
          if (drag) setDrag({ from: drag.from, to: time });
        }}
        onPointerUp={() => {
          if (drag) select(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to));
          setDrag(null);
        }}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => !drag && setAt(null)}
      >
        {width > 0 && (
          <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
            {(isPercent ? [0, 50, 100] : axisTicks(top, Math.max(2, box.height / 34))).map((mb) => (
              <g key={`y${mb}`} class="axis">
                <line x1={LEFT} x2={width - RIGHT} y1={y(mb)} y2={y(mb)} />
                <text x={LEFT - 8} y={y(mb)} dy="0.32em" text-anchor="end">
                  {isPercent ? `${mb}%` : axisText(mb, top)}
                </text>
              </g>
            ))}
            {ticks(0, elapsed, Math.max(2, box.width / 90)).map((seconds) => (
              <text key={`x${seconds}`} class="axis-time" x={x(seconds) > width - 24 ? width - 2 : x(seconds)} y={height - 5} text-anchor={seconds === 0 ? "start" : x(seconds) > width - 24 ? "end" : "middle"}>
                {timeText(seconds)}
              </text>
            ))}
            <g transform={`translate(${LEFT} ${TOP})`}>
              {curves.map((series) => (
                <g key={series.title}>
                  {series.isFilled && <path class={`area ${series.tone}`} d={areaPath(series.curve, box)} />}
                  <path class={`curve-line ${series.tone}`} d={linePath(series.curve, box)} />
                </g>
              ))}
            </g>
            {peak && peak[1] >= 0 && (
              <g class="peak">
                <circle cx={x(peak[0])} cy={y(peak[1])} r="3.5" />
              </g>
            )}
            {selected && (
              <rect class="selected" x={x(selected.from)} y={TOP} width={Math.max(x(selected.to) - x(selected.from), 1)} height={box.height} />
            )}
            {moment !== undefined && <line class="moment-line" x1={x(Math.min(moment, elapsed))} x2={x(Math.min(moment, elapsed))} y1={TOP} y2={TOP + box.height} />}
            {at !== null && <line class="reading" x1={x(at)} x2={x(at)} y1={TOP} y2={TOP + box.height} />}
          </svg>
        )}
        {reading && at !== null && (
          <p class={at > elapsed * 0.6 ? "reading-text left" : "reading-text"} role="status">
            {timeText(Number(at.toPrecision(3)))}
            {reading.map(({ series, point }) => point && <span key={series.title}>{` · ${series.title} ${textOf(point[1])}`}</span>)}
          </p>
        )}
      </div>
      <CurveLegend curves={curves} unit={axisUnit} peak={peak && peak[1] >= 0 ? peakText : null} hasMoment={moment !== undefined} />
    </div>
  );
}
