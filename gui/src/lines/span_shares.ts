// gui/src/lines/span_shares.ts - the times of lines and functions within the span that is selected.
//
// A profile keeps whole stacks with their times, so the cost of a line in a span is that of the stacks
// whose innermost line in these files it is. Memory has no such record: its columns stay the run's.
//
// SPDX-License-Identifier: Apache-2.0
import { useMemo } from "preact/hooks";
import type { Cells, Column, LineRow, Overview } from "../model/answers";
import type { Source } from "../model/source";
import { type StacksAnswer, stacksQuestion, spanCosts } from "../model/span_costs";
import { useAnswer } from "../state/answer_hook";
import type { Place } from "../state/place";

const SPAN_COLUMN: Column = { id: "span", group: "time", group_title: "Time", title: "span", unit: "percent" };

export interface SpanShares {
  columns: Column[];
  /** The numbers of a row: those of the run, or the span's in place of its times. */
  cells(file: number, row: LineRow): Cells | undefined;
}

export function useSpanShares(source: Source, overview: Overview, place: Place): SpanShares {
  const question = place.from === undefined || place.to === undefined ? null : stacksQuestion(place.from, place.to);
  const answer = useAnswer<StacksAnswer>(source, question);
  return useMemo(() => {
    if (question === null || answer.value === undefined || answer.isOld)
      return { columns: overview.columns, cells: (_file, row) => row.cells };
    const costs = spanCosts(answer.value, overview.files.length);
    const others = overview.columns.filter((column) => column.group !== "time");
    return {
      columns: [SPAN_COLUMN, ...others],
      cells(file, row) {
        const share = costs.line(file, row.lineno);
        const { python: _p, native: _n, system: _s, ...rest } = row.cells ?? {};
        return share > 0 ? { ...rest, span: share } : rest;
      },
    };
  }, [question, answer.value, answer.isOld, overview]);
}
