// gui/src/diff/words.ts - the numbers of a comparison as texts, and which of its places are listed, in which order.
//
// SPDX-License-Identifier: Apache-2.0
import { duration, megabytes } from "../model/number";
import type { Compared, Difference, Numbers, TableId } from "./answers";

export const METRICS: Record<string, string> = {
  time_s: "Time",
  total_s: "Time with calls",
  python_s: "Python",
  native_s: "Native",
  system_s: "System",
  elapsed_s: "Elapsed",
  wait_s: "Waiting",
  peak_mb: "Highest memory",
  allocated_mb: "Allocated",
  exit_mb: "Not freed",
  copies_mb: "Copied",
};

export function titled(metrics: readonly string[]): [string, string][] {
  return metrics.map((metric) => [metric, METRICS[metric] ?? metric]);
}

/** What a table is sorted by at first. */
export const FIRST_METRIC: Record<TableId, string> = { lines: "time_s", functions: "time_s", stacks: "total_s" };

export function amountText(metric: string, value: number): string {
  return metric.endsWith("_mb") ? megabytes(Math.abs(value)) : duration(Math.abs(value));
}

export function changeText(metric: string, change: number): string {
  const sign = change === 0 ? "" : change < 0 ? "−" : "+";
  return `${sign}${amountText(metric, change)}`;
}

export function errorText(metric: string, error: number): string {
  return `± ${amountText(metric, error)}`;
}

/** Names of files without the folders that both are in. */
export function shortNames(before: string, after: string): [string, string] {
  let common = 0;
  for (let at = 0; at < before.length && before[at] === after[at]; at += 1) if (before[at] === "/") common = at + 1;
  return before === after ? [before, after] : [before.slice(common), after.slice(common)];
}

/** The class of a change: what is not certain has no colour. */
export function toneOf({ change, verdict }: Partial<Difference>): "more" | "less" | "even" {
  if (verdict !== "certain" || change === undefined) return "even";
  return change > 0 ? "more" : "less";
}

const JUDGED: readonly string[] = ["certain", "not certain", "not enough data"];

/** Whether a difference is listed: what changed for certain, or all that was judged. */
export function isListed(one: Difference | undefined, isAll: boolean): one is Difference {
  return one !== undefined && (isAll ? JUDGED.includes(one.verdict) : one.verdict === "certain");
}

/** The metrics of a table in which something is listed, in the order of the answer. */
export function metricsOf(rows: readonly { numbers: Numbers }[], isAll: boolean): string[] {
  const keys = Object.keys(rows[0]?.numbers ?? {});
  return keys.filter((key) => rows.some((row) => isListed(row.numbers[key], isAll)));
}

export type Order = "change" | "before" | "after" | "place";

/** Where a place is now, or was, as far as it is sorted by it. */
export function placeText(row: Compared): string {
  if (row.stack) return row.stack.map(([, name]) => name).join(" ");
  const spot = row.after ?? row.before;
  return spot ? `${spot.file} ${`${spot.line}`.padStart(8, "0")}` : "";
}

/** The places in which the metric has changed, what changed most first, or in another order; those that are equal in it stay as they are. */
export function listed(rows: readonly Compared[], metric: string, isAll: boolean, order: Order = "change", isUp = false): Compared[] {
  const numbers = (row: Compared) => row.numbers[metric] as Difference;
  const rising = (a: Compared, b: Compared) => {
    if (order === "place") return Number(placeText(a) > placeText(b)) - Number(placeText(a) < placeText(b));
    return order === "change" ? Math.abs(numbers(a).change) - Math.abs(numbers(b).change) : numbers(a)[order] - numbers(b)[order];
  };
  return rows.filter((row) => isListed(row.numbers[metric], isAll)).sort((a, b) => (isUp ? rising(a, b) : -rising(a, b)));
}

/** What a place was on the other side, if that is elsewhere, or that only one side has it. */
export function historyText({ before, after, stack }: Compared): { text: string; isOneSided: boolean } {
  if (stack) return { text: "", isOneSided: false };
  if (!before) return { text: "new", isOneSided: true };
  if (!after) return { text: "gone", isOneSided: true };
  const isElsewhere = before.file !== after.file || before.line !== after.line;
  const isRenamed = before.name !== after.name;
  if (!isElsewhere && !isRenamed) return { text: "", isOneSided: false };
  return { text: `was ${before.file}:${before.line}${isRenamed ? ` ${before.name ?? ""}` : ""}`, isOneSided: false };
}
