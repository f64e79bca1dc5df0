// gui/src/timeline/paint.ts - draws the timeline: what is in sight, nothing finer than a pixel.
//
// SPDX-License-Identifier: Apache-2.0
import type { Colours } from "../flame/colours";
import { type BoxStyle, type Letters, paintBox, setFont } from "../flame/paint";
import type { Range } from "../flame/tree";
import type { Curve } from "../model/answers";
import { duration, megabytes } from "../model/number";
import { ticks } from "../model/scale";
import type { TimelineAnswer, Track } from "./answer";
import { AXIS, type Bands, CURVE, DEPTH, type LanePlace, STRIP, TRACK } from "./bands";
import { firstAfter } from "./stitch";

export interface Scene {
  answer: TimelineAnswer;
  bands: Bands;
  range: Range;
  width: number;
  height: number;
  scrolled: number;
  footprint: Curve | undefined;
  span: Range | undefined;
  /** The time that the keyboard cursor is at. */
  cursor: number | undefined;
  chosen: string | undefined;
}

interface Pen {
  context: CanvasRenderingContext2D;
  colours: Colours;
  letters: Letters;
  x: (time: number) => number;
}

function drawAxis(pen: Pen, scene: Scene): void {
  const { context, colours } = pen;
  const { gutter, head } = scene.bands;
  const wanted = Math.max((scene.width - gutter) / 110, 2);
  const found = ticks(scene.range.from, scene.range.to, wanted);
  const step = (found[1] ?? 1) - (found[0] ?? 0);
  for (const time of found) {
    const x = Math.round(pen.x(time)) + 0.5;
    context.strokeStyle = colours.grid;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, AXIS - 6);
    context.lineTo(x, Math.max(scene.height, head));
    context.stroke();
    context.fillStyle = colours.faint;
    const text = tickText(time, step);
    if (x + 4 + context.measureText(text).width < scene.width) context.fillText(text, x + 4, AXIS / 2);
  }
}

/** With as many digits as neighbours need to differ. */
export function tickText(time: number, step: number): string {
  if (step >= 60) return duration(time);
  const digits = Math.max(0, Math.min(Math.ceil(-Math.log10(step) - 1e-9), 6));
  return `${time.toFixed(digits)} s`;
}

function drawCurve(pen: Pen, scene: Scene, curve: Curve): void {
  const { context, colours } = pen;
  const { curveY, gutter } = scene.bands;
  const top = curve.reduce((most, point) => Math.max(most, point[1]), 0);
  const y = (mb: number) => curveY + CURVE - 4 - (top > 0 ? (mb / top) * (CURVE - 10) : 0);
  context.save();
  context.beginPath();
  context.rect(gutter, curveY, scene.width - gutter, CURVE);
  context.clip();
  context.beginPath();
  context.moveTo(pen.x(0), y(0));
  let before = 0;
  for (const [time, mb] of curve) {
    context.lineTo(pen.x(time), y(before)); // a value holds until the next
    context.lineTo(pen.x(time), y(mb));
    before = mb;
  }
  context.lineTo(pen.x(scene.answer.end_s), y(before));
  context.strokeStyle = colours.curve;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(pen.x(scene.answer.end_s), y(0));
  context.closePath();
  context.globalAlpha = 0.15;
  context.fillStyle = colours.curve;
  context.fill();
  context.restore();
  name(pen, "Footprint", curveY + 16, gutter, colours.text);
  name(pen, `peak ${megabytes(top)}`, curveY + 33, gutter, colours.faint);
}

function name(pen: Pen, text: string, y: number, gutter: number, colour: string): void {
  pen.context.fillStyle = colour;
  pen.context.fillText(pen.letters.cut(text, gutter - 18), 10, y);
}

function drawTracks(pen: Pen, scene: Scene): void {
  const { context, colours } = pen;
  const { answer, bands } = scene;
  answer.tracks.forEach((track, index) => {
    const y = bands.tracksY + index * TRACK;
    const bin = (answer.to_s - answer.from_s) / Math.max(track.percents.length, 1);
    name(pen, trackName(track), y + TRACK / 2, bands.gutter, colours.text);
    context.fillStyle = colours.grid;
    context.fillRect(bands.gutter, y + TRACK - 3, scene.width - bands.gutter, 1);
    context.fillStyle = colours.tracks[track.id] ?? colours.text;
    let column = -1;
    let most = 0;
    const flush = () => {
      if (most > 0) context.fillRect(column, y + TRACK - 3 - most, 1, most);
    };
    const wide = pen.x(bin) - pen.x(0);
    track.percents.forEach((percent, at) => {
      const x = pen.x(answer.from_s + at * bin);
      if (percent <= 0 || x + wide < bands.gutter || x > scene.width) return;
      const height = Math.max(2, (percent / 100) * (TRACK - 6));
      if (wide >= 1) {
        context.fillRect(x, y + TRACK - 3 - height, wide + 0.3, height);
        return;
      }
      if (Math.floor(x) !== column) {
        flush();
        column = Math.floor(x);
        most = 0;
      }
      most = Math.max(most, height);
    });
    flush();
  });
}

const SHORT: Record<string, string> = { gc: "GC", io: "I/O", gil: "GIL wait" };

/** What stands beside a track: "Load of the GPUs" is "GPUs" there. */
export function trackName(track: Track): string {
  return SHORT[track.id] ?? track.title.replace(/^Load of the /, "").replace(/^Neuron .*/, "Neuron");
}

/** Thinner boxes could not be distinguished, and there may be very many. */
const THIN = 2;

