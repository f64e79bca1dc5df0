// gui/src/flame/words.ts - the texts about a frame: in the box, to a screen reader, in the notes.
//
// SPDX-License-Identifier: Apache-2.0
import { countOf, duration, finePercent, megabytes } from "../model/number";
import type { Frame, FrameKind, StacksAnswer, StackUnit } from "./answer";
import { type FlameTree, frameOf, nameOf } from "./tree";

const KIND_TITLES: Record<FrameKind, string> = { python: "Python", native: "native", kernel: "kernel" };

/** "native", "Python, a library's". */
export function kindOf(frame: Frame): string {
  if (frame.role === "library") return "Python, a library's";
  return frame.role === "plumbing" ? "native, passes a call on" : KIND_TITLES[frame.kind];
}

export function amount(unit: StackUnit, value: number): string {
  if (unit === "MB") return megabytes(value);
  return unit === "samples" ? countOf(value, "sample") : duration(value);
}

export function share(whole: number, value: number): string {
  return finePercent(whole > 0 ? (100 * value) / whole : 0);
}

/** "prog.py:12", "libc.so.6". */
export function placeOf(frame: Frame, line: number, short?: string): string {
  const path = frame.path ?? "";
  const name = short ?? path.slice(path.lastIndexOf("/") + 1);
  return frame.kind === "python" && line > 0 ? `${name}:${line}` : name;
}

export interface Said {
  name: string;
  kind: string;
  path: string;
  total: string;
  self: string;
}

/** The unit of the numbers, the name of the outermost box, and the whole. */
export interface Measure {
  unit: StackUnit;
  root: string;
  /** What 100 % is. */
  whole: number;
}

export function said(tree: FlameTree, node: number, { unit, root, whole }: Measure): Said {
  const frame = frameOf(tree, node);
  const total = tree.totals[node] as number;
  const self = tree.self[node] as number;
  const line = tree.line[node] as number;
  return {
    name: nameOf(tree, node, root),
    kind: frame ? kindOf(frame) : "",
    path: frame?.path ? (frame.kind === "python" && line > 0 ? `${frame.path}:${line}` : frame.path) : "",
    total: `${share(whole, total)}, ${amount(unit, total)}`,
    self: `${share(whole, self)}, ${amount(unit, self)}`,
  };
}

/** One sentence about a frame, for a screen reader. */
export function sentence(tree: FlameTree, node: number, measure: Measure): string {
  const words = said(tree, node, measure);
  const children = (tree.childStart[node + 1] as number) - (tree.childStart[node] as number);
  const kind = words.kind === "" ? "" : `, ${words.kind}`;
  const place = words.path === "" ? "" : `, ${words.path}`;
  return `${words.name}${kind}${place}: ${words.total}; itself ${words.self}; row ${(tree.row[node] as number) + 1}, calls ${children}.`;
}

/** Remarks about the whole chart. */
export function notes(answer: StacksAnswer, isSpan: boolean): string[] {
  const found: string[] = [];
  if (answer.stacks_percent !== undefined && answer.stacks_percent < 99 && !answer.is_part)
    found.push(`The stacks that are kept are ${finePercent(answer.stacks_percent)} of the run's time.`);
  if (answer.kind === "memory" && isSpan) found.push("Memory by stack is known for the whole run only, not for the span.");
  if (answer.unit === "samples") found.push("This profile counts samples; how long one is, it does not say.");
  if (answer.is_cut) found.push("Some stacks were too long to be read whole.");
  return found;
}
