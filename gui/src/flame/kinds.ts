// gui/src/flame/kinds.ts - what a chart of stacks can show: time, or one of some volumes of memory.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { duration } from "../model/number";
import type { Place } from "../state/place";
import type { ChosenKind, StackKind } from "./answer";

/** As the buttons say it. */
const TITLES: Record<ChosenKind, string> = {
  time: "Time",
  memory: "Allocated",
  peak: "At the peak",
  exit: "At the end",
  moment: "At the moment",
};

/** As a sentence says it. */
export const KIND_NAMES: Record<StackKind, string> = {
  time: "time",
  cpu: "time on a CPU or ready for one",
  waiting: "waiting",
  memory: "allocated memory",
  peak: "memory in use at the peak",
  exit: "memory in use at the end",
  moment: "memory in use at the moment",
};

const MEMORY: readonly StackKind[] = ["memory", "peak", "exit", "moment"];

export const isMemory = (kind: StackKind): boolean => MEMORY.includes(kind);

export const isKind = (value: unknown): value is ChosenKind => typeof value === "string" && value in TITLES;

/** The number of the last moment with known stacks that is not behind the chosen one, or the first; undefined: none is chosen or known. */
export function momentOf(overview: Overview, place: Place): number | undefined {
  const chosen = place.at ?? place.to;
  const moments = overview.parts.memory_moments_s ?? [];
  if (chosen === undefined || moments.length === 0) return undefined;
  return Math.max(moments.filter((seconds) => seconds <= chosen).length - 1, 0);
}

/** The buttons for what this profile has; none where it has time alone. */
export function kindOptions(overview: Overview, place: Place): (readonly [ChosenKind, string])[] {
  const kinds: ChosenKind[] = ["time"];
  if (overview.memory) kinds.push("memory");
  if (overview.memory && overview.parts.memory_stacks) kinds.push("peak", "exit");
  const moment = momentOf(overview, place);
  const options: (readonly [ChosenKind, string])[] = kinds.map((kind) => [kind, TITLES[kind]]);
  if (moment !== undefined) options.push(["moment", `At ${duration(overview.parts.memory_moments_s[moment] ?? 0)}`]);
  return options.length > 1 ? options : [];
}

/** The chosen kind where this profile has it, else time. */
export function kindIn(overview: Overview, place: Place, kept: ChosenKind): ChosenKind {
  return kindOptions(overview, place).some(([kind]) => kind === kept) ? kept : "time";
}
