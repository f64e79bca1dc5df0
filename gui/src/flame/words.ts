// gui/src/flame/words.ts - the texts about a frame: in the box, to a screen reader, in the notes.
//
// SPDX-License-Identifier: Apache-2.0
import { countOf, duration, finePercent, megabytes } from "../model/number";
import type { Frame, FrameKind, StacksAnswer, StackUnit } from "./answer";
import { isMemory } from "./kinds";
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
  /** What each number is, and the number. */
  numbers: [string, string][];
}

/** The unit of the numbers, the name of the outermost box, and the whole. */
export interface Measure {
  unit: StackUnit;
  root: string;
  /** What 100 % is. */
  whole: number;
  /** The numbers of a node, where they are others than total and self. */
  numbers?: (node: number) => [string, string][];
}

/** What the numbers of a node are: total and self, or in a tree turned around the self time of the frame above. */
function numbersOf(tree: FlameTree, node: number, { unit, root, whole, numbers }: Measure): [string, string][] {
  if (numbers) return numbers(node);
  const text = (value: number) => `${share(whole, value)}, ${amount(unit, value)}`;
  const total = text(tree.totals[node] as number);
  if (!tree.isInverted) return [["total", total], ["self", text(tree.self[node] as number)]];
  if (node === 0) return [["total", total]];
  if (tree.row[node] === 1) return [["self", total]];
  let inner = node;
  while ((tree.row[inner] as number) > 1) inner = tree.parent[inner] as number;
  return [[`self of ${nameOf(tree, inner, root)}, called from here`, total]];
}

export function said(tree: FlameTree, node: number, measure: Measure): Said {
  const frame = frameOf(tree, node);
  const line = tree.line[node] as number;
  return {
    name: nameOf(tree, node, measure.root),
    kind: frame ? kindOf(frame) : "",
    path: frame?.path ? (frame.kind === "python" && line > 0 ? `${frame.path}:${line}` : frame.path) : "",
    numbers: numbersOf(tree, node, measure),
  };
}

/** One sentence about a frame, for a screen reader. */
export function sentence(tree: FlameTree, node: number, measure: Measure): string {
  const words = said(tree, node, measure);
  const children = (tree.childStart[node + 1] as number) - (tree.childStart[node] as number);
  const kind = words.kind === "" ? "" : `, ${words.kind}`;
  const place = words.path === "" ? "" : `, ${words.path}`;
  const numbers = words.numbers.map(([title, number]) => `${title} ${number}`).join("; ");
  const others = !tree.isInverted ? `calls ${children}` : node > 0 ? `called by ${children}` : `${children} below`;
  return `${words.name}${kind}${place}: ${numbers}; row ${(tree.row[node] as number) + 1}, ${others}.`;
}

/** Remarks about the whole chart. */
export function notes(answer: StacksAnswer, isSpan: boolean): string[] {
  const found: string[] = [];
  if (answer.stacks_percent !== undefined && answer.stacks_percent < 99 && !answer.is_part)
    found.push(`This chart covers ${finePercent(answer.stacks_percent)} of the run.`);
  if (answer.kind === "moment") found.push("Stacks of memory are noted from time to time: this is what was in use at the last such moment before the chosen one.");
  else if (isMemory(answer.kind) && isSpan) found.push("Memory by stack is known for the whole run only, not for the span.");
  if (answer.unit === "samples") found.push("This profile counts samples; how long one is, it does not say.");
  if (answer.is_cut) found.push("Some stacks were too long to be read whole.");
  return found;
}

/** Why there is no chart. */
export function emptyText(answer: StacksAnswer, isSpan: boolean, isThread: boolean): string {
  if (answer.kind === "waiting") return "Nothing waited here.";
  if (answer.kind === "cpu") return "Nothing was on a CPU here.";
  if (isSpan && answer.is_part) return "No stack was seen in this span of time.";
  if (isThread && answer.is_part) return "No stack of this thread was seen: it ran for too short a time.";
  return isMemory(answer.kind)
    ? "This profile has no stacks of allocations."
    : "This profile has no call stacks: it was made with --no-stacks, or nothing ran long enough.";
}
