// gui/src/lines/columns.ts - which number columns a table shows, how wide they are, and where they stand.
//
// The profile lists only columns that have data. Some of them are hidden until they are chosen. Where room is
// scarce, bars are shorter, the buttons of a row lie over the end of its source, and columns are left out in a fixed
// order until the source has its 60 % of the table and of the window, but not the three that say most. A column that
// the user has chosen stays as long as there is any room. In a very narrow window one column has the time.
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
/** A table under this width has no room to spare. */
const ROOMY = 1200;

/** The most of a table's width that numbers take: by default, and where the user has chosen further columns. */
const NUMBERS = 0.4;
const NUMBERS_CHOSEN = 0.7;

/** The part of the window that the source has, as far as that is no more than 100 characters need. */
const SOURCE = 0.6;
const SOURCE_ENOUGH = 800;
/** Self time, total and peak, with the number of the line: less is not worth opening the view for. */
const NUMBERS_LEAST = 260;

const WIDTHS: Record<Unit, number> = { percent: 50, megabytes: 58, mb_per_second: 58, seconds: 58, curve: CURVE_WIDTH };

/** The line's own time: a number, and a bar of its kinds. */
export const SELF = "self";
const BAR_WIDTH = 60;
const BAR_WIDTH_TIGHT = 36;
const BAR_WIDTH_NARROW = 30;

export const hasBar = (id: string) => id === SELF;

/** Columns of shares that have no bar behind the number, but a pie before it. */
export const PIES: readonly string[] = ["await", "gpu", "memory_usage"];
const PIE_WIDTH = 18;

const barWidth = (room: number) => (room < NARROW ? BAR_WIDTH_NARROW : room < ROOMY ? BAR_WIDTH_TIGHT : BAR_WIDTH);

const widthOfOne = (column: Column, room: number) =>
  WIDTHS[column.unit] + (PIES.includes(column.id) ? PIE_WIDTH : 0) + (hasBar(column.id) ? barWidth(room) : 0);

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
  /** Of the buttons before the number of the line; 0: none are there. */
  actionsWidth: number;
  /** The buttons lie over the end of the source. */
  hasActionsAtEnd: boolean;
  /** The width of all columns, line numbers and actions together, in pixels. */
  width: number;
}

function place(columns: readonly Column[], room: number): Shown[] {
  let left = MARK_WIDTH;
  return columns.map((column, index) => {
    const shown: Shown = {
      id: column.id,
      group: column.group,
      groupTitle: column.group_title,
      title: column.title,
      unit: column.unit,
      of: column.of,
      width: widthOfOne(column, room),
      left,
      isFirst: index > 0 && columns[index - 1]?.group !== column.group,
    };
    left += shown.width;
    return shown;
  });
}

const widthOf = (columns: readonly Column[], room: number) => columns.reduce((sum, column) => sum + widthOfOne(column, room), MARK_WIDTH);

/** Leaves out columns, of those that may be left out, until the others take no more than a width. */
function fitting(columns: readonly Column[], room: number, most: number, mayGo: (id: string) => boolean): readonly Column[] {
  let left = columns;
  for (const id of GIVES_WAY) {
    if (widthOf(left, room) <= most) break;
    if (mayGo(id)) left = left.filter((column) => column.id !== id);
  }
  return left;
}

/** room: the width of the table; whole: that of the window that it is in. */
export function columnSet(
  overview: Pick<Overview, "columns">,
  choices: readonly string[],
  room: number,
  digits: number,
  canAsk: boolean,
  whole = room,
): ColumnSet {
  const wanted = grouped(overview.columns).filter((column) => !isHidden(column.id, choices));
  const linenoWidth = Math.max(digits, 3) * 8 + 18;
  const actionsWidth = canAsk && room >= ROOMY ? ACTIONS_WIDTH : 0;
  const others = linenoWidth + actionsWidth;
  let chosen: readonly Column[];
  if (room < NARROW) chosen = wanted.filter((column) => hasBar(column.id)).slice(0, 1);
  else {
    const optional = wanted.filter((column) => OPTIONAL.includes(column.id));
    const beside = Math.max(room - Math.min(whole * SOURCE, SOURCE_ENOUGH), NUMBERS_LEAST);
    const most = Math.min(room * NUMBERS, beside) - others + optional.reduce((sum, column) => sum + widthOfOne(column, room), 0);
    chosen = fitting(wanted, room, most, (id) => !OPTIONAL.includes(id));
    chosen = fitting(chosen, room, room * NUMBERS_CHOSEN - others, () => true);
  }
  const columns = place(chosen, room);
  return {
    columns,
    leftOut: wanted.filter((column) => !chosen.includes(column)).map((column) => column.id),
    linenoWidth,
    actionsWidth,
    hasActionsAtEnd: canAsk && room >= NARROW && room < ROOMY,
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
