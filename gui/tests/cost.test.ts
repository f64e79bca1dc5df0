// gui/tests/cost.test.ts - the box beside a number: what it tells, and in which order.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CostAnswer, Overview } from "../src/model/answers";
import { costFacts, howMeasured } from "../src/model/cost_words";

const cost: CostAnswer = {
  percent: 39.5,
  error_percent: 6.5,
  cumulative_percent: 39.6,
  samples: 79,
  time: { native: 0.75, python: 0 },
  waits: { gil: 0.286 },
  peak_mb: 86.4,
  malloc_mb: 1270,
  malloc_error_mb: 30,
  mallocs: 12,
};

test("a share stands with its error, and what is nothing is left out", () => {
  const time = costFacts(cost, "python")[0];
  assert.deepEqual(time?.facts, [
    { name: "of the run's time", value: "39.50 ± 6.5 %" },
    { name: "native", value: "750 ms", kind: "native" },
    { name: "waits: interpreter lock", value: "286 ms", kind: "waiting" },
  ]);
});

test("the group of the number that was pointed at comes first", () => {
  assert.equal(costFacts(cost, "memory_peak")[0]?.title, "Memory");
  assert.equal(costFacts(cost, "native")[0]?.title, "Time");
  assert.deepEqual(
    costFacts(cost, undefined).map((group) => group.title),
    ["Time", "Memory"],
  );
});

test("how it was measured says when it rests on little", () => {
  const overview = { foreign: false, interval_s: 0.01 } as Overview;
  assert.equal(howMeasured(cost, overview), "From 79 samples, one per 10 ms of CPU time.");
  assert(howMeasured({ samples: 3 }, overview).includes("so few"));
  assert(howMeasured({}, overview).startsWith("No sample"));
  assert(howMeasured(cost, { foreign: true } as Overview).includes("another profiler"));
});
