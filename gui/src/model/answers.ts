// gui/src/model/answers.ts - the answers of the program, as docs/design/0010-page.md describes them.
//
// Numbers carry their unit in the name. A part that was not measured is absent.
//
// SPDX-License-Identifier: Apache-2.0

export type Kind = "python" | "native" | "system";
export type Heat = "none" | "mild" | "warm" | "hot";
export type Unit = "percent" | "megabytes" | "mb_per_second" | "seconds" | "curve";
export type Mode = "hot" | "functions" | "all";

/** Pairs of seconds and MB. */
export type Curve = [number, number][];

/** Pairs of style and text. */
export type Code = [string, string][];

export interface Share {
  name: string;
  percent: number;
  seconds: number;
}

/** A line or function among the most expensive. */
export interface Hot {
  file: number;
  lineno: number;
  place: string;
  text: string;
  percent: number;
  kinds: Record<Kind, number>;
  heat: Heat;
  /** Only in memory_lines. */
  peak_mb?: number;
  python_fraction?: number;
  /** Only in await_lines. */
  await_percent?: number;
  await_mean?: number;
  await_peak?: number;
  /** Only in the lists of gpu. */
  gpu_s?: number;
  gpu_idle_s?: number;
  gpu_live_mb?: number;
  /** Only in hot_functions: the time with calls, where it differs. */
  cumulative_percent?: number;
}

export interface Finding {
  id: string;
  text: string;
  why?: string;
  percent: number;
  file?: number;
  lineno?: number;
  end_lineno?: number;
  can_ask: boolean;
}

export interface Loss {
  id: string;
  text: string;
  count: number;
}

export interface Column {
  id: string;
  group: string;
  group_title: string;
  title: string;
  unit: Unit;
  /** What its numbers are of, where a part of the run is selected: the part, or still the whole run. */
  of?: string;
}

/** The answer "api/part". */
export interface PartAnswer {
  from_s: number;
  to_s: number;
  unit: "s" | "samples";
  total: number;
  samples: number;
  /** Each file that has any of the part, and how much of it in %. */
  files: [number, number][];
  /** In % of the part, as the overview has them of the run. */
  kinds: Record<Kind, number>;
  hot_lines: Hot[];
  hot_functions: Hot[];
}

export interface Leak {
  file: number;
  lineno: number;
  likelihood: number;
  velocity_mb_s: number;
}

export interface MemorySummary {
  peak_mb: number;
  peak_error_mb?: number;
  peak_file?: number;
  peak_lineno?: number;
  python_fraction?: number;
  growth_rate?: number;
  native_mb?: number;
  allocated_mb?: number;
  copied_mb?: number;
  live_at_exit_mb?: number;
  live_at_exit_error_mb?: number;
  /** Including memory that was never touched; 0 when that is no more than peak_mb. */
  peak_allocated_mb?: number;
  max_rss_mb?: number;
  unaccounted_mb?: number;
  footprint?: Curve;
  rss?: Curve;
  leaks?: Leak[];
}

export interface GpuDevice {
  name: string;
  load_percent: number;
  peak_mb: number;
  total_mb?: number;
  /** The load is that of the whole device, by all processes that use it. */
  shared_load: boolean;
  shared_memory: boolean;
}

/** A device below both limits counts as unused (src/report/gpu.c). */
export function isUsed(device: GpuDevice): boolean {
  return device.load_percent >= 0.5 || device.peak_mb >= 1;
}

/** What the devices did. The times are exact, and absent where devices were not traced. */
export interface GpuSummary {
  /** "GPU", "GPUs", "Neuron device" ... */
  noun: string;
  /** "GPU busy 45%", where there was any use. */
  fact?: string;
  load_percent: number;
  peak_mb: number;
  devices: GpuDevice[];
  devices_left_out: number;
  trace?: string;
  kernel_s?: number;
  copy_s?: number;
  traced_s?: number;
  busy_s?: number;
  idle_s?: number;
  idle_percent?: number;
  launches?: number;
  to_device_mb?: number;
  from_device_mb?: number;
  facts: string[];
  /** Pairs of seconds and %. */
  load?: Curve;
  memory?: Curve;
  lines: Hot[];
  idle_lines: Hot[];
  memory_lines: Hot[];
}

