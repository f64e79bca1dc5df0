// gui/src/lines/list_widths.ts - how wide the columns and the list are, as properties of its style.
//
// SPDX-License-Identifier: Apache-2.0
import { useRef } from "preact/hooks";
import { isGap, type Row } from "../model/answers";
import type { ColumnSet } from "./columns";
import type { Placed } from "./layout";

const CHAR_WIDTH = 7.9;
const LENGTH_MAX = 2000;

function lengthOf(code: [string, string][]): number {
  let length = 0;
  for (const part of code) length += part[1].length;
  return length;
}

/** The list is as wide as the longest line seen so far. */
export function useListWidths(
  set: ColumnSet,
  room: number,
  view: readonly Placed[],
  rowAt: (file: number, index: number) => Row | undefined,
): Record<string, string> {
  const longest = useRef(0);
  for (const { index, first, end } of view)
    for (let at = first; at < end; at += 1) {
      const row = rowAt(index, at);
      if (row && !isGap(row)) longest.current = Math.max(longest.current, lengthOf(row.code));
    }
  return {
    "--columns": [
      "14px",
      ...set.columns.map((column) => `${column.width}px`),
      ...(set.actionsWidth > 0 ? [`${set.actionsWidth}px`] : []),
      `${set.linenoWidth}px`,
    ].join(" "),
    "--gutter": `${set.width}px`,
    "--room": `${room}px`,
    "--list": `${Math.max(room, Math.ceil(set.width + 40 + Math.min(longest.current, LENGTH_MAX) * CHAR_WIDTH))}px`,
  };
}
