// gui/src/lines/section_view.tsx - one file in the list of lines: its head, what to know of it, its rows in sight.
//
// SPDX-License-Identifier: Apache-2.0
import { isGap, type LineRow, type Overview, type Row } from "../model/answers";
import type { RunPart } from "../state/part_hook";
import type { Scale } from "./cells";
import type { ColumnSet } from "./columns";
import { FileHead } from "./file_head";
import { HEAD_HEIGHT, NOTE_HEIGHT, type Placed, ROW_HEIGHT } from "./layout";
import { LineRowView } from "./line_row";
import type { Cursor } from "./cursor";
import { type Offer, offerOf } from "./regions";

interface Props {
  overview: Overview;
  placed: Placed;
  isOpen: boolean;
  toggle: (file: number) => void;
  rowAt: (file: number, index: number) => Row | undefined;
  part: RunPart;
  set: ColumnSet;
  scale: Scale;
  chosen: { file: number; line: number | undefined; end: number | undefined } | undefined;
  cursor: Cursor | null;
  isSorted: boolean;
}

const offers = new WeakMap<LineRow, { set: ColumnSet; offer: Offer }>();

function offerFor(row: Row | undefined, index: number, set: ColumnSet, at: (index: number) => Row | undefined) {
  if (row === undefined || isGap(row) || (set.actionsWidth === 0 && !set.hasActionsAtEnd)) return undefined;
  const known = offers.get(row);
  if (known?.set === set) return known.offer;
  const offer = offerOf(row, index, at);
  offers.set(row, { set, offer });
  return offer;
}

export function SectionView(props: Props) {
  const { overview, placed, isOpen, toggle, rowAt, part, set, scale, chosen, cursor, isSorted } = props;
  const file = overview.files[placed.index];
  if (!file) return null;
  const at = (index: number) => rowAt(placed.index, index);
  const rows = [];
  let around: [number, number] | undefined;
  for (let index = placed.first; index < placed.end; index += 1) {
    const row = at(index);
    if (row && !isGap(row) && chosen?.file === placed.index && chosen.line === row.lineno) around = row.function;
  }
  for (let index = placed.first; index < placed.end; index += 1) {
    const row = at(index);
    const lineno = row && !isGap(row) ? row.lineno : 0;
    const isChosen =
      chosen?.file === placed.index &&
      chosen.line !== undefined &&
      lineno >= chosen.line &&
      lineno <= (chosen.end ?? chosen.line);
    rows.push(
      <LineRowView
        key={index}
        file={placed.index}
        index={index}
        row={row}
        set={set}
        scale={scale}
        offer={isSorted ? undefined : offerFor(row, index, set, at)}
        isChosen={isChosen}
        isCursor={cursor?.file === placed.index && cursor.index === index}
        isSameFunction={around !== undefined && around[0] > 0 && lineno >= around[0] && lineno <= around[1]}
      />,
    );
  }
  const notes = isOpen ? file.warnings : [];
  return (
    <div
      class="section"
      role="rowgroup"
      aria-label={file.short_name}
      style={{ top: `${placed.top}px`, height: `${placed.height}px` }}
    >
      <FileHead
        file={file}
        index={placed.index}
        isOpen={isOpen}
        share={part.fileShare(placed.index)}
        total_s={overview.total_s}
        timeOf={overview.bases.time_of}
        peak_mb={overview.memory?.peak_mb ?? 0}
        toggle={toggle}
        canOpen={!overview.notebook}
      />
      {notes.map((note) => (
        <p key={note} class="file-note" role="row" title={note}>
          <span role="gridcell">{note}</span>
        </p>
      ))}
      <div class="rows" style={{ top: `${HEAD_HEIGHT + notes.length * NOTE_HEIGHT + placed.first * ROW_HEIGHT}px` }}>
        {rows}
      </div>
    </div>
  );
}
