// gui/src/lines/line_row.tsx - one line of source with its numbers beside it; or a gap between lines.
//
// Rows have no event handlers: the table listens for all of them and reads their data attributes.
//
// SPDX-License-Identifier: Apache-2.0
import { isGap, type Row } from "../model/answers";
import { count, percent } from "../model/number";
import { CodeText } from "../parts/code_text";
import { COST_BOX } from "../parts/cost_hover";
import { MarkCell } from "../parts/mark";
import { Pure } from "../parts/pure";
import { Explosion, Lightning } from "../shell/icons";
import { CellsOf, type Scale } from "./cells";
import { type ColumnSet, timeOf } from "./columns";
import type { Offer } from "./regions";

interface Props {
  file: number;
  index: number;
  row: Row | undefined;
  set: ColumnSet;
  scale: Scale;
  offer: Offer | undefined;
  /** The address names this row. */
  isChosen: boolean;
  /** The keyboard cursor is on this row. */
  isCursor: boolean;
  isSameFunction: boolean;
}

export class LineRowView extends Pure<Props> {
  render({ file, index, row, set, scale, offer, isChosen, isCursor, isSameFunction }: Props) {
    const id = `row-${file}-${index}`;
    if (row === undefined) return <div class="row pending" role="row" aria-busy="true" id={id} />;
    if (isGap(row))
      return (
        <div class="row gap" role="row" id={id}>
          <span role="gridcell" class="gap-text">
            ⋯ {count(row.gap)} {row.gap === 1 ? "line" : "lines"}
          </span>
        </div>
      );
    const heat = row.heat ?? "none";
    const memory = row.memory_heat ?? "none";
    const classes = ["row", `heat-${heat}`];
    if (heat === "none" && memory !== "none") classes.push(`memory-${memory}`);
    if (isChosen) classes.push("chosen");
    if (isCursor) classes.push("cursor");
    if (isSameFunction) classes.push("same-function");
    return (
      <div
        class={classes.join(" ")}
        role="row"
        id={id}
        data-file={file}
        data-line={row.lineno}
        aria-selected={isChosen}
        aria-describedby={isCursor ? COST_BOX : undefined}
      >
        <span class="gutter">
          <MarkCell heat={heat === "none" ? row.memory_heat : row.heat} />
          <CellsOf cells={row.cells} curve={row.curve} set={set} scale={scale} />
          {set.actionsWidth > 0 && <Actions lineno={row.lineno} offer={offer} percentOf={timeOf(row.cells)} />}
          <span class="lineno" role="rowheader" data-lineno="true">
            {row.lineno}
          </span>
        </span>
        <code class="source" role="gridcell">
          <CodeText code={row.code} />
          {row.leak && (
            <span class="chip leak" title={`Grows by ${row.leak.velocity_mb_s.toFixed(1)} MB/s`}>
              possible leak {percent(100 * row.leak.likelihood)}
            </span>
          )}
        </code>
        {set.hasActionsAtEnd && (offer?.line || offer?.region) && <Actions lineno={row.lineno} offer={offer} percentOf={timeOf(row.cells)} />}
      </div>
    );
  }
}

function Actions({ lineno, offer, percentOf }: { lineno: number; offer: Offer | undefined; percentOf: number }) {
  return (
    <span class="actions" role="gridcell">
      {offer?.region && (
        <button
          type="button"
          class="act"
          data-act="region"
          data-end={offer.region[1]}
          data-start={offer.region[0]}
          tabIndex={-1}
          aria-label={`Ask for a faster version of lines ${offer.region[0]} to ${offer.region[1]}`}
          title={`Ask for a faster version of lines ${offer.region[0]} to ${offer.region[1]}`}
        >
          <Explosion />
        </button>
      )}
      {offer?.line && (
        <button
          type="button"
          class="act"
          data-act="line"
          tabIndex={-1}
          aria-label={`Ask for a faster version of line ${lineno}, ${percent(percentOf)} of the time`}
          title={`Ask for a faster version of line ${lineno}`}
        >
          <Lightning />
        </button>
      )}
    </span>
  );
}
