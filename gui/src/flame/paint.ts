// gui/src/flame/paint.ts - draws frames on a canvas: what is visible and at least a pixel wide.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame } from "./answer";
import { type Colours, fillOf, shadeOf } from "./colours";
import { type FlameTree, nameOf, type Range, visible } from "./tree";

export const ROW = 20;
const PAD = 5;
const FONT = 12;

/** Fits the bitmap to the box and the screen's resolution; coordinates are then CSS pixels of the box. */
export function fit(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext("2d");
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Widths of characters, so that labels are cut without measuring each of them. */
export class Letters {
  private readonly widths = new Map<string, number>();
  constructor(private readonly context: CanvasRenderingContext2D) {}

  private width(letter: string): number {
    let width = this.widths.get(letter);
    if (width === undefined) {
      width = this.context.measureText(letter).width;
      this.widths.set(letter, width);
    }
    return width;
  }

  /** The text, or as much of its beginning as fits with dots behind it; "" if fewer than 3 characters fit. */
  cut(text: string, room: number): string {
    let used = 0;
    const dots = this.width("…");
    let fits = 0;
    for (let i = 0; i < text.length; i += 1) {
      used += this.width(text[i] as string);
      if (used > room) return fits >= 3 ? `${text.slice(0, fits)}…` : "";
      if (used + dots <= room) fits = i + 1;
    }
    return text;
  }
}

export function setFont(context: CanvasRenderingContext2D): void {
  context.font = `${FONT}px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif`;
  context.textBaseline = "middle";
}

/** What distinguishes kinds without their colours: a stripe below native frames, lines across the kernel's. */
function mark(context: CanvasRenderingContext2D, frame: Frame, colours: Colours, x: number, y: number, w: number, h: number) {
  if (frame.kind === "python" || w < 2) return;
  context.fillStyle = colours.stripes[frame.kind];
  context.fillRect(x, y + h - 3, w, 3);
  if (frame.kind !== "kernel" || w < 6) return;
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = colours.stripes.kernel;
  context.globalAlpha = 0.45;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = x - h; at < x + w; at += 8) {
    context.moveTo(at, y + h);
    context.lineTo(at + h, y);
  }
  context.stroke();
  context.restore();
}

export interface BoxStyle {
  colours: Colours;
  letters: Letters;
  isFaint: boolean;
  isFound: boolean;
  /** In place of the colour of the frame's kind. */
  fill?: string | undefined;
}

/** One frame, the root too. */
export function paintBox(
  context: CanvasRenderingContext2D,
  frame: Frame | undefined,
  label: string,
  style: BoxStyle,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  const { colours } = style;
  context.globalAlpha = style.isFaint ? 0.35 : 1;
  context.fillStyle = frame === undefined ? colours.root : (colours.fills[fillOf(frame)][shadeOf(frame.name)] as string);
  if (style.fill !== undefined) context.fillStyle = style.fill;
  if (style.isFound) context.fillStyle = colours.found;
  context.fillRect(x, y, w, h);
  if (frame) mark(context, frame, colours, x, y, w, h);
  context.globalAlpha = 1;
  if (w < 24) return;
  const left = Math.max(x, 0);
  const text = style.letters.cut(label, x + w - left - 2 * PAD);
  if (text === "") return;
  context.fillStyle = style.isFaint ? colours.faint : colours.text;
  context.fillText(text, left + PAD, y + h / 2 + (frame && frame.kind !== "python" ? -0.5 : 0.5));
}

export interface Picture {
  tree: FlameTree;
  range: Range;
  /** Pixels scrolled down. */
  top: number;
  width: number;
  height: number;
  root: string;
  /** What a search has found; the others are faint then. */
  marks: Uint8Array | null;
  /** The name of the chosen function: all its frames are outlined. */
  chosen: string | undefined;
  focused: number;
  hovered: number;
  /** Per node: from -2 (costs much less than before) to 2; absent where nothing is compared. */
  levels?: readonly number[] | undefined;
}

/** More and less can be seen without colours, too. */
function signOf(level: number): string {
  if (level === 0) return "";
  return level > 0 ? "▲ " : "▼ ";
}

function outline(context: CanvasRenderingContext2D, colour: string, x: number, y: number, w: number, width: number) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  const inset = width / 2;
  context.strokeRect(x + inset, y + inset, Math.max(w - width, 1), ROW - 1 - width);
}

/** How many frames were drawn. */
export function paint(context: CanvasRenderingContext2D, picture: Picture, colours: Colours, letters: Letters): number {
  const { tree, top, width, height } = picture;
  context.clearRect(0, 0, width, height);
  setFont(context);
  const first = Math.floor(top / ROW);
  const shown = visible(tree, picture.range, width, first, Math.ceil((top + height) / ROW));
  const style: BoxStyle = { colours, letters, isFaint: false, isFound: false };
  let outlined: [number, string, number][] = [];
  shown.nodes.forEach((node, index) => {
    const x = shown.lefts[index] as number;
    // A pixel is left free between neighbours, if the frame is wider than 3.
    const w = Math.max((shown.widths[index] as number) - ((shown.widths[index] as number) > 3 ? 1 : 0), 1);
    const y = (tree.row[node] as number) * ROW - top;
    const frame = tree.frames[tree.frame[node] as number];
    style.isFound = picture.marks !== null && picture.marks[node] === 1;
    style.isFaint = picture.marks !== null && !style.isFound;
    const left = Math.max(x, -2);
    const level = picture.levels?.[node] ?? 0;
    style.fill = picture.levels && colours.changes[level + 2];
    paintBox(context, frame, signOf(level) + nameOf(tree, node, picture.root), style, left, y, Math.min(x + w, width + 2) - left, ROW - 1);
    if (node === picture.focused) outlined.push([index, colours.focus, 2]);
    else if (node === picture.hovered) outlined.push([index, colours.text, 1]);
    else if (picture.chosen !== undefined && frame?.name === picture.chosen && w > 4) outlined.unshift([index, colours.focus, 1]);
  });
  for (const [index, colour, line] of outlined) {
    const x = Math.max(shown.lefts[index] as number, -2);
    const y = (tree.row[shown.nodes[index] as number] as number) * ROW - top;
    outline(context, colour, x, y, Math.min((shown.lefts[index] as number) + (shown.widths[index] as number), width + 2) - x, line);
  }
  return shown.nodes.length;
}
