// gui/src/lines/cells.tsx - the number cells of a row, over the quiet bar of its time.
//
// SPDX-License-Identifier: Apache-2.0
import type { Cells, Curve } from "../model/answers";
import { cellText } from "../model/number";
import { memoryWedges, Pie, type Wedge } from "../parts/pie";
import { Sparkline } from "../parts/sparkline";
import { cellValue, type ColumnSet, isThin, PIES, timeOf } from "./columns";

export interface Scale {
  totalSamples: number | undefined;
  elapsed_s: number;
  /** What a full memory curve is scaled to. */
  topMb: number;
}

interface Props {
  cells: Cells | undefined;
  curve: Curve | undefined;
  set: ColumnSet;
  scale: Scale;
}

/** Where the kinds of time end in the bar, in % of its length. */
function barStyle(cells: Cells, set: ColumnSet): Record<string, string> {
  const python = cells["python"] ?? 0;
  const native = python + (cells["native"] ?? 0);
  const system = native + (cells["system"] ?? 0);
  const end = (percent: number) => `${Math.min(percent, 100)}%`;
  return {
    left: `${set.timeLeft}px`,
    width: `${set.timeWidth}px`,
    "--python-end": end(python),
    "--native-end": end(native),
    "--system-end": end(system + (cells["span"] ?? 0)),
  };
}

function wedgesOf(column: string, value: number, cells: Cells | undefined): Wedge[] {
  if (column === "memory_usage") return memoryWedges(value, cells?.["memory_python"] ?? 0);
  return [{ tone: column, percent: value }];
}

export function CellsOf({ cells, curve, set, scale }: Props) {
  const time = timeOf(cells);
  return (
    <>
      {cells && time > 0 && <span class={cells["span"] === undefined ? "time-bar" : "time-bar part"} style={barStyle(cells, set)} aria-hidden="true" />}
      {set.columns.map((column) => {
        if (column.unit === "curve")
          return (
            <span key={column.id} role="gridcell" class="cell curve" data-column={column.id}>
              {curve && curve.length > 1 && <Sparkline curve={curve} elapsed={scale.elapsed_s} top={scale.topMb} />}
            </span>
          );
        const value = cellValue(cells, column.id);
        const isFew = value !== undefined && column.group === "time" && column.id !== "span" && isThin(time, scale.totalSamples);
        return (
          <span
            key={column.id}
            role="gridcell"
            class={`cell c-${column.id}${isFew ? " thin" : ""}`}
            data-column={value === undefined ? undefined : column.id}
          >
            {value !== undefined && PIES.includes(column.id) && <Pie wedges={wedgesOf(column.id, value, cells)} />}
            {value === undefined ? "" : cellText(column.unit, value)}
          </span>
        );
      })}
    </>
  );
}
