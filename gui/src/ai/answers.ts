// gui/src/ai/answers.ts - the program's answers about proposals, as docs/design/0011-proposals.md describes it.
//
// SPDX-License-Identifier: Apache-2.0

export interface Field {
  id: string;
  label: string;
  secret: boolean;
  advanced: boolean;
  required: boolean;
  /** The field holds the address of the service. */
  address: boolean;
  /** The default value. */
  usual?: string;
  /** The environment sets the field; the value of a secret is never sent to the page. */
  set: boolean;
  value?: string;
}

export interface Provider {
  id: string;
  name: string;
  fields: Field[];
  /** Offered without asking the service, the usual one first. */
  models: string[];
  /** `models` depend on fields (a region) and are those for the environment's values. */
  models_by_field: boolean;
  lists_models: boolean;
  ready: boolean;
}

export interface Providers {
  providers: Provider[];
  chosen: string;
  goals: string[];
  scopes: string[];
}

/** The service and its fields; for an empty field the environment's value is used. */
export interface Setup {
  provider: string;
  /** "": the first of `models`. */
  model: string;
  fields: Record<string, string>;
}

/** The place in the source that a question is about, and its goal. */
export interface Target {
  file: number;
  /** That file's, by which the server notices that the page is of another profile. */
  name: string | undefined;
  lineno: number;
  end_lineno?: number;
  scope?: string;
  goal: string;
}

export interface Prompt {
  system: string;
  user: string;
  notes: string[];
  place: { file: string; first: number; last: number };
  changed: boolean;
}

/** Kind (" ", "-" or "+"), line in the old text, line in the new one, text. */
export type DiffRow = [string, number, number, string];

/** What measuring runs, or why nothing can be run without a command. */
export interface Run {
  line: string | null;
  why: string | null;
  folder: string | null;
}

export interface Proposal {
  id: number;
  file: string;
  path: string;
  first: number;
  last: number;
  original: string;
  code: string;
  imports: string;
  remarks: string;
  diff: string;
  rows: DiffRow[];
  /** What other code may notice, one sentence each. */
  interface: string[];
  /** Characters that a reader cannot see or takes for others, one sentence each. */
  unseen: string[];
  run: Run;
  changed: boolean;
}

export interface Compared {
  original: number;
  original_error: number;
  changed: number;
  changed_error: number;
  change_percent: number;
  change_error_percent: number;
  is_certain: boolean;
}

export interface Measured {
  rounds: number;
  command: string;
  time_s: Compared;
  peak_mb: Compared;
  peak_is_footprint: boolean;
  original_status: number;
  changed_status: number;
  same_status: boolean;
  same_output: boolean;
  is_steady: boolean;
  /** Nothing was measured in the lines of the proposal, in any run. */
  is_unseen: boolean;
  output_difference: string | null;
  verdict: string;
}
