// gui/src/model/scale.ts - axes of charts: round ticks, and a curve as the points of a line.
//
// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "./answers";

/** Round values in the range, at multiples of 1, 2 or 5 times a power of ten, about `wanted` of them. */
export function ticks(from: number, to: number, wanted: number): number[] {
  const span = to - from;
  if (!(span > 0) || !Number.isFinite(span) || wanted < 1) return [];
  const raw = span / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10);
  const found: number[] = [];
  for (let index = Math.ceil(from / step - 1e-9); index * step <= to + step * 1e-9; index += 1)
    found.push(Number((index * step).toPrecision(12)));
  return found;
}

export interface Box {
  width: number;
  height: number;
  /** What the left and right edges stand for. */
  from: number;
  to: number;
  /** What the upper edge stands for; the lower one is 0. */
  top: number;
}

const round = (value: number) => Math.round(value * 10) / 10;

/**
 * Points of an SVG path in a box. A value holds until the next one, so the path goes in steps. Of the values in one
 * pixel's column the highest and the last are kept: long curves stay short, and no peak vanishes.
 */
function points(curve: Curve, box: Box): [number, number][] {
  const x = (seconds: number) => round(((seconds - box.from) / (box.to - box.from || 1)) * box.width);
  const y = (mb: number) => round(box.height - (Math.min(Math.max(mb, 0), box.top) / (box.top || 1)) * box.height);
  const columns: { at: number; peak: number; last: number }[] = [];
  for (const [seconds, mb] of curve) {
    if (seconds > box.to) break;
    const at = x(Math.max(seconds, box.from));
    const height = y(mb);
    const column = columns[columns.length - 1];
    if (column && Math.floor(column.at) === Math.floor(at)) {
      column.peak = seconds > box.from ? Math.min(column.peak, height) : height;
      column.last = height;
    } else columns.push({ at, peak: height, last: height });
  }
  const found: [number, number][] = [];
  const go = (at: number, height: number) => {
    const last = found[found.length - 1];
    const before = found[found.length - 2];
    if (last && before && last[1] === height && before[1] === height) last[0] = at;
    else if (!last || last[0] !== at || last[1] !== height) found.push([at, height]);
  };
  columns.forEach((column, index) => {
    go(column.at, columns[index - 1]?.last ?? column.peak);
    go(column.at, column.peak);
    go(column.at, column.last);
  });
  return found;
}

export function linePath(curve: Curve, box: Box): string {
  return points(curve, box)
    .map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y}`)
    .join("");
}

/** The path of the curve, closed along the lower edge. */
export function areaPath(curve: Curve, box: Box): string {
  const line = points(curve, box);
  const first = line[0];
  const last = line[line.length - 1];
  if (!first || !last) return "";
  const upper = line.map(([x, y]) => `L${x} ${y}`).join("");
  return `M${first[0]} ${box.height}${upper}L${last[0]} ${box.height}Z`;
}

/** The point whose value holds at a time; before the first, that one. */
export function pointAt(curve: Curve, seconds: number): [number, number] | undefined {
  let low = 0;
  let high = curve.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((curve[middle] as [number, number])[0] <= seconds) low = middle + 1;
    else high = middle;
  }
  return curve[Math.max(low - 1, 0)];
}

/** The curve with its last value held until a time, as values of devices are. */
export function heldTo(curve: Curve, end: number): Curve {
  const last = curve[curve.length - 1];
  return last !== undefined && last[0] < end ? [...curve, [end, last[1]]] : curve;
}
