// gui/src/diff/place.ts - where one is in a comparison, and its form in the address.
//
// SPDX-License-Identifier: Apache-2.0
import type { Side, TableId } from "./answers";

export const VIEWS = [
  { id: "changes", title: "Changes", key: "1" },
  { id: "calls", title: "Flame", key: "2" },
  { id: "sources", title: "Sources", key: "3" },
] as const;

export interface DiffPlace {
  view: string;
  /** What is listed. */
  of: TableId;
  metric?: string;
  /** Also what is not certain. */
  isAll: boolean;
  /** "before", "-place": what the list is sorted by, from the other end with a minus. */
  sort?: string;
  /** The side that gives the chart its widths. */
  width: Side;
  /** Names of the function, and of the files as they are shown, of what the sources are of. */
  before?: string;
  after?: string;
  fn?: string;
  /** A line that is brought into sight, on the side that `at` says. */
  line?: number;
  at: Side;
}

const TABLES: readonly string[] = ["lines", "functions", "stacks"];

export function parseDiffPlace(hash: string): DiffPlace {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const words = new URLSearchParams(query);
  const of = words.get("of") ?? "";
  const line = Number(words.get("line") ?? Number.NaN);
  const place: DiffPlace = {
    view: VIEWS.some((view) => view.id === path) ? path : VIEWS[0].id,
    of: (TABLES.includes(of) ? of : "lines") as TableId,
    isAll: words.get("all") === "1",
    width: words.get("width") === "before" ? "before" : "after",
    at: words.get("at") === "before" ? "before" : "after",
  };
  for (const key of ["metric", "sort", "before", "after", "fn"] as const) {
    const word = words.get(key);
    if (word !== null) place[key] = word;
  }
  if (Number.isInteger(line) && line > 0) place.line = line;
  return place;
}

export function formatDiffPlace(place: DiffPlace): string {
  const words = new URLSearchParams();
  if (place.of !== "lines") words.set("of", place.of);
  if (place.isAll) words.set("all", "1");
  if (place.width !== "after") words.set("width", place.width);
  for (const key of ["metric", "sort", "before", "after", "fn"] as const) if (place[key] !== undefined) words.set(key, place[key]);
  if (place.line !== undefined) {
    words.set("line", `${place.line}`);
    if (place.at !== "after") words.set("at", place.at);
  }
  const query = words.toString();
  return `#/${place.view}${query === "" ? "" : `?${query}`}`;
}

/** What a step to another place changes: keys that are undefined are removed. */
export type DiffGo = (step: { [K in keyof DiffPlace]?: DiffPlace[K] | undefined }, replace?: boolean) => void;
