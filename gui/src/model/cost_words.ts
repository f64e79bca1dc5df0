// gui/src/model/cost_words.ts - all that is known of a place, as names and values in groups.
//
// SPDX-License-Identifier: Apache-2.0
import { type CostAnswer, type GpuSummary, isUsed, type Overview } from "./answers";
import { memoryWedges, type Wedge } from "../parts/pie";
import { countOf, duration, finePercent, megabytes, megabytesWithError } from "./number";

export interface Fact {
  name: string;
  value: string;
  kind?: string;
  /** A share of a whole, as a pie. */
  wedges?: Wedge[];
}

export interface FactGroup {
  title: string;
  /** Columns of tables that show numbers of the group. */
  columns: string[];
  facts: Fact[];
}

/** The title and the kind of each time in api/cost. */
const TIME_NAMES: Record<string, [string, string]> = {
  python: ["Python", "python"],
  native: ["native", "native"],
  system: ["system", "system"],
  kernel: ["system calls", "system"],
  preempted_kernel: ["ready in a system call", "system"],
  preempted_python: ["Python, ready without a CPU", "python"],
  preempted_native: ["native, ready without a CPU", "native"],
  io: ["input and output", "waiting"],
  sleep: ["asleep", "waiting"],
  lock: ["waiting for a lock", "waiting"],
  gil: ["waiting for the interpreter lock", "waiting"],
  other_wait: ["other waits", "waiting"],
};

const WAIT_NAMES: Record<string, string> = { gil: "interpreter lock", io: "input and output" };

/** "preempted_kernel" -> "preempted kernel", for what has no better name here. */
const words = (name: string) => name.replaceAll("_", " ");

/** Parts of the time that belong to any kind of it. */
const PARTS: readonly [keyof CostAnswer, string][] = [
  ["importing_s", "importing modules"],
  ["freeing_s", "freeing objects"],
  ["gc_s", "garbage collection"],
  ["worker_threads_s", "in worker threads"],
];

function timeFacts(cost: CostAnswer): Fact[] {
  const facts: Fact[] = [];
  if (cost.percent !== undefined) {
    const error = cost.error_percent === undefined ? "" : ` ± ${cost.error_percent.toFixed(1)}`;
    facts.push({ name: "of the run's time", value: `${cost.percent.toFixed(2)}${error} %` });
  }
  if (cost.cumulative_percent !== undefined && cost.cumulative_percent > 0)
    facts.push({ name: "with all it calls", value: `${Math.max(cost.cumulative_percent, cost.percent ?? 0).toFixed(2)} %` });
  const times = Object.entries(cost.time ?? {}).filter(([, seconds]) => seconds > 0);
  const all_s = times.reduce((sum, [, seconds]) => sum + seconds, 0);
  for (const [name, seconds] of times) {
    const [title, kind] = TIME_NAMES[name] ?? [words(name), ""];
    const share = cost.percent === undefined ? "" : ` (${((cost.percent * seconds) / all_s).toFixed(2)} %)`;
    facts.push({ name: title, value: `${duration(seconds)}${share}`, ...(kind === "" ? {} : { kind }) });
  }
  for (const [name, seconds] of Object.entries(cost.waits ?? {}))
    if (seconds > 0) facts.push({ name: `waits: ${WAIT_NAMES[name] ?? words(name)}`, value: duration(seconds), kind: "waiting" });
  for (const { place, seconds } of cost.gil_holders ?? [])
    if (seconds > 0) facts.push({ name: `of it, while ${place} had the lock`, value: duration(seconds), kind: "waiting" });
  for (const [key, name] of PARTS) {
    const seconds = cost[key] as number | undefined;
    if (seconds !== undefined && seconds > 0) facts.push({ name: `of it, ${name}`, value: duration(seconds) });
  }
  if (cost.core_utilization !== undefined && cost.core_utilization > 0)
    facts.push({ name: "cores in use", value: cost.core_utilization.toFixed(2) });
  return facts;
}

type Number_ = keyof CostAnswer;