export interface Thread {
  name: string;
  /** The id in the timeline and in the address. */
  id: string;
  pid: number;
  tid: number;
  cpu_s: number;
  cpu_percent: number;
  is_native: boolean;
  waits: Share[];
}

export interface Process {
  pid: number;
  parent_pid: number;
  command: string;
  cpu_s: number;
  cpu_percent: number;
  max_rss_mb: number;
  ending?: string;
}

/** A unit of work: what was done while a label of this name was set. */
export interface WorkUnit {
  name: string;
  count: number;
  running: number;
  total_s: number;
  p50_s: number;
  p99_s: number;
  cpu_s: number;
  peak_mb: number;
  growth_mb: number;
  lines: { file: number; lineno: number; time_s: number }[];
}

export interface FileSummary {
  name: string;
  short_name: string;
  percent: number;
  seconds: number;
  peak_mb?: number;
  line_count: number;
  function_count: number;
  warnings: string[];
  /** Changed while the program ran. */
  changed: boolean;
  /** Changed since the run. */
  stale?: boolean;
}

export interface Overview {
  version?: string;
  title: string;
  /** The page shows a comparison of two versions, of which the overview says no more than their names. */
  comparison?: { before: string; after: string };
  command: string;
  path?: string;
  /** The program's file, where the profile names it. */
  program?: string;
  elapsed_s: number;
  /** From its beginning to its end, where profiling was off in between: what times of the run are in. */
  span_s?: number;
  cpu_s: number;
  total_s: number;
  /** What percents are shares of, where that does not go without saying: whose time, and sentences. */
  bases: { time_of?: string; time?: string; processes?: string; threads?: string };
  cores: number;
  mode?: string;
  interval_s?: number;
  python_version?: string;
  started_s?: number;
  foreign: boolean;
  ending?: string;
  /** Who of many the run was, and what its user says of it. */
  labels?: string;
  served: boolean;
  /** The page is the output of a notebook's cell. */
  notebook?: boolean;
  virtual_time?: boolean;
  total_samples?: number;
  /** memory_stacks: the stacks of memory at the peak and at the end; waiting_stacks: waiting apart from time on a CPU. */
  parts: {
    gpu: boolean;
    await: boolean;
    memory: boolean;
    memory_curves: boolean;
    memory_stacks: boolean;
    /** Moments whose stacks of memory are known; each is so until the next one. */
    memory_moments_s: number[];
    waiting_stacks: boolean;
    /** At which stacks units of work were. */
    unit_stacks: boolean;
    timeline: boolean;
    copies: boolean;
  };
  columns: Column[];
  kinds: Record<Kind, number>;
  kind_parts: Partial<Record<Kind, Share[]>>;
  marks: Share[];
  /** Of the time: ready to run, and no CPU was free. */
  no_cpu_percent?: number;
  hot_lines: Hot[];
  hot_functions: Hot[];
  memory_lines: Hot[];
  await_lines: Hot[];
  findings: Finding[];
  quality: string[];
  notes: string[];
  losses: Loss[];
  memory?: MemorySummary;
  gpu?: GpuSummary;
  threads: Thread[];
  threads_left_out: number;
  processes: Process[];
  processes_left_out?: number;
  units?: WorkUnit[];
  units_left_out?: number;
  hidden_files: { name: string; short_name: string; reason: string; percent: number }[];
  cost?: { handler_cpu_s: number; observer_cpu_s: number; percent: number };
  files: FileSummary[];
  /** What a standalone file leaves out, in sentences. */
  left_out?: string[];
}

export type Cells = Record<string, number>;

