// editor/src/words.ts - numbers and places in words.
//
// SPDX-License-Identifier: Apache-2.0
import path from "node:path";
import { align } from "./align";
import type { Call, Change, Changed, Cost, Difference, FileReport, Line, LineReport, Report } from "./answers";

export const percent = (share: number) => `${share < 10 ? share.toFixed(1) : share.toFixed(0)}%`;

export function seconds(s: number): string {
  if (Math.abs(s) >= 0.9995) return `${s < 99.95 ? s.toPrecision(3) : s.toFixed(0)} s`;
  return `${Math.abs(s) < 0.00995 ? (1000 * s).toFixed(1) : (1000 * s).toFixed(0)} ms`;
}

export function megabytes(mb: number): string {
  return Math.abs(mb) >= 1024 ? `${(mb / 1024).toFixed(2)} GB` : `${Math.abs(mb) < 10 ? mb.toFixed(1) : mb.toFixed(0)} MB`;
}

/** What stands behind a line; below the least numbers of the tables it says nothing. */
export function besides(cost: Cost): string {
  const parts = [
    cost.percent >= 1 && `${percent(cost.percent)} ${seconds(cost.seconds)}`,
    cost.peak_mb >= 1 && `peak ${megabytes(cost.peak_mb)}`,
    cost.copy_mb_s >= 0.5 && `copies ${megabytes(cost.copy_mb_s)}/s`,
    cost.await_percent >= 1 && `await ${percent(cost.await_percent)}`,
    cost.gpu_s >= 0.0005 && `GPU ${seconds(cost.gpu_s)}`,
  ];
  return parts.filter((part) => part !== false).join(" · ");
}

/** The numbers of a file at the lines of its text as it is now. */
export interface Shown {
  at: Map<number, Line>; // by line now, from 0
  now: (line: number) => number; // where a profiled line, from 1, is now, from 0; -1: nowhere
  left: number; // lines with numbers that are not there any more
  isChanged: boolean;
}

export function show(file: FileReport, text: readonly string[]): Shown {
  const where = align(file.source ?? [], text);
  const back = new Map([...where].map((then, now) => [then, now] as const));
  const now = (line: number) => back.get(line - 1) ?? -1;
  const at = new Map(file.lines.filter((line) => besides(line) !== "" && now(line.line) >= 0).map((line) => [now(line.line), line]));
  const left = file.lines.filter((line) => besides(line) !== "").length - at.size;
  const isChanged = file.source === null || file.source.length !== text.length || where.some((then, index) => then !== index);
  return { at, now, left, isChanged };
}

/** The status of a file in a line, and whether it is a warning. */
export function status(name: string, file: FileReport | null, shown: Shown): [string, boolean] {
  if (file === null) return [`${name} is not in the profile`, false];
  const share = percent(Math.min(100, file.lines.reduce((sum, line) => sum + line.percent, 0)));
  if (file.source === null) return [`the profile has no text of ${name}: no numbers are shown`, true];
  if (file.source_changed) return [`${name} was changed while it ran: numbers may be at wrong lines`, true];
  if (!shown.isChanged) return [`${name} ${share} of ${seconds(file.summary.total_s)}`, false];
  const left = shown.left === 0 ? "" : `: ${shown.left} ${shown.left === 1 ? "line has" : "lines have"} no numbers any more`;
  return [`${name} has changed since the profile${left}`, true];
}

/** A text of the program as Markdown that says it and no more. */
export const plain = (text: string) => text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]()<>#+\-.!|~&$:@]/g, "\\$&");

const NAMES: Record<string, string> = {
  gil: "interpreter lock",
  io: "input and output",
  kernel: "system calls",
  preempted_kernel: "ready in a system call",
  preempted_native: "native, ready without a CPU",
  preempted_python: "Python, ready without a CPU",
  gc_s: "of it garbage collection",
  freeing_s: "of it freeing objects",
  importing_s: "of it importing",
  worker_threads_s: "of it in worker threads",
};
const nameOf = (key: string) => NAMES[key] ?? key.replace(/_(s|mb|percent)$/, "").replaceAll("_", " ");

const calls = (title: string, list: readonly Call[]) =>
  list.length === 0 ? [] : [`${title}: ${list.slice(0, 4).map((one) => `${plain(one.name)} (${plain(path.basename(one.file))}${one.line === null ? "" : `\\:${one.line}`}, ${percent(one.percent)})`).join(", ")}`];

