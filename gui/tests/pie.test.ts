// gui/tests/pie.test.ts - shares as wedges of a circle.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { costFacts } from "../src/model/cost_words";
import { memoryWedges, stopsOf } from "../src/parts/pie";

test("wedges follow each other, and the rest is empty", () => {
  const stops = stopsOf([
    { tone: "memory-python", percent: 25 },
    { tone: "memory-native", percent: 30 },
  ]);
  assert.equal(stops, "var(--memory-python) 0.0% 25.0%, var(--memory-native) 25.0% 55.0%, var(--pie-rest) 55.0%");
});

test("a small share is seen, none is not, and nothing is more than all", () => {
  assert.equal(stopsOf([{ tone: "gpu", percent: 0.2 }]), "var(--gpu) 0.0% 3.0%, var(--pie-rest) 3.0%");
  assert.equal(stopsOf([{ tone: "gpu", percent: 0 }]), "var(--pie-rest) 0.0%");
  assert.equal(stopsOf([{ tone: "gpu", percent: Number.NaN }]), "var(--pie-rest) 0.0%");
  assert.equal(stopsOf([{ tone: "gpu", percent: 1e300 }]), "var(--gpu) 0.0% 100.0%, var(--pie-rest) 100.0%");
});

test("memory is parted into Python's and other, where that is known", () => {
  assert.deepEqual(memoryWedges(40, undefined), [{ tone: "memory", percent: 40 }]);
  assert.deepEqual(memoryWedges(40, 25), [
    { tone: "memory-python", percent: 10 },
    { tone: "memory-native", percent: 30 },
  ]);
});

test("the box has the share of all that was allocated, where there is one", () => {
  const memory = (usage: number) =>
    costFacts({ malloc_mb: 50, python_fraction: 0.5, usage_fraction: usage }, "memory_usage")[0]?.facts ?? [];
  const share = memory(0.25).find((fact) => fact.name === "of all that was allocated");
  assert.equal(share?.value, "25%");
  assert.deepEqual(share?.wedges, memoryWedges(25, 50));
  assert.equal(memory(0).find((fact) => fact.name === "of all that was allocated"), undefined);
});
