// gui/src/diff/align.ts - two texts side by side: lines that are the same ones, as the comparison has it, stand in one row.
//
// Lines that were moved past others cannot all do so: the longest series of those in the same order on both sides does,
// and each other one stands alone and says where it is on the other side.
//
// SPDX-License-Identifier: Apache-2.0
import { plain } from "../parts/code_text";
import type { SourceLine } from "./answers";

export interface Lines {
  /** The pair of files that they are of. */
  pair: number;
  lines: readonly SourceLine[];
  /** The first and the last line, from 1 on. */
  start: number;
  end: number;
}

export interface Row {
  /** Numbers of lines; one of them may be absent. */
  before?: number;
  after?: number;
  /** Both lines have the same text, without the blanks around it. */
  isSame: boolean;
}

const text = (lines: Lines, line: number) => plain(lines.lines[line - 1]?.code ?? []).trim();

/** The longest part of a list that rises, as indices. */
export function rising(values: readonly number[]): number[] {
  const ends: number[] = []; // per length: the index of the smallest value that such a series ends with
  const before: number[] = [];
  values.forEach((value, index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    before.push(low > 0 ? (ends[low - 1] as number) : -1);
    ends[low] = index;
  });
  const found: number[] = [];
  for (let index = ends[ends.length - 1] ?? -1; index >= 0; index = before[index] as number) found.push(index);
  return found.reverse();
}

export function sideBySide(before: Lines | undefined, after: Lines | undefined): Row[] {
  const rows: Row[] = [];
  let left = before?.start ?? 1;
  let right = after?.start ?? 1;
  const alone = (to: number, until: number) => {
    for (; before && left < to; left += 1) rows.push({ before: left, isSame: false });
    for (; after && right < until; right += 1) rows.push({ after: right, isSame: false });
  };
  if (before && after) {
    const matched: { line: number; other: number }[] = [];
    for (let line = after.start; line <= after.end; line += 1) {
      const of = after.lines[line - 1];
      if (of?.line !== undefined && of.pair === before.pair && of.line >= before.start && of.line <= before.end)
        matched.push({ line, other: of.line });
    }
    for (const index of rising(matched.map(({ other }) => other))) {
      const { line, other } = matched[index] as { line: number; other: number };
      alone(other, line);
      rows.push({ before: other, after: line, isSame: text(before, other) === text(after, line) });
      left = other + 1;
      right = line + 1;
    }
  }
  alone((before?.end ?? 0) + 1, (after?.end ?? 0) + 1);
  return rows;
}

/** Rows around each one that is worth reading. */
const AROUND = 3;
/** A shorter gap is not worth a row of its own. */
const SHORT = 4;

export interface Gap {
  gap: number;
  /** Index of its first row. */
  first: number;
}

/** The rows with gaps in place of long stretches in which nothing is worth reading, except those that are open. */
export function folded(rows: readonly Row[], isWorth: (row: Row) => boolean, open: ReadonlySet<number>): (Row | Gap)[] {
  const isNear = new Uint8Array(rows.length);
  rows.forEach((row, index) => {
    if (!row.isSame || isWorth(row)) isNear.fill(1, Math.max(index - AROUND, 0), index + AROUND + 1);
  });
  const found: (Row | Gap)[] = [];
  for (let index = 0; index < rows.length; ) {
    let end = index;
    while (end < rows.length && isNear[end] === 0) end += 1;
    if (end - index >= SHORT && !open.has(index)) {
      found.push({ gap: end - index, first: index });
      index = end;
      continue;
    }
    end = Math.max(end, index + 1);
    for (; index < end; index += 1) found.push(rows[index] as Row);
  }
  return found;
}
