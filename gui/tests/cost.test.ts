// gui/tests/cost.test.ts - the box beside a number: what it shows, and in which order.
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
  peak_error_mb: 0.42,
  malloc_error_mb: 30,
  mallocs: 12,
};

test("a share stands with its error, and what is nothing is left out", () => {
  const time = costFacts(cost, "python")[0];
  assert.deepEqual(time?.facts, [
    { name: "of the run's time", value: "39.50 ± 6.5 %" },
    { name: "with all it calls", value: "39.60 %" },
    { name: "native", value: "750 ms (39.50 %)", kind: "native" },
    { name: "waits: interpreter lock", value: "286 ms", kind: "waiting" },
  ]);
});

test("bytes stand with their error where it shows", () => {
  const bytes = (part: CostAnswer) => costFacts(part, "memory_peak")[0]?.facts.slice(0, 2);
  assert.deepEqual(bytes(cost), [
    { name: "peak", value: "86.4 MB ± 0.4 MB" },
    { name: "allocated in all", value: "1.24 GB ± 30.0 MB" },
  ]);
  assert.deepEqual(bytes({ ...cost, peak_error_mb: 0.03 })?.[0], { name: "peak", value: "86.4 MB" });
});

test("the group of the number that was pointed at comes first", () => {
  assert.equal(costFacts(cost, "memory_peak")[0]?.title, "Memory");
  assert.equal(costFacts(cost, "native")[0]?.title, "Time");
  assert.deepEqual(
    costFacts(cost, undefined).map((group) => group.title),
    ["Time", "Memory"],
  );
});

test("what was never touched is shown beside what was", () => {
  const sparse: CostAnswer = { ...cost, peak_mb: 128, peak_allocated_mb: 512, live_at_exit_mb: 0, live_at_exit_allocated_mb: 64 };
  assert.deepEqual(costFacts(sparse, "memory_peak")[0]?.facts.slice(0, 2), [
    { name: "peak", value: "512.0 MB allocated, 128.0 MB touched" },
    { name: "alive at the end", value: "64.0 MB allocated, 0.0 MB touched" },
  ]);
});

test("how it was measured says when it rests on little", () => {
  const overview = { foreign: false, interval_s: 0.01 } as Overview;
  assert.equal(howMeasured(cost, overview), "From 79 samples, one per 10 ms of CPU time.");
  assert(howMeasured({ samples: 3 }, overview).includes("so few"));
  assert(howMeasured({}, overview).startsWith("No sample"));
  assert(howMeasured(cost, { foreign: true } as Overview).includes("another profiler"));
});

test("a merged trace of Neuron is shown beside its columns", () => {
  const merged: CostAnswer = { ...cost, nrt_s: 3.42, nrt_percent: 57.5, nc_s: 2.21, nc_overlap_percent: 37.5 };
  assert.deepEqual(costFacts(merged, "neuron_cores")[0], {
    title: "Neuron",
    columns: ["neuron_runtime", "neuron_cores", "neuron_unused"],
    facts: [
      { name: "calls of the Neuron runtime from here", value: "3.42 s" },
      { name: "of the time of all its calls", value: "58%" },
      { name: "the cores worked for them", value: "2.21 s" },
      { name: "no core worked while here", value: "63%" },
    ],
  });
});

const device = { name: "GPU 0", load_percent: 40, peak_mb: 900, shared_load: false, shared_memory: false };
const gpu = {
  noun: "GPU",
  load_percent: 40,
  peak_mb: 900,
  devices: [device],
  devices_left_out: 0,
  trace: "CUPTI 12.9",
  facts: [],
  lines: [],
  idle_lines: [],
  memory_lines: [],
};
const launching: CostAnswer = {
  samples: 20,
  percent: 3,
  gpu_percent: 88,
  gpu_peak_mb: 900,
  gpu_s: 2.207,
  gpu_launches: 12240,
  gpu_idle_s: 0.05,
  gpu_to_device_mb: 0,
  gpu_live_mb: 512,
};

test("a device's numbers stand together, and what is nothing is left out", () => {
  const group = costFacts(launching, "gpu_time")[0];
  assert.equal(group?.title, "GPU");
  assert.deepEqual(group?.facts, [
    { name: "device time of what it launched", value: "2.21 s" },
    { name: "in", value: "12,240 kernels" },
    { name: "device had nothing to do while here", value: "50 ms" },
    { name: "load of the device meanwhile", value: "88%", wedges: [{ tone: "gpu", percent: 88 }] },
    { name: "at most at once", value: "512.0 MB" },
    { name: "device memory in use meanwhile, peak", value: "900.0 MB" },
  ]);
});

test("how a device's numbers were measured, and whose they are, is said where there are any", () => {
  const overview = { foreign: false, gpu } as unknown as Overview;
  const exact = howMeasured(launching, overview);
  assert(exact.includes("reported by the device itself (CUPTI 12.9). The memory in use was asked of the driver") && !exact.includes("whole device"));
  const { trace: _untraced, ...sampled } = gpu;
  const shared = { ...device, shared_load: true, shared_memory: true };
  const others = { foreign: false, gpu: { ...sampled, devices: [shared] } } as unknown as Overview;
  const said = howMeasured({ samples: 20, gpu_percent: 88, gpu_peak_mb: 900 }, others);
  assert(said.includes("The load and memory in use were asked of the driver"));
  assert(said.includes("The load and memory in use are of the whole device, whoever used it."));
  const idle = { ...shared, load_percent: 0, peak_mb: 0 };
  const unused = { foreign: false, gpu: { ...sampled, devices: [device, idle] } } as unknown as Overview;
  assert(!howMeasured({ samples: 20, gpu_percent: 88 }, unused).includes("whole device"));
  assert(!howMeasured({ samples: 20, percent: 4 }, overview).includes("device"));
});
