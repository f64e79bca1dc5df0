// gui/src/lines/lines_notes.tsx - what is to be said about the list: that it waits, and what it does not have.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { Waiting } from "../parts/waiting";
import type { Place } from "../state/place";
import type { Placed } from "./layout";
import type { OpenRows } from "./open_rows";

interface Props {
  overview: Overview;
  place: Place;
  rows: OpenRows;
  view: readonly Placed[];
  isAbsent: boolean;
}

export function LinesNotes({ overview, place, rows, view, isAbsent }: Props) {
  const { store, open, sections, modeOf } = rows;
  const waiting = view.find(({ index }) => open.has(index) && (sections[index]?.rows ?? 0) === 0);
  const short = view.find(({ index }) => open.has(index) && store.isShort(index, modeOf(index)));
  const failed = waiting && store.error(waiting.index, modeOf(waiting.index));
  return (
    <>
      {waiting && (
        <Waiting
          answer={failed === undefined ? { isOld: true } : { isOld: false, error: failed }}
          text={`Reading the lines of ${overview.files[waiting.index]?.short_name ?? ""}`}
        />
      )}
      {short && (
        <p class="note">
          Of {overview.files[short.index]?.short_name} this page holds only the lines with a number; scalene view shows them all.
        </p>
      )}
      {isAbsent && place.file !== undefined && (
        <p class="note" role="status">
          {overview.files[place.file]?.short_name} has no line {place.line}.
        </p>
      )}
      {overview.files.length === 0 && <p class="note">No line of any file has a cost worth showing.</p>}
    </>
  );
}
