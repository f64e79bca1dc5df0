// gui/src/flame/kinds.ts - what a chart of stacks can show: time, or one of three volumes of memory.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import type { ChosenKind, StackKind } from "./answer";

/** As the buttons say it. */
const TITLES: Record<ChosenKind, string> = {
  time: "Time",
  memory: "Allocated",
  peak: "At the peak",
  exit: "At the end",
};

/** As a sentence says it. */
export const KIND_NAMES: Record<StackKind, string> = {
  time: "time",
  cpu: "time on a CPU or ready for one",
  waiting: "waiting",
  memory: "allocated memory",
  peak: "memory in use at the peak",
  exit: "memory in use at the end",
};

const MEMORY: readonly StackKind[] = ["memory", "peak", "exit"];

export const isMemory = (kind: StackKind): boolean => MEMORY.includes(kind);

export const isKind = (value: unknown): value is ChosenKind => typeof value === "string" && value in TITLES;

/** The buttons for what this profile has; none where it has time alone. */
export function kindOptions(overview: Overview): (readonly [ChosenKind, string])[] {
  const kinds: ChosenKind[] = ["time"];
  if (overview.memory) kinds.push("memory");
  if (overview.memory && overview.parts.memory_stacks) kinds.push("peak", "exit");
  return kinds.length > 1 ? kinds.map((kind) => [kind, TITLES[kind]]) : [];
}

/** The chosen kind where this profile has it, else time. */
export function kindIn(overview: Overview, kept: ChosenKind): ChosenKind {
  return kindOptions(overview).some(([kind]) => kind === kept) ? kept : "time";
}
