// gui/src/diff/answers.ts - the answers about a comparison; "api/diff" is what `scalene diff --json --all` writes.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame } from "../flame/answer";
import type { Code } from "../model/answers";

export type Verdict = "certain" | "not certain" | "not enough data" | "small" | "equal";

export interface Difference {
  before: number;
  after: number;
  change: number;
  error: number;
  verdict: Verdict;
}

/** By key: "time_s", "peak_mb". */
export type Numbers = Record<string, Difference>;

export interface Spot {
  /** As it is shown. */
  file: string;
  path: string;
  line: number;
  /** Of a line. */
  source?: string;
  /** Of a function. */
  name?: string;
}

export interface Compared {
  before?: Spot | null;
  after?: Spot | null;
  /** Of calls: file and function, outermost first. */
  stack?: [string, string][];
  numbers: Numbers;
}

export interface Limit extends Partial<Difference> {
  limit: string;
  outcome: "kept" | "exceeded" | "open";
}

export type TableId = "lines" | "functions" | "stacks";

export type DiffAnswer = Record<TableId, Compared[]> & {
  runs_before: number;
  runs_after: number;
  same: boolean;
  notes: string[];
  numbers: Numbers;
  limits: Limit[];
};

export type Side = "before" | "after";

/** The calls of both versions as one tree; node 0 is all of them, and each comes behind its parent. */
export interface CallsAnswer {
  /** before, after: pair of files and first line of the function, where the page has it. */
  frames: (Frame & { before?: [number, number]; after?: [number, number] })[];
  parents: number[];
  node_frames: number[];
  /** From -2 (costs much less) to 2; 0: the same, or not certain. */
  levels: number[];
  /** Of the root without error and verdict. */
  numbers: (Pick<Difference, Side | "change"> & Partial<Difference>)[];
  folded: number;
}

export interface PairsAnswer {
  /** Files that belong together, or one that only one side has. */
  pairs: { before?: { file: string; path: string }; after?: { file: string; path: string } }[];
  left_out: number;
}

export interface SourceLine {
  code: Code;
  /** The line that it is on the other side; without a pair, in a file that the page does not have. */
  pair?: number;
  line?: number;
}

export interface Stretch {
  pair?: number;
  start: number;
  end: number;
}

export interface SourcesAnswer {
  before?: { lines: SourceLine[] };
  after?: { lines: SourceLine[] };
  functions: { name: string; before?: Stretch; after?: Stretch }[];
}

export const diffQuestion = "api/diff";
export const callsTreeQuestion = "api/diff?of=stacks";
export const pairsQuestion = "api/diff?of=files";
export const sourcesQuestion = (pair: number) => `api/diff?of=sources&pair=${pair}`;
