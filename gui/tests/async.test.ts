// gui/tests/async.test.ts - the order of the functions whose tasks wait.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { sortedWaits, type Wait } from "../src/async/answer";

const wait = (name: string, percent: number, rest: Partial<Wait> = {}): Wait => ({
  name,
  percent,
  file: 0,
  lineno: 1,
  lines: [],
  lines_left_out: 0,
  ...rest,
});
const WAITS = [wait("b", 60, { mean: 2, peak: 9 }), wait("c", 30, { mean: 5, peak: 6 }), wait("a", 10)];
const order = (...by: [Parameters<typeof sortedWaits>[1], boolean]) => sortedWaits(WAITS, ...by).map((one) => one.name).join("");

test("waits are sorted by each of their numbers, and by name, both ways", () => {
  assert.equal(order("percent", false), "bca");
  assert.equal(order("percent", true), "acb");
  assert.equal(order("mean", false), "cba"); // a number that was not measured is the least
  assert.equal(order("peak", false), "bca");
  assert.equal(order("name", false), "abc");
  assert.equal(order("name", true), "cba");
});