/** All that is known of a line, as Markdown. */
export function details({ cost, function: within, callers, callees, findings }: LineReport): string {
  const number = (key: string) => (typeof cost[key] === "number" ? (cost[key] as number) : 0);
  const list = (keys: readonly string[], words: (value: number) => string) => keys.filter((key) => Math.abs(number(key)) >= (key.endsWith("_mb") ? 0.05 : 0.00005)).map((key) => `${nameOf(key)} ${words(number(key))}`);
  const under = (key: string) => Object.entries((cost[key] ?? {}) as Record<string, number>).map(([kind, s]) => `${nameOf(kind)} ${seconds(s)}`);
  const error = number("percent_error") > 0 ? ` ± ${number("percent_error").toFixed(1)}` : "";
  const total = number("total_percent") > cost.percent + 0.5 ? `, ${percent(number("total_percent"))} with what it calls` : "";
  const kinds = under("time_s").length > 0 ? under("time_s") : list(["python_percent", "native_percent", "system_percent"], percent);
  const time = [...kinds, ...list(["gc_s", "freeing_s", "importing_s", "worker_threads_s"], seconds)];
  const memory = list(["peak_mb", "allocated_mb", "average_mb", "growth_mb", "freed_at_once_mb", "live_at_peak_mb", "live_at_exit_mb"], megabytes);
  const group = (title: string, parts: readonly string[]) => (parts.length === 0 ? [] : [`${title}: ${parts.join(", ")}`]);
  return [
    `**${percent(cost.percent)}**${error} of the run, ${seconds(cost.seconds)}${total}`,
    ...group("Time", time),
    ...group("Waits", under("wait_s")),
    ...group("Memory", memory),
    ...(cost.copy_mb_s > 0 ? [`Copies: ${megabytes(cost.copy_mb_s)}/s`] : []),
    ...(within === null ? [] : [`In ${plain(within.name)} (line ${within.line}): ${percent(within.percent)}, with what it calls ${percent(Math.max(within.total_percent ?? 0, within.percent))}`]),
    ...calls("Called by", callers),
    ...calls("Calls", callees),
    ...findings.map((finding) => `→ ${plain(finding.text)}${finding.why === null ? "" : ` *(${plain(finding.why)})*`}`),
  ].join("\n\n");
}

/** A row of a list to choose from. */
export interface Row {
  label: string;
  description: string;
  detail?: string;
  file: string;
  line: number;
}

const short = (file: string, line: number) => `${path.basename(file)}:${line}`;

export function hottest(report: Report, most = 15): [string, Row[]][] {
  const row = (cost: Cost, file: string, line: number, text: string): Row => ({ label: besides(cost) || percent(cost.percent), description: `${short(file, line)}  ${text}`, file, line });
  return [
    ["What to do", report.findings.flatMap(({ file, line, text, percent: share }) => (file === null || line === null ? [] : [{ label: percent(share), description: short(file, line), detail: text, file, line }]))],
    ["Lines", report.lines.slice(0, most).map((line) => row(line, line.file, line.line, line.source))],
    ["Functions", report.functions.flatMap((one) => (one.line === null ? [] : [row(one, one.file, one.line, `${one.name} (${percent(one.total_percent)} with what it calls)`)])).slice(0, most)],
  ];
}

const inWords = (key: string, value: number) => (key.endsWith("_mb") ? megabytes(value) : seconds(value));

export function changeWords(key: string, { before, after, change, error }: Change): string {
  const words = (value: number) => inWords(key, value);
  return `${nameOf(key)} ${change < 0 ? "−" : "+"}${words(Math.abs(change))} ± ${words(error)} (${words(before)} → ${words(after)})`;
}

/** What has changed for certain, by place: all its numbers together. */
export function changes(difference: Difference): [string, Row[]][] {
  const row = (changed: Changed): Row[] => {
    const place = changed.after ?? changed.before;
    const certain = Object.entries(changed.numbers).filter(([, number]) => number.verdict === "certain");
    if (place === null || certain.length === 0) return [];
    const state = changed.after === null ? " (gone)" : changed.before === null ? " (new)" : "";
    const [file, line] = changed.after === null ? ["", 0] : [place.path, place.line];
    return [{ label: certain.slice(0, 2).map(([key, number]) => changeWords(key, number)).join(", "), description: `${place.file}:${place.line}${state}  ${place.name ?? place.source ?? ""}`, file, line }];
  };
  return [
    ["Lines", difference.lines.flatMap(row)],
    ["Functions", difference.functions.flatMap(row)],
  ];
}