/** Draws the boxes of one row, thin neighbours as one. Returns how many were drawn. */
function drawRow(pen: Pen, scene: Scene, place: LanePlace, depth: number, y: number): number {
  const row = place.lane.rows[depth];
  if (!row) return 0;
  const { gutter } = scene.bands;
  const style: BoxStyle = { colours: pen.colours, letters: pen.letters, isFaint: false, isFound: false };
  let drawn = 0;
  let edge = Number.NEGATIVE_INFINITY;
  for (let i = firstAfter(row.ends, scene.range.from); i < row.ends.length; i += 1) {
    const start = pen.x(row.starts[i] as number);
    if (start > scene.width) break;
    const left = Math.max(start, gutter);
    const right = Math.min(pen.x(row.ends[i] as number), scene.width + 2);
    if (right <= edge) continue;
    const frame = scene.answer.frames[row.frames[i] as number];
    const width = Math.max(right - left - (right - left > 3 ? 1 : 0), THIN);
    paintBox(pen.context, frame, frame?.name ?? "", style, left, y, width, DEPTH - 1);
    if (scene.chosen !== undefined && frame?.name === scene.chosen && width > 3) {
      pen.context.strokeStyle = pen.colours.focus;
      pen.context.strokeRect(left + 0.5, y + 0.5, width - 1, DEPTH - 2);
    }
    edge = left + THIN;
    drawn += 1;
  }
  return drawn;
}

function drawStrip(pen: Pen, scene: Scene, place: LanePlace, y: number): number {
  const { strip } = place.lane;
  const { context, colours } = pen;
  const { gutter } = scene.bands;
  let drawn = 0;
  let edge = Number.NEGATIVE_INFINITY;
  for (let i = firstAfter(strip.ends, scene.range.from); i < strip.ends.length; i += 1) {
    const start = pen.x(strip.starts[i] as number);
    if (start > scene.width) break;
    const left = Math.max(start, gutter);
    const right = Math.min(pen.x(strip.ends[i] as number), scene.width);
    if (right <= edge) continue;
    const kind = strip.kinds[i] ?? "python";
    context.fillStyle = colours.strips[kind];
    const inset = kind === "python" ? 4 : kind === "native" ? 7 : 9; // distinguished by height too
    context.fillRect(left, y + inset, Math.max(right - left, 1), STRIP - 4 - inset);
    edge = left + 1;
    drawn += 1;
  }
  return drawn;
}

function drawLanes(pen: Pen, scene: Scene): number {
  const { context, colours } = pen;
  const { bands } = scene;
  let drawn = 0;
  context.save();
  context.beginPath();
  context.rect(0, bands.head, scene.width, Math.max(scene.height - bands.head, 0));
  context.clip();
  for (const place of bands.lanes) {
    const y = bands.head + place.y - scene.scrolled;
    if (y > scene.height || y + place.height < bands.head) continue;
    context.fillStyle = colours.grid;
    context.fillRect(0, y, scene.width, 1);
    name(pen, scene.answer.threads[place.lane.thread]?.name ?? "", y + STRIP / 2 + 1, bands.gutter, colours.text);
    if (place.depths < place.lane.rows.length)
      name(pen, `${place.depths} of ${place.lane.rows.length} levels`, y + STRIP + DEPTH / 2, bands.gutter, colours.faint);
    drawn += drawStrip(pen, scene, place, y);
    for (let depth = 0; depth < place.depths; depth += 1) {
      const rowY = y + STRIP + depth * DEPTH;
      if (rowY + DEPTH >= bands.head && rowY < scene.height) drawn += drawRow(pen, scene, place, depth, rowY);
    }
  }
  context.restore();
  return drawn;
}

function drawSpan(pen: Pen, scene: Scene, span: Range): void {
  const { context, colours } = pen;
  const { gutter } = scene.bands;
  const [left, right] = [Math.max(pen.x(span.from), gutter), Math.min(pen.x(span.to), scene.width)];
  context.fillStyle = colours.ground;
  context.globalAlpha = 0.55;
  if (left > gutter) context.fillRect(gutter, AXIS, Math.min(left, scene.width) - gutter, scene.height);
  if (right < scene.width) context.fillRect(Math.max(right, gutter), AXIS, scene.width - right, scene.height);
  context.globalAlpha = 1;
  if (right < left) return;
  context.fillStyle = colours.focus;
  context.fillRect(left, AXIS - 5, Math.max(right - left, 2), 4);
  context.fillRect(left, AXIS - 5, 1, scene.height);
  context.fillRect(right - 1, AXIS - 5, 1, scene.height);
}

/** How many boxes were drawn. */
export function paintTimeline(context: CanvasRenderingContext2D, scene: Scene, colours: Colours, letters: Letters): number {
  const { gutter } = scene.bands;
  const scale = (scene.width - gutter) / (scene.range.to - scene.range.from || 1);
  const pen: Pen = { context, colours, letters, x: (time) => gutter + (time - scene.range.from) * scale };
  context.clearRect(0, 0, scene.width, scene.height);
  setFont(context);
  context.lineWidth = 1;
  drawAxis(pen, scene);
  if (scene.footprint && scene.bands.hasCurve) drawCurve(pen, scene, scene.footprint);
  drawTracks(pen, scene);
  const drawn = drawLanes(pen, scene);
  if (scene.span) drawSpan(pen, scene, scene.span);
  if (scene.cursor !== undefined) {
    context.fillStyle = colours.text;
    context.fillRect(Math.round(pen.x(scene.cursor)), AXIS - 5, 1, scene.height);
  }
  return drawn;
}
