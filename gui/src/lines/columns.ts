// gui/src/lines/columns.ts - which number columns a table shows, how wide they are, and where they stand.
//
// The profile lists only columns that have data. Some of them are hidden until they are chosen. Where room is
// scarce, columns are left out in a fixed order until the source has its 60 %; a column that the user has chosen
// stays as long as there is any room. In a very narrow window one column has the time.
//
// SPDX-License-Identifier: Apache-2.0
import type { Cells, Column, Overview, Unit } from "../model/answers";

export interface Shown {
  id: string;
  group: string;
  groupTitle: string;
  title: string;
  unit: Unit;
  /** What its numbers are of, where a part of the run is selected. */
  of: string | undefined;
  width: number;
  left: number;
  /** The first of its group, which has a border before it. */
  isFirst: boolean;
}

export const MARK_WIDTH = 14;
export const ACTIONS_WIDTH = 46;
const CURVE_WIDTH = 72;
const NARROW = 620;

/** The most of a table's width that numbers take: by default, and where the user has chosen further columns. */
const NUMBERS = 0.4;
const NUMBERS_CHOSEN = 0.7;

const WIDTHS: Record<Unit, number> = { percent: 54, megabytes: 62, mb_per_second: 62, seconds: 58, curve: CURVE_WIDTH };

/** The line's own time: a number, and a bar of its kinds. */
export const SELF = "self";
const BAR_WIDTH = 56;
const BAR_WIDTH_NARROW = 26;

export const hasBar = (id: string) => id === SELF;

/** Columns of shares that have no bar behind the number, but a pie before it. */
export const PIES: readonly string[] = ["await", "gpu", "memory_usage"];
const PIE_WIDTH = 18;

const widthOfOne = (column: Column) =>
  WIDTHS[column.unit] + (PIES.includes(column.id) ? PIE_WIDTH : 0) + (hasBar(column.id) ? BAR_WIDTH : 0);

/** The columns that are left out where there is no room for all, in this order. */
const GIVES_WAY: readonly string[] = [
  "memory_python",
  "waiting",
  "system",
  "native",
  "python",
  "gpu_allocated",
  "gpu_memory",
  "memory_usage",
  "memory_average",
  "copy",
  "memory_timeline",
  "neuron_unused",
  "gpu_idle",
  "gpu",
  "await",
  "memory_peak",
  "neuron_runtime",
  "neuron_cores",
  "gpu_time",
  "total",
];

/** Columns that are shown only when they were chosen: their numbers are also in the bar, the box, or beside others. */
const OPTIONAL: readonly string[] = ["python", "native", "system", "waiting", "memory_python", "memory_usage"];

/** Choices are the ids of columns that were hidden, and with a + those that were shown though they are optional. */
export function isHidden(id: string, choices: readonly string[]): boolean {
  return OPTIONAL.includes(id) ? !choices.includes(`+${id}`) : choices.includes(id);
}

export function toggled(id: string, choices: readonly string[]): string[] {
  const choice = OPTIONAL.includes(id) ? `+${id}` : id;
  return choices.includes(choice) ? choices.filter((one) => one !== choice) : [...choices, choice];
}

/** Copies belong to the memory of a line. */
const COPY: Pick<Column, "group" | "group_title" | "title"> = { group: "memory", group_title: "Memory", title: "copied/s" };

/** The columns of a profile as the page groups them. */
export function grouped(columns: readonly Column[]): Column[] {
  return columns.map((column) => (column.id === "copy" ? { ...column, ...COPY } : column));
}

export interface ColumnSet {
  columns: Shown[];
  /** Columns there is no room for. */
  leftOut: string[];
  linenoWidth: number;
  actionsWidth: number;
  /** The width of all columns, line numbers and actions together, in pixels. */
  width: number;
}

function place(columns: readonly Column[], isNarrow: boolean): Shown[] {
  let left = MARK_WIDTH;
  return columns.map((column, index) => {
    const shown: Shown = {
      id: column.id,
      group: column.group,
      groupTitle: column.group_title,
      title: column.title,
      unit: column.unit,
      of: column.of,
      width: widthOfOne(column) - (isNarrow ? BAR_WIDTH - BAR_WIDTH_NARROW : 0),
      left,
      isFirst: index > 0 && columns[index - 1]?.group !== column.group,
    };
    left += shown.width;
    return shown;
  });
}

const widthOf = (columns: readonly Column[]) => columns.reduce((sum, column) => sum + widthOfOne(column), MARK_WIDTH);

/** Leaves out columns, of those that may be left out, until the others take no more than a width. */
function fitting(columns: readonly Column[], most: number, mayGo: (id: string) => boolean): readonly Column[] {
  let left = columns;
  for (const id of GIVES_WAY) {
    if (widthOf(left) <= most) break;
    if (mayGo(id)) left = left.filter((column) => column.id !== id);
  }
  return left;
}

export function columnSet(
  overview: Pick<Overview, "columns">,
  choices: readonly string[],
  room: number,
  digits: number,
  canAsk: boolean,
): ColumnSet {
  const wanted = grouped(overview.columns).filter((column) => !isHidden(column.id, choices));
  const linenoWidth = Math.max(digits, 3) * 8 + 18;
  const actionsWidth = canAsk && room >= NARROW ? ACTIONS_WIDTH : 0;
  const others = linenoWidth + actionsWidth;
  let chosen: readonly Column[];
  if (room < NARROW) chosen = wanted.filter((column) => hasBar(column.id)).slice(0, 1);
  else {
    const optional = wanted.filter((column) => OPTIONAL.includes(column.id));
    const most = room * NUMBERS - others + optional.reduce((sum, column) => sum + widthOfOne(column), 0);
    chosen = fitting(wanted, most, (id) => !OPTIONAL.includes(id));
    chosen = fitting(chosen, room * NUMBERS_CHOSEN - others, () => true);
  }
  const columns = place(chosen, room < NARROW);
  return {
    columns,
    leftOut: wanted.filter((column) => !chosen.includes(column)).map((column) => column.id),
    linenoWidth,
    actionsWidth,
    width: columns.reduce((sum, column) => sum + column.width, MARK_WIDTH) + others,
  };
}

export function cellValue(cells: Cells | undefined, id: string): number | undefined {
  return cells?.[id];
}

/** The time of a row without what it calls, in % of the run or of the span. */
export function timeOf(cells: Cells | undefined): number {
  return cells?.[SELF] ?? 0;
}

/** An estimate on so few samples says little more than that there was something. */
const FEW_SAMPLES = 8;

export function isThin(percent: number, totalSamples: number | undefined): boolean {
  return totalSamples !== undefined && totalSamples > 0 && (percent / 100) * totalSamples < FEW_SAMPLES;
}
