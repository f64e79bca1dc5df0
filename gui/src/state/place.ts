// gui/src/state/place.ts - where one is in a profile, and its form in the address.
//
// Everything one can look at is a place, so that a copied address opens the same view. Files stand in
// the address by their names, because their order differs from run to run.
//
// SPDX-License-Identifier: Apache-2.0
import type { FileSummary, Mode } from "../model/answers";
import { isPartTime, isStretch, type PartTime } from "../model/part_words";

export interface Place {
  view: string;
  file?: number;
  /** A file that the address names and this profile does not have. */
  missing?: string;
  line?: number;
  /** The last line of a region that begins at `line`. */
  end?: number;
  fn?: string;
  /** How often one has gone to the place one was at: it is scrolled to again. */
  visits?: number;
  /** A span of time, in seconds from the start of the run. */
  from?: number;
  to?: number;
  /** A moment, in seconds from the start of the run. */
  at?: number;
  thread?: string;
  /** The name of a unit of work: a place has either this, or a span or a thread. */
  unit?: string;
  /** Of all time only that on a CPU (or ready for one), or only waiting. */
  time?: PartTime;
  process?: number;
  mode?: Mode;
  sort?: string;
  /** How a chart of stacks is drawn (flame/chart_choices.ts). */
  chart?: string;
}

/** The views with such a chart: the addresses of others do not say how it is drawn. */
const CHARTS: readonly string[] = ["flame", "sandwich", "timeline"];

const MODES: readonly string[] = ["hot", "functions", "all"];

/** No run is longer, no file has more lines, no process a larger number. */
const MOST = 2 ** 31 - 1;

function seconds(text: string | null): number | undefined {
  const value = text === null || text === "" ? Number.NaN : Number(text);
  return value >= 0 && value <= MOST ? value : undefined;
}

function whole(text: string | null): number | undefined {
  const value = seconds(text);
  return value !== undefined && Number.isInteger(value) ? value : undefined;
}

/** The number of a line; the first is 1. */
function line(text: string | null): number | undefined {
  return whole(text) || undefined;
}

function fileIndex(name: string | null, files: readonly FileSummary[]): number | undefined {
  if (name === null) return undefined;
  let index = files.findIndex((file) => file.name === name);
  if (index < 0) index = files.findIndex((file) => file.short_name === name);
  return index < 0 ? undefined : index;
}

function set<K extends keyof Place>(place: Place, key: K, value: Place[K] | undefined): void {
  if (value !== undefined) place[key] = value;
}

/** "#/lines?file=prog.py&line=42" as a place; what makes no sense is left out. */
export function parsePlace(hash: string, views: readonly string[], files: readonly FileSummary[]): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const words = new URLSearchParams(query);
  const place: Place = { view: views.includes(path) ? path : (views[0] ?? "overview") };
  set(place, "file", fileIndex(words.get("file"), files));
  if (place.file === undefined) {
    set(place, "missing", words.get("file") ?? undefined);
  } else {
    set(place, "line", line(words.get("line")));
    if (place.line !== undefined) set(place, "end", line(words.get("end")));
  }
  set(place, "fn", words.get("fn") ?? undefined);
  const from = seconds(words.get("from"));
  const to = seconds(words.get("to"));
  if (from !== undefined && to !== undefined && from < to) {
    place.from = from;
    place.to = to;
  }
  set(place, "at", seconds(words.get("at")));
  set(place, "thread", words.get("thread") ?? undefined);
  if (!isStretch(place)) set(place, "unit", words.get("unit") ?? undefined);
  const time = words.get("time");
  if (isPartTime(time)) place.time = time;
  set(place, "process", whole(words.get("process")));
  const mode = words.get("mode");
  if (mode !== null && MODES.includes(mode)) place.mode = mode as Mode;
  set(place, "sort", words.get("sort") ?? undefined);
  if (CHARTS.includes(place.view)) set(place, "chart", words.get("chart") ?? undefined);
  return place;
}

/** The address of a place. */
export function formatPlace(place: Place, files: readonly FileSummary[]): string {
  const words = new URLSearchParams();
  const file = place.file === undefined ? undefined : files[place.file];
  if (file) {
    // Two files may have the same short name, which may be relative to the program's directory.
    const isAlone = files.filter((other) => other.short_name === file.short_name).length === 1;
    words.set("file", isAlone ? file.short_name : file.name);
    if (place.line !== undefined) {
      words.set("line", String(place.line));
      if (place.end !== undefined) words.set("end", String(place.end));
    }
  }
  if (place.fn !== undefined) words.set("fn", place.fn);
  if (place.from !== undefined && place.to !== undefined) {
    words.set("from", String(Number(place.from.toFixed(6))));
    words.set("to", String(Number(place.to.toFixed(6))));
  }
  if (place.at !== undefined) words.set("at", String(Number(place.at.toFixed(6))));
  if (place.thread !== undefined) words.set("thread", place.thread);
  if (place.unit !== undefined) words.set("unit", place.unit);
  if (place.time !== undefined) words.set("time", place.time);
  if (place.process !== undefined) words.set("process", String(place.process));
  if (place.mode !== undefined) words.set("mode", place.mode);
  if (place.sort !== undefined) words.set("sort", place.sort);
  if (place.chart !== undefined && CHARTS.includes(place.view)) words.set("chart", place.chart);
  const query = words.toString();
  return `#/${place.view}${query === "" ? "" : `?${query}`}`;
}

/** What a step to another place changes: keys set to undefined are removed. */
export type Step = { [K in keyof Place]?: Place[K] | undefined };

/** The place after a step. A step to another file removes the line, one to a line the region and the function, one to a unit the span and the thread. */
export function stepFrom(place: Place, step: Step): Place {
  const next: Record<string, unknown> = { ...place };
  if ("file" in step && step.file !== place.file) for (const key of ["line", "end", "fn"]) delete next[key];
  delete next["missing"];
  if (step.fn !== undefined && !("line" in step)) delete next["line"]; // it is another function's
  if (step.unit !== undefined) for (const key of ["from", "to", "thread"]) delete next[key];
  if (step.from !== undefined || step.thread !== undefined) delete next["unit"];
  if ("line" in step) for (const key of ["end", "fn"]) delete next[key];
  for (const [key, value] of Object.entries(step)) {
    if (value === undefined) delete next[key];
    else next[key] = value;
  }
  return next as unknown as Place;
}
