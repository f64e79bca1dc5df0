// gui/src/model/part_words.ts - what a part of the run is called: a span of time, a thread, a unit of work, a kind of time.
//
// SPDX-License-Identifier: Apache-2.0
import type { Column, Overview } from "./answers";

/** Waiting, and the rest of all time: on a CPU or ready for one. */
export type PartTime = "cpu" | "waiting";

export const isPartTime = (text: unknown): text is PartTime => text === "cpu" || text === "waiting";

const TIME_WORDS: Record<PartTime, string> = { cpu: "time on a CPU", waiting: "waiting" };

export interface PartPlace {
  from?: number | undefined;
  to?: number | undefined;
  thread?: string | undefined;
  /** The name of a unit of work; not with a span or a thread. */
  unit?: string | undefined;
  time?: PartTime | undefined;
}

/** A span or a thread, which the timeline must know. */
export function isStretch({ from, to, thread }: PartPlace): boolean {
  return (from !== undefined && to !== undefined) || thread !== undefined;
}

export function isPart(place: PartPlace): boolean {
  return isStretch(place) || place.unit !== undefined || place.time !== undefined;
}

/** What a question about the part has behind it; "" for the whole run. */
export function partQuery({ from, to, thread, unit, time }: PartPlace): string {
  let text = "";
  if (from !== undefined && to !== undefined) text += `&from_s=${from}&to_s=${to}`;
  if (thread !== undefined) text += `&thread=${encodeURIComponent(thread).replaceAll("%3A", ":")}`; // as files without a server have it
  if (unit !== undefined) text += `&unit=${encodeURIComponent(unit)}`;
  if (time !== undefined) text += `&time=${time}`;
  return text;
}

/** Seconds with as many digits as the ends of the span differ by. */
function secondsWith(value: number, length: number): string {
  const digits = length >= 100 ? 0 : length >= 1 ? 1 : Math.min(Math.ceil(-Math.log10(Math.max(length, 1e-6))) + 1, 6);
  return value.toFixed(digits);
}

/** "12.0–14.5 s of 60 s" */
export function spanWords(from: number, to: number, elapsed: number): string {
  const end = Math.min(to, elapsed);
  const start = Math.min(from, end);
  const whole = elapsed >= 10 ? elapsed.toFixed(0) : elapsed >= 1 ? elapsed.toFixed(1) : elapsed.toPrecision(2);
  return `${secondsWith(start, end - start)}–${secondsWith(end, end - start)} s of ${whole} s`;
}

/** The kind of time, the span, the thread and the unit, as far as they are chosen. */
export function partWords(overview: Pick<Overview, "elapsed_s" | "span_s" | "threads">, { from, to, thread, unit, time }: PartPlace): string {
  const parts: string[] = time === undefined ? [] : [TIME_WORDS[time]];
  if (from !== undefined && to !== undefined) parts.push(spanWords(from, to, overview.span_s ?? overview.elapsed_s));
  if (thread !== undefined) parts.push(`thread ${overview.threads.find((one) => one.id === thread)?.name ?? thread}`);
  if (unit !== undefined) parts.push(`unit ${unit}`);
  return parts.join(", ");
}

/** The columns of a table of the part. Stacks do not say what of a wait is on a CPU; other groups are the run's. */
export function partColumns(columns: readonly Column[], words: string): Column[] {
  return columns
    .filter((column) => column.id !== "waiting")
    .map((column) => ({ ...column, of: column.group === "time" ? words : "whole run" }));
}

/** Whether a column's numbers are the whole run's, though a part of it is selected. */
export const isOfWhole = ({ of, group }: { of: string | undefined; group: string }): boolean => of !== undefined && group !== "time";

/** What the numbers that are not the part's are, for the note above a view. */
export function othersOf(columns: readonly Column[]): string {
  const titles = new Set(columns.filter((column) => column.group !== "time").map((column) => column.group_title));
  return [...titles].join(", ");
}

/** Of the parts that a file without a server holds the one that is most like what is chosen; undefined: none is alike. */
export function nearestPart(held: readonly PartPlace[], chosen: PartPlace): PartPlace | undefined {
  let nearest: PartPlace | undefined;
  let most = 0;
  for (const one of held) {
    if (one.time !== chosen.time || one.thread !== chosen.thread || one.unit !== chosen.unit) continue;
    const share = likeness(one, chosen);
    if (share > most) [nearest, most] = [one, share];
  }
  return nearest;
}

/** What two spans share, of what they cover together; 1 where neither is a span. */
function likeness(one: PartPlace, other: PartPlace): number {
  if (one.from === undefined || one.to === undefined || other.from === undefined || other.to === undefined)
    return one.from === other.from ? 1 : 0;
  const shared = Math.min(one.to, other.to) - Math.max(one.from, other.from);
  return shared / (Math.max(one.to, other.to) - Math.min(one.from, other.from));
}
