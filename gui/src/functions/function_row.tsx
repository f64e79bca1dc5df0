// gui/src/functions/function_row.tsx - one function with its numbers.
//
// SPDX-License-Identifier: Apache-2.0
import type { FunctionRow } from "../model/answers";
import { percent } from "../model/number";
import { CellsOf, type Scale } from "../lines/cells";
import { type ColumnSet, timeOf } from "../lines/columns";
import { COST_BOX } from "../parts/cost_hover";
import { MarkCell } from "../parts/mark";
import { PathText } from "../parts/path_text";
import { Pure } from "../parts/pure";

interface Props {
  index: number;
  row: FunctionRow | undefined;
  fileName: string;
  set: ColumnSet;
  scale: Scale;
  isChosen: boolean;
  isCursor: boolean;
}

export class FunctionRowView extends Pure<Props> {
  render({ index, row, fileName, set, scale, isChosen, isCursor }: Props) {
    if (row === undefined) return <div class="row pending" role="row" aria-busy="true" id={`function-${index}`} />;
    const own = row.percent ?? timeOf(row.cells);
    // beside the name only where its column has no room
    const withCalls = set.columns.some((column) => column.id === "total") ? undefined : row.cumulative_percent;
    return (
      <div
        class={`row heat-${row.heat ?? "none"}${isChosen ? " chosen" : ""}${isCursor ? " cursor" : ""}`}
        role="row"
        id={`function-${index}`}
        aria-selected={isChosen}
        aria-rowindex={index + 2}
        aria-describedby={isCursor ? COST_BOX : undefined}
        data-index={index}
        data-file={row.file}
        data-line={row.lineno}
        data-fn={row.name}
      >
        <span class="gutter">
          <MarkCell heat={row.heat === "none" || row.heat === undefined ? row.memory_heat : row.heat} />
          <CellsOf cells={row.cells} curve={row.curve} set={set} scale={scale} />
          <span class="lineno" role="gridcell">
            {row.lineno}
          </span>
        </span>
        <span class="source function-name" role="gridcell">
          <button type="button" class="link code" tabIndex={-1} title={`${row.name}: go to its lines`}>
            {row.name}
          </button>
          <span class="soft function-file">
            <PathText text={fileName} />
          </span>
          {withCalls !== undefined && withCalls >= own + 1 && <span class="soft">total {percent(withCalls)}</span>}
        </span>
      </div>
    );
  }
}
