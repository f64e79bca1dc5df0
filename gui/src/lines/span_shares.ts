// gui/src/lines/span_shares.ts - the times of lines within the span, or in the thread, that is selected.
//
// A profile keeps whole stacks with their times, so the cost of a line in a span is that of the stacks
// whose innermost line in these files it is. Memory has no such record: its columns stay the run's.
//
// SPDX-License-Identifier: Apache-2.0
import { useMemo } from "preact/hooks";
import type { Cells, Column, FunctionRow, Heat, LineRow, Overview } from "../model/answers";
import type { Source } from "../model/source";
import { stacksQuestion } from "../flame/answer";
import { type LineStacks, spanCosts } from "../model/span_costs";
import { useAnswer } from "../state/answer_hook";
import type { Place } from "../state/place";

const SPAN_COLUMN: Column = { id: "span", group: "time", group_title: "Time", title: "part", unit: "percent" };

export interface SpanShares {
  columns: Column[];
  /** The numbers of a row: those of the run, or the span's in place of its times. */
  cells(file: number, row: LineRow): Cells | undefined;
  functionCells(row: FunctionRow): Cells | undefined;
  /** How hot a row is with these numbers. */
  heat(row: { heat?: Heat }, cells: Cells | undefined): Heat;
  /** Whether the numbers are those of a part of the run. */
  isPart: boolean;
}

/** With the same limits as in every view (src/report/report.h). */
function heatOf(percent: number): Heat {
  if (percent >= 33) return "hot";
  if (percent >= 10) return "warm";
  return percent >= 3 ? "mild" : "none";
}

/** The numbers with a share in place of the run's times. */
function inPart(cells: Cells | undefined, share: number): Cells {
  const { python: _p, native: _n, system: _s, ...rest } = cells ?? {};
  return share > 0 ? { ...rest, span: share } : rest;
}

export function useSpanShares(source: Source, overview: Overview, place: Place): SpanShares {
  const { from, to, thread } = place;
  const isPart = source.served && ((from !== undefined && to !== undefined) || thread !== undefined);
  const question = isPart ? stacksQuestion({ kind: "time", by: "line", from, to, thread }) : null;
  const answer = useAnswer<LineStacks>(source, question);
  return useMemo(() => {
    if (question === null || answer.value === undefined || answer.isOld)
      return {
        columns: overview.columns,
        cells: (_file, row) => row.cells,
        functionCells: (row) => row.cells,
        heat: (row) => row.heat ?? "none",
        isPart: false,
      };
    const costs = spanCosts(answer.value, overview.files.length);
    const others = overview.columns.filter((column) => column.group !== "time");
    return {
      columns: [SPAN_COLUMN, ...others],
      cells: (file, row) => inPart(row.cells, costs.line(file, row.lineno)),
      functionCells: (row) => inPart(row.cells, costs.fn(row.file, row.name)),
      isPart: true,
      heat: (_row, cells) => heatOf(cells?.["span"] ?? 0),
    };
  }, [question, answer.value, answer.isOld, overview]);
}
