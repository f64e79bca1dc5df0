// gui/tests/units.test.ts - the order of units of work.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkUnit } from "../src/model/answers";
import { sortedUnits } from "../src/overview/unit_table";

const unit = (name: string, total_s: number): WorkUnit => ({
  name, count: 1, running: 0, total_s, p50_s: total_s, p99_s: total_s, cpu_s: 0, peak_mb: 0, growth_mb: 0, lines: [],
});
const UNITS = [unit("b", 2), unit("c", 3), unit("a", 2)];
const names = (units: WorkUnit[]) => units.map(({ name }) => name).join("");

test("units are in the order that is chosen, and else in that of their names", () => {
  assert.equal(names(sortedUnits(UNITS, "total_s", false)), "cab");
  assert.equal(names(sortedUnits(UNITS, "total_s", true)), "abc");
  assert.equal(names(sortedUnits(UNITS, "name", true)), "abc");
  assert.equal(names(sortedUnits(UNITS, "name", false)), "cba");
  assert.equal(names(UNITS), "bca");
});