const MEMORY: readonly [Number_, string][] = [
  ["peak_mb", "peak"],
  ["avg_mb", "average"],
  ["growth_mb", "growth"],
  ["live_at_peak_mb", "alive at the program's peak"],
  ["live_at_exit_mb", "alive at the end"],
];

/** The value including memory that was never touched; 0 where that is no more, or not known. */
function allocatedOf(cost: CostAnswer, key: Number_): number {
  if (key === "peak_mb") return cost.peak_allocated_mb ?? 0;
  return key === "live_at_exit_mb" ? (cost.live_at_exit_allocated_mb ?? 0) : 0;
}

function errorOf(cost: CostAnswer, key: Number_): number | undefined {
  if (key === "peak_mb") return cost.peak_error_mb;
  return key === "live_at_exit_mb" ? cost.live_at_exit_error_mb : undefined;
}

function memoryFacts(cost: CostAnswer): Fact[] {
  const facts: Fact[] = [];
  for (const [key, name] of MEMORY) {
    const value = cost[key];
    if (typeof value !== "number") continue;
    const allocated = allocatedOf(cost, key);
    const error_mb = errorOf(cost, key);
    if (allocated > 0) facts.push({ name, value: `${megabytes(allocated)} allocated, ${megabytes(value)} touched` });
    else if (value !== 0) facts.push({ name, value: megabytesWithError(value, error_mb) });
  }
  const python = cost.python_fraction === undefined ? undefined : 100 * cost.python_fraction;
  const share = 100 * (cost.usage_fraction ?? 0);
  if (cost.malloc_mb !== undefined && cost.malloc_mb > 0) {
    facts.push({ name: "allocated in all", value: megabytesWithError(cost.malloc_mb, cost.malloc_error_mb) });
  }
  if (cost.churn_mb) facts.push({ name: "small objects freed at once", value: megabytes(cost.churn_mb) });
  if (share > 0)
    facts.push({ name: "of all that was allocated", value: finePercent(share), wedges: memoryWedges(share, python) });
  if (python !== undefined && (share > 0 || (cost.malloc_mb ?? 0) > 0))
    facts.push({ name: "by Python's own objects", value: finePercent(python), wedges: memoryWedges(100, python) });
  if (cost.mallocs !== undefined && cost.mallocs > 0) facts.push({ name: "in", value: countOf(cost.mallocs, "allocation") });
  if (cost.copy_mb_s !== undefined && cost.copy_mb_s > 0) {
    const error = cost.copy_error_mb_s ? ` ± ${megabytes(cost.copy_error_mb_s)}/s` : "";
    facts.push({ name: "copied", value: `${megabytes(cost.copy_mb_s)}/s${error}` });
  }
  return facts;
}

function awaitFacts(cost: CostAnswer): Fact[] {
  if (!cost.await_percent) return [];
  const wedges = [{ tone: "await", percent: cost.await_percent }];
  const facts: Fact[] = [{ name: "of all await time", value: finePercent(cost.await_percent), wedges }];
  if (cost.await_mean) facts.push({ name: "tasks that wait here, on average", value: cost.await_mean.toFixed(1) });
  if (cost.await_peak) facts.push({ name: "at most", value: String(cost.await_peak) });
  if (cost.task_names?.length) facts.push({ name: "tasks", value: cost.task_names.join(", ") });
  return facts;
}

const GPU_MEMORY: readonly [Number_, string][] = [
  ["gpu_to_device_mb", "copied to the device"],
  ["gpu_from_device_mb", "copied from the device"],
  ["gpu_malloc_mb", "device memory taken in all"],
  ["gpu_live_mb", "at most at once"],
  ["gpu_avg_mb", "device memory in use meanwhile, average"],
  ["gpu_peak_mb", "device memory in use meanwhile, peak"],
];

function gpuFacts(cost: CostAnswer): Fact[] {
  const facts: Fact[] = [];
  if (cost.gpu_s) facts.push({ name: "device time of what it launched", value: duration(cost.gpu_s) });
  if (cost.gpu_launches) facts.push({ name: "in", value: countOf(cost.gpu_launches, "kernel") });
  if (cost.gpu_idle_s) facts.push({ name: "device had nothing to do while here", value: duration(cost.gpu_idle_s) });
  if (cost.gpu_percent)
    facts.push({
      name: "load of the device meanwhile",
      value: finePercent(cost.gpu_percent),
      wedges: [{ tone: "gpu", percent: cost.gpu_percent }],
    });
  for (const [key, name] of GPU_MEMORY) {
    const value = cost[key];
    if (typeof value === "number" && value > 0) facts.push({ name, value: megabytes(value) });
  }
  return facts;
}