/** A row of a file's table: a line with its numbers, or a gap. */
export interface LineRow {
  lineno: number;
  code: Code;
  heat?: Heat;
  memory_heat?: Heat;
  cells?: Cells;
  curve?: Curve;
  region?: [number, number];
  loop?: [number, number];
  function?: [number, number];
  leak?: { likelihood: number; velocity_mb_s: number };
}
export interface GapRow {
  gap: number;
}
export type Row = LineRow | GapRow;

export function isGap(row: Row): row is GapRow {
  return "gap" in row;
}

/** A row that costs something: its index, its line, its own time in %, its heat and that of its memory. */
export type RowMark = [number, number, number, Heat, Heat];

export interface FileAnswer {
  file: number;
  mode: Mode;
  row_count: number;
  first: number;
  /** Only with the first rows. */
  marks?: RowMark[];
  rows: Row[];
}

export interface FunctionRow {
  name: string;
  file: number;
  lineno: number;
  end_lineno?: number;
  heat?: Heat;
  memory_heat?: Heat;
  cells?: Cells;
  curve?: Curve;
  percent?: number;
  cumulative_percent?: number;
}

export interface FunctionsAnswer {
  row_count: number;
  first: number;
  rows: FunctionRow[];
}

/** All that is known of one place. */
export interface CostAnswer {
  time?: Record<string, number>;
  waits?: Record<string, number>;
  samples?: number;
  percent?: number;
  error_percent?: number;
  cumulative_percent?: number;
  malloc_mb?: number;
  malloc_error_mb?: number;
  /** Small objects that were freed at once; not in malloc_mb. */
  churn_mb?: number;
  mallocs?: number;
  python_fraction?: number;
  /** The share of all memory that was allocated. */
  usage_fraction?: number;
  peak_mb?: number;
  peak_error_mb?: number;
  /** Including memory that was never touched; missing when that is no more than peak_mb. */
  peak_allocated_mb?: number;
  avg_mb?: number;
  growth_mb?: number;
  live_at_peak_mb?: number;
  live_at_exit_mb?: number;
  live_at_exit_error_mb?: number;
  live_at_exit_allocated_mb?: number;
  copy_mb_s?: number;
  copy_error_mb_s?: number;
  await_percent?: number;
  await_mean?: number;
  await_peak?: number;
  task_names?: string[];
  gpu_percent?: number;
  gpu_avg_mb?: number;
  gpu_peak_mb?: number;
  gpu_s?: number;
  gpu_launches?: number;
  gpu_idle_s?: number;
  gpu_to_device_mb?: number;
  gpu_from_device_mb?: number;
  gpu_malloc_mb?: number;
  gpu_live_mb?: number;
  /** Of a merged trace of AWS Neuron. */
  nrt_percent?: number;
  nrt_s?: number;
  nc_s?: number;
  nc_overlap_percent?: number;
  core_utilization?: number;
  gc_s?: number;
  /** Of a line: where other threads were that held the interpreter lock while this line waited for it. */
  gil_holders?: readonly { place: string; seconds: number }[];
  freeing_s?: number;
  importing_s?: number;
  /** Part of the time: worker threads that ran no line of the program's own, while this line waited for them. */
  worker_threads_s?: number;
}

/** A caller or a callee of a line. */
export interface CallShare {
  name: string;
  kind: "python" | "native" | "kernel";
  role?: string;
  path?: string;
  file?: number;
  /** Of a callee, the one with most of its time. */
  line?: number;
  percent: number;
}

export interface CallsAnswer {
  /** Of the run, of stacks that the line is on; 0: of none. */
  percent: number;
  self_percent: number;
  /** How much of the run's time the stacks have; absent where that is not known. */
  stacks_percent?: number;
  callers: CallShare[];
  callees: CallShare[];
  callers_left_out: number;
  callees_left_out: number;
}

export interface SearchAnswer {
  /** Functions, files, lines, each most expensive first; percent of the run's time. */
  places: { file: number; lineno: number; kind: "file" | "function" | "line"; text: string; percent: number }[];
  left_out: number;
}
