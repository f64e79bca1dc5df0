// editor/src/answers.ts - what the command answers, as far as it is used here; docs/terminal-view.md and docs/diff.md have all.
//
// SPDX-License-Identifier: Apache-2.0

export interface Cost {
  percent: number;
  seconds: number;
  python_percent: number;
  native_percent: number;
  system_percent: number;
  await_percent: number;
  gpu_s: number;
  peak_mb: number;
  copy_mb_s: number;
  heat: number; // 0 to 3
}

export interface Line extends Cost {
  file: string;
  line: number;
  source: string;
}

export interface Routine extends Cost {
  file: string;
  line: number | null;
  name: string;
  total_percent: number;
}

export interface Finding {
  file: string | null;
  line: number | null;
  percent: number;
  text: string;
  why: string | null;
}

export interface Summary {
  program: string;
  total_s: number;
  peak_mb: number | null;
}

/** `scalene view --json`. */
export interface Report {
  summary: Summary;
  findings: Finding[];
  lines: Line[];
  functions: Routine[];
  notes: string[];
}

/** `scalene view --json --file FILE`. */
export interface FileReport {
  file: string;
  source_changed: boolean;
  summary: Summary;
  source: string[] | null; // as it was profiled
  lines: Line[];
}

export interface Call {
  name: string;
  file: string;
  line: number | null;
  percent: number;
}

/** `scalene view --json --line FILE:LINE`; what is 0 is not there. */
export interface LineReport {
  file: string;
  line: number;
  cost: Cost & { [key: string]: number | Record<string, number> | undefined };
  function: (Cost & { name: string; line: number; total_percent?: number }) | null;
  callers: Call[];
  callees: Call[];
  findings: Finding[];
}

export interface Place {
  file: string;
  path: string;
  line: number;
  name?: string;
  source?: string;
}

export interface Change {
  before: number;
  after: number;
  change: number;
  error: number;
  verdict: string;
}

export interface Changed {
  before: Place | null;
  after: Place | null;
  numbers: Record<string, Change>;
}

/** `scalene diff --json`. */
export interface Difference {
  notes: string[];
  numbers: Record<string, Change>;
  lines: Changed[];
  functions: Changed[];
}