function neuronFacts(cost: CostAnswer): Fact[] {
  if (!cost.nrt_s) return [];
  const facts: Fact[] = [{ name: "calls of the Neuron runtime from here", value: duration(cost.nrt_s) }];
  if (cost.nrt_percent) facts.push({ name: "of the time of all its calls", value: finePercent(cost.nrt_percent) });
  if (cost.nc_s) facts.push({ name: "the cores worked for them", value: duration(cost.nc_s) });
  if (cost.nc_overlap_percent !== undefined)
    facts.push({ name: "no core worked while here", value: finePercent(100 - cost.nc_overlap_percent) });
  return facts;
}

/** Where the device's numbers come from, and whose they are; "" where the place has none. */
function howGpuMeasured(cost: CostAnswer, gpu: GpuSummary | undefined): string {
  if (!gpu || gpuFacts(cost).length === 0) return "";
  const said: string[] = [];
  if (gpu.trace) said.push(`The device's times, load, bytes and memory taken are exact, reported by the device itself (${gpu.trace}).`);
  const asked = [...(cost.gpu_percent && !gpu.trace ? ["load"] : []), ...(cost.gpu_peak_mb ? ["memory in use"] : [])];
  const used = gpu.devices.filter(isUsed);
  const shared = [
    ...(asked.includes("load") && used.some((device) => device.shared_load) ? ["load"] : []),
    ...(cost.gpu_peak_mb && used.some((device) => device.shared_memory) ? ["memory in use"] : []),
  ];
  const are = (list: readonly string[], one: string, many: string) => `The ${list.join(" and ")} ${list.length > 1 ? many : one}`;
  if (asked.length > 0) said.push(`${are(asked, "was", "were")} asked of the driver now and then.`);
  if (shared.length > 0) said.push(`${are(shared, "is", "are")} of the whole device, whoever used it.`);
  return said.join(" ");
}

/** column: of the number that was pointed at; its group comes first. */
export function costFacts(cost: CostAnswer, column: string | undefined): FactGroup[] {
  const groups: FactGroup[] = [
    { title: "Time", columns: ["self", "total", "python", "native", "system", "waiting"], facts: timeFacts(cost) },
    { title: "Await", columns: ["await"], facts: awaitFacts(cost) },
    { title: "GPU", columns: ["gpu", "gpu_time", "gpu_idle", "gpu_memory", "gpu_allocated"], facts: gpuFacts(cost) },
    { title: "Neuron", columns: ["neuron_runtime", "neuron_cores", "neuron_unused"], facts: neuronFacts(cost) },
    {
      title: "Memory",
      columns: ["memory_python", "memory_peak", "memory_average", "memory_timeline", "memory_usage", "copy"],
      facts: memoryFacts(cost),
    },
  ];
  const isFirst = (group: FactGroup) => column !== undefined && group.columns.includes(column);
  return [...groups.filter(isFirst), ...groups.filter((group) => !isFirst(group))].filter((group) => group.facts.length > 0);
}

function howSampled(cost: CostAnswer, overview: Overview): string {
  if (overview.foreign) return "Measured by another profiler, which does not say how many samples this rests on.";
  if (cost.samples === undefined) return "No sample of time fell on this place.";
  const every = overview.interval_s ? `, one per ${duration(overview.interval_s)} of CPU time` : "";
  const few = cost.samples < 8 ? "; so few that it says little more than that there was something" : "";
  return `From ${countOf(cost.samples, "sample")}${every}${few}.`;
}

/** On what the numbers rest, in a sentence or two. */
export function howMeasured(cost: CostAnswer, overview: Overview): string {
  return [howSampled(cost, overview), howGpuMeasured(cost, overview.gpu)].filter((text) => text !== "").join(" ");
}
