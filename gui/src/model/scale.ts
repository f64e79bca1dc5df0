// gui/src/model/scale.ts - axes of charts: round ticks, and a curve as the points of a line.
//
// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "./answers";

/** Round values from 0 to at most top, at 1, 2 or 5 times a power of ten, about `wanted` of them. */
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

/** Points of an SVG path in a box: no two in one pixel's column, so that long curves stay short. */
function points(curve: Curve, box: Box): [number, number][] {
  const x = (seconds: number) => ((seconds - box.from) / (box.to - box.from || 1)) * box.width;
  const y = (mb: number) => box.height - (Math.min(Math.max(mb, 0), box.top) / (box.top || 1)) * box.height;
  const found: [number, number][] = [];
  let column = -1;
  for (const [seconds, mb] of curve) {
    if (seconds < box.from || seconds > box.to) continue;
    const at = x(seconds);
    const last = found[found.length - 1];
    // Of the points in one column the highest counts: a peak must not vanish.
    if (last && Math.floor(at) === column) last[1] = Math.min(last[1], round(y(mb)));
    else found.push([round(at), round(y(mb))]);
    column = Math.floor(at);
  }
  return found;
}

export function linePath(curve: Curve, box: Box): string {
  return points(curve, box)
    .map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y}`)
    .join("");
}

/** The same, closed along the lower edge. */
export function areaPath(curve: Curve, box: Box): string {
  const line = points(curve, box);
  const first = line[0];
  const last = line[line.length - 1];
  if (!first || !last) return "";
  const upper = line.map(([x, y]) => `L${x} ${y}`).join("");
  return `M${first[0]} ${box.height}${upper}L${last[0]} ${box.height}Z`;
}

/** The point of a curve nearest to a time. */
export function nearest(curve: Curve, seconds: number): [number, number] | undefined {
  let low = 0;
  let high = curve.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((curve[middle] as [number, number])[0] < seconds) low = middle + 1;
    else high = middle;
  }
  const right = curve[low];
  const left = curve[low - 1];
  if (!left || !right) return left ?? right;
  return seconds - left[0] < right[0] - seconds ? left : right;
}

/** The curve with its last value held until a time, as values of devices are. */
export function heldTo(curve: Curve, end: number): Curve {
  const last = curve[curve.length - 1];
  return last !== undefined && last[0] < end ? [...curve, [end, last[1]]] : curve;
}
