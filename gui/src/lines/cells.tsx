// gui/src/lines/cells.tsx - the number cells of a row; the one of its time has a bar of the kinds of time.
//
// SPDX-License-Identifier: Apache-2.0
import type { Cells, Curve } from "../model/answers";
import { isOfWhole } from "../model/part_words";
import { cellText } from "../model/number";
import { memoryWedges, Pie, type Wedge } from "../parts/pie";
import { Sparkline } from "../parts/sparkline";
import { cellValue, type ColumnSet, hasBar, isThin, PIES, type Shown, timeOf } from "./columns";

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

/** Where the kinds of time end in the bar, in % of its length, which stands for the whole run, or the part of it that is selected. */
function TimeBar({ cells }: { cells: Cells }) {
  const end = (percent: number) => `${Math.min(percent, 100).toFixed(2)}%`;
  const python = cells["python"] ?? 0;
  const native = python + (cells["native"] ?? 0);
  const waiting = Math.min(cells["waiting"] ?? 0, cells["system"] ?? 0);
  const system = native + (cells["system"] ?? 0);
  const ends = {
    "--python-end": end(python),
    "--native-end": end(native),
    "--system-end": end(system - waiting),
    "--time-end": end(Math.max(system, timeOf(cells))),
  };
  return <span class="time-bar" aria-hidden="true" style={ends} />;
}

function wedgesOf(column: string, value: number, cells: Cells | undefined): Wedge[] {
  if (column === "memory_usage") return memoryWedges(value, cells?.["memory_python"] ?? 0);
  return [{ tone: column, percent: value }];
}

function classOf(column: Shown, isFew: boolean): string {
  return `cell c-${column.id}${hasBar(column.id) ? " with-bar" : ""}${column.isFirst ? " first" : ""}${isOfWhole(column) ? " of-whole" : ""}${isFew ? " thin" : ""}`;
}

function NumberCell({ column, cells, scale }: { column: Shown; cells: Cells | undefined; scale: Scale }) {
  const value = cellValue(cells, column.id);
  const isFew = value !== undefined && column.group === "time" && isThin(value, scale.totalSamples);
  return (
    <span role="gridcell" class={classOf(column, isFew)} data-column={value === undefined ? undefined : column.id}>
      {value !== undefined && PIES.includes(column.id) && <Pie wedges={wedgesOf(column.id, value, cells)} />}
      {value !== undefined && <span class="number">{cellText(column.unit, value)}</span>}
      {value !== undefined && cells && hasBar(column.id) && <TimeBar cells={cells} />}
    </span>
  );
}

export function CellsOf({ cells, curve, set, scale }: Props) {
  return (
    <>
      {set.columns.map((column) =>
        column.unit === "curve" ? (
          <span key={column.id} role="gridcell" class={`cell curve${column.isFirst ? " first" : ""}${isOfWhole(column) ? " of-whole" : ""}`} data-column={column.id}>
            {curve && curve.length > 1 && <Sparkline curve={curve} elapsed={scale.elapsed_s} top={scale.topMb} />}
          </span>
        ) : (
          <NumberCell key={column.id} column={column} cells={cells} scale={scale} />
        ),
      )}
    </>
  );
}
