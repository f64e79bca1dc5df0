// gui/src/lines/steady.ts - what is in sight stays where it is when a newer profile has other rows.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isGap, type Overview, type Row } from "../model/answers";
import type { Cursor } from "./cursor";
import { type Placed, rowTop } from "./layout";
import type { OpenRows } from "./open_rows";

interface Props {
  overview: Overview;
  rows: OpenRows;
  view: readonly Placed[];
  scroller: RefObject<HTMLDivElement | null>;
  cursor: Cursor | null;
  setCursor: (cursor: Cursor) => void;
  setScroll: (scroll: number) => void;
}

/** A line of a file, and how far below the upper edge it is. */
interface Held {
  name: string;
  line: number;
  below: number;
}

function heldAt({ overview, rows }: Props, file: number, index: number, scroll: number): Held | null {
  const row: Row | undefined = rows.rowAt(file, index);
  if (row === undefined || isGap(row)) return null;
  return { name: overview.files[file]?.name ?? "", line: row.lineno, below: rowTop(rows.sections, rows.tops, file, index) - scroll };
}

/** The first line in sight; of a list that is sorted, or not scrolled, the edge itself stays. */
function firstHeld(props: Props, scroll: number): Held | null {
  if (scroll === 0 || props.rows.order.column !== "") return null;
  for (const { index, first, end } of props.view)
    for (let row = first; row < end; row += 1) {
      const held = heldAt(props, index, row, scroll);
      if (held && held.below >= 0) return held;
    }
  return null;
}

export function useSteady(props: Props): void {
  const { overview, rows, scroller, cursor, setCursor, setScroll } = props;
  const last = useRef<{ overview: Overview; top: Held | null; cursor: Held | null } | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const was = last.current;
    const where = (held: Held): Cursor => {
      const file = overview.files.findIndex((one) => one.name === held.name);
      return { file, index: file < 0 ? -1 : rows.indexOf(file, held.line) };
    };
    if (was && was.overview !== overview) {
      const top = was.top && where(was.top);
      if (was.top && top && top.index >= 0) {
        element.scrollTop = rowTop(rows.sections, rows.tops, top.file, top.index) - was.top.below;
        setScroll(element.scrollTop);
      }
      const at = was.cursor && where(was.cursor);
      if (at && at.index >= 0) {
        setCursor(at);
        last.current = { ...was, overview };
        return; // the cursor is noted when it is there
      }
    }
    const scroll = element.scrollTop;
    last.current = { overview, top: firstHeld(props, scroll), cursor: cursor && heldAt(props, cursor.file, cursor.index, scroll) };
  });
}
