// gui/src/lines/target_row.ts - going to a place: open its file, find the row, bring it into sight.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { FileSummary } from "../model/answers";
import type { Place } from "../state/place";
import type { Cursor } from "./cursor";
import { rowTop } from "./layout";
import type { OpenRows } from "./open_rows";

/** Headings and the head of the file stay in sight. */
const HEAD = 92;
const ROW = 44;

export type Reveal = (file: number, index: number, isFar: boolean) => void;

/** Scrolls to a row, or to the head of a file (index -1). */
export function useReveal(scroller: RefObject<HTMLDivElement | null>, rows: OpenRows): Reveal {
  const { sections, tops } = rows;
  return useCallback(
    (file, index, isFar) => {
      const element = scroller.current;
      if (!element) return;
      const top = index < 0 ? (tops[file] ?? 0) : rowTop(sections, tops, file, index);
      const y = index < 0 ? top : top + ROW;
      if (index < 0) element.scrollTop = top;
      else if (y < element.scrollTop + HEAD || y + ROW > element.scrollTop + element.clientHeight)
        element.scrollTop = isFar ? y - element.clientHeight / 3 : y < element.scrollTop + HEAD ? y - HEAD : y + 66 - element.clientHeight;
    },
    [sections, tops],
  );
}

/** Goes to the place. Returns whether its file has no such line. */
export function useTargetRow(
  place: Place,
  files: readonly FileSummary[],
  part: string,
  rows: OpenRows,
  scroller: RefObject<HTMLDivElement | null>,
  height: number,
  reveal: Reveal,
  setCursor: (cursor: Cursor) => void,
): boolean {
  const { store, order, sections, tops } = rows;
  const [targetRow, setTargetRow] = useState<Cursor | null>(null);
  const [isAbsent, setAbsent] = useState(false);
  useEffect(() => {
    if (place.file === undefined) return;
    const { file, line } = place;
    rows.openFile(file);
    setTargetRow(null);
    setAbsent(false);
    if (line === undefined) {
      setTargetRow({ file, index: -1 });
      return;
    }
    let isWanted = true;
    const seek = async () => {
      let index = order.column === "" ? await store.find(file, rows.modeOf(file), line) : -1;
      if (index === null && isWanted) {
        rows.showAllOf(file);
        index = await store.find(file, "all", line);
      }
      if (!isWanted) return;
      if (index === null) setAbsent(store.error(file, "all") === undefined && !store.isShort(file, "all"));
      else setTargetRow({ file, index });
    };
    void seek();
    return () => {
      isWanted = false;
    };
  }, [place.file === undefined ? undefined : files[place.file]?.name, place.line, place.visits, part]); // a newer profile is no other place

  useLayoutEffect(() => {
    if (!targetRow || height === 0) return;
    const { file, index } = targetRow;
    const section = sections[file];
    if (!section?.isOpen || (index >= 0 && section.rows <= index)) {
      // The file's rows are not counted yet: that happens when it is in sight, so go to its head.
      if (section?.isOpen && scroller.current) scroller.current.scrollTop = tops[file] ?? 0;
      return;
    }
    reveal(file, index, true);
    if (index >= 0) setCursor({ file, index });
    setTargetRow(null);
  }, [targetRow, sections, height]);
  return isAbsent;
}
