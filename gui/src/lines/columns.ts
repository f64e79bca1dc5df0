// gui/src/lines/columns.ts - which number columns a table shows, how wide they are, and where they stand.
//
// The profile lists only columns that have data. Where room is scarce, columns are left out in a
// fixed order until the source has its half; in a very narrow window one column has the sum of all time.
//
// SPDX-License-Identifier: Apache-2.0
import type { Cells, Column, Overview, Unit } from "../model/answers";

export interface Shown {
  id: string;
  group: string;
  groupTitle: string;
  title: string;
  unit: Unit;
  width: number;
  left: number;
}

export const MARK_WIDTH = 14;
export const ACTIONS_WIDTH = 46;
const CURVE_WIDTH = 84;
const NARROW = 620;

const WIDTHS: Record<Unit, number> = { percent: 54, megabytes: 66, mb_per_second: 62, seconds: 58, curve: CURVE_WIDTH };

/** Columns of shares that have no bar behind the number, but a pie before it. */
export const PIES: readonly string[] = ["await", "gpu", "memory_usage"];
const PIE_WIDTH = 14;

const widthOfOne = (column: Column) => WIDTHS[column.unit] + (PIES.includes(column.id) ? PIE_WIDTH : 0);

/** The columns that are left out where there is no room for all, in this order. */
const GIVES_WAY: readonly string[] = [
  "memory_python",
  "gpu_allocated",
  "gpu_memory",
  "memory_usage",
  "memory_avg",
  "memory_timeline",
  "copy",
  "neuron_unused",
  "gpu_idle",
  "gpu",
  "await",
  "memory_peak",
  "neuron_runtime",
  "neuron_cores",
  "gpu_time",
];

export const TIME_COLUMNS: readonly string[] = ["python", "native", "system"];
export const TOTAL = "total";

const total: Column = { id: TOTAL, group: "time", group_title: "Time", title: "all", unit: "percent" };

export interface ColumnSet {
  columns: Shown[];
  /** Columns there is no room for. */
  leftOut: string[];
  /** The left edge, in pixels, of the bar that is drawn behind the cells of the time columns. */
  timeLeft: number;
  timeWidth: number;
  linenoWidth: number;
  actionsWidth: number;
  /** The width of all columns, line numbers and actions together, in pixels. */
  width: number;
}

function place(columns: readonly Column[]): Shown[] {
  let left = MARK_WIDTH;
  return columns.map((column) => {
    const shown: Shown = {
      id: column.id,
      group: column.group,
      groupTitle: column.group_title,
      title: column.title,
      unit: column.unit,
      width: widthOfOne(column),
      left,
    };
    left += shown.width;
    return shown;
  });
}

const widthOf = (columns: readonly Column[]) => columns.reduce((sum, column) => sum + widthOfOne(column), MARK_WIDTH);

export function columnSet(
  overview: Overview,
  hidden: readonly string[],
  room: number,
  digits: number,
  canAsk: boolean,
): ColumnSet {
  const wanted = overview.columns.filter((column) => !hidden.includes(column.id));
  let chosen = wanted;
  const linenoWidth = Math.max(digits, 3) * 8 + 18;
  const actionsWidth = canAsk && room >= NARROW ? ACTIONS_WIDTH : 0;
  const others = linenoWidth + actionsWidth;
  if (room < NARROW) chosen = [total];
  else
    for (const id of GIVES_WAY) {
      if (widthOf(chosen) + others <= room * 0.56) break;
      chosen = chosen.filter((column) => column.id !== id);
    }
  const columns = place(chosen);
  const times = columns.filter((column) => column.group === "time");
  return {
    columns,
    leftOut: wanted.filter((column) => !chosen.includes(column)).map((column) => column.id),
    timeLeft: times[0]?.left ?? 0,
    timeWidth: times.reduce((sum, column) => sum + column.width, 0),
    linenoWidth,
    actionsWidth,
    width: widthOf(chosen) + others,
  };
}

export function cellValue(cells: Cells | undefined, id: string): number | undefined {
  if (cells === undefined) return undefined;
  if (id !== TOTAL) return cells[id];
  const sum = timeOf(cells);
  return sum > 0 ? sum : undefined;
}

/** All time of a row, in % of the run. */
export function timeOf(cells: Cells | undefined): number {
  if (cells === undefined) return 0;
  return (cells["python"] ?? 0) + (cells["native"] ?? 0) + (cells["system"] ?? 0) + (cells["span"] ?? 0);
}

/** An estimate on so few samples says little more than that there was something. */
const FEW_SAMPLES = 8;

export function isThin(percent: number, totalSamples: number | undefined): boolean {
  return totalSamples !== undefined && totalSamples > 0 && (percent / 100) * totalSamples < FEW_SAMPLES;
}
