// gui/tests/moment.test.ts - what was in memory at a moment.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Holder, liveAt, type MemoryAnswer, mostIn, rowsAt } from "../src/memory/moment";

const holder = (lineno: number, curve: [number, number][], rest: Partial<Holder> = {}): Holder => ({
  file: 0,
  lineno,
  text: `line ${lineno}`,
  peak_mb: Math.max(...curve.map((point) => point[1])),
  at_peak_mb: 0,
  at_exit_mb: curve[curve.length - 1]?.[1] ?? 0,
  allocated_mb: 0,
  curve,
  ...rest,
});
const KEPT = holder(1, [[1, 10], [4, 30]], { at_peak_mb: 10, allocated_mb: 31 });
const FREED = holder(2, [[2, 50], [3, 0]], { at_peak_mb: 50, allocated_mb: 70 });
const ANSWER: MemoryAnswer = { line_count: 2, rows: [KEPT, FREED] };
const shown = (moment: Parameters<typeof rowsAt>[1]) => rowsAt(ANSWER, moment).map((row) => [row.holder.lineno, row.mb, row.other_mb]);

test("live memory holds until the next point, and there is none before the first", () => {
  assert.deepEqual([0.5, 1, 3.9, 4, 9].map((seconds) => liveAt(KEPT.curve, seconds)), [0, 10, 10, 30, 30]);
  assert.equal(liveAt([], 1), 0);
});

test("the most in a span counts what was there when it began", () => {
  assert.equal(mostIn(FREED.curve, 2.5, 3.5), 50);
  assert.equal(mostIn(FREED.curve, 3, 4), 0);
  assert.equal(mostIn(KEPT.curve, 0, 9), 30);
});

test("each moment has its lines, the largest first", () => {
  assert.deepEqual(shown({ kind: "peak" }), [[2, 50, 0], [1, 10, 30]]);
  assert.deepEqual(shown({ kind: "end" }), [[1, 30, 31]]);
  assert.deepEqual(shown({ kind: "freed" }), [[2, 70, 70], [1, 1, 31]]);
  assert.deepEqual(shown({ kind: "own" }), [[2, 50, 50], [1, 30, 10]]);
  assert.deepEqual(shown({ kind: "at", seconds: 1.5 }), [[1, 10, 30]]);
});

test("a span shows growth, also of lines that gave back what they held", () => {
  assert.deepEqual(shown({ kind: "span", from: 2.5, to: 5 }), [[1, 20, 30], [2, -50, 50]]);
  assert.deepEqual(shown({ kind: "span", from: 1.5, to: 3.5 }), [[2, 0, 50], [1, 0, 10]]);
});
