// gui/src/lines/row_keys.ts - the keys of a table that has the focus: rows up and down, and a row's numbers.
//
// SPDX-License-Identifier: Apache-2.0
import { isGap, type Overview, type Row } from "../model/answers";
import type { CostBoxState } from "../parts/cost_hover";
import { openInEditor } from "../state/editor_hook";
import type { Go } from "../state/place_hook";
import type { Section } from "./layout";
import type { Cursor } from "./cursor";

interface Props {
  overview: Overview;
  cursor: Cursor | null;
  setCursor: (cursor: Cursor) => void;
  sections: readonly Section[];
  rowAt: (file: number, index: number) => Row | undefined;
  reveal: (file: number, index: number, isFar: boolean) => void;
  go: Go;
  box: CostBoxState;
  toggle: (file: number) => void;
}

const KEPT = new Set(["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Enter", "Escape", "c", "o"]);

/** The row above or below one, across the ends of files, skipping gaps. */
function beside(props: Props, from: Cursor | null, step: 1 | -1): Cursor | null {
  const { sections, rowAt } = props;
  let file = from?.file ?? sections.findIndex((section) => section.isOpen && section.rows > 0);
  let index = from?.index ?? -1;
  while (file >= 0 && file < sections.length) {
    index += step;
    const section = sections[file];
    if (!section?.isOpen || index < 0 || index >= section.rows) {
      file += step;
      const next = sections[file];
      index = step > 0 ? -1 : next?.isOpen ? next.rows : 0;
      continue;
    }
    const row = rowAt(file, index);
    if (row === undefined || !isGap(row)) return { file, index };
  }
  return null;
}

export function useRowKeys(props: Props): (event: KeyboardEvent) => void {
  return (event) => {
    if (!KEPT.has(event.key) || event.target !== event.currentTarget) return;
    const { overview, cursor, setCursor, rowAt, reveal, go, box, toggle } = props;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = beside(props, cursor, event.key === "ArrowDown" ? 1 : -1);
      if (!next) return;
      box.hide();
      setCursor(next);
      reveal(next.file, next.index, false);
    } else if (event.key === "Escape") {
      if (!box.shown) return;
      box.hide();
    } else if (cursor === null) return;
    else if (event.key === "Enter") {
      const row = rowAt(cursor.file, cursor.index);
      if (row && !isGap(row)) go({ file: cursor.file, line: row.lineno }, true);
      const element = document.getElementById(`row-${cursor.file}-${cursor.index}`);
      if (element) box.toggleAt(element);
    } else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "o") {
      const row = rowAt(cursor.file, cursor.index);
      const path = overview.files[cursor.file]?.name;
      if (row && !isGap(row) && path !== undefined && !overview.notebook) openInEditor(path, row.lineno);
    } else if (event.key === "c") {
      const row = rowAt(cursor.file, cursor.index);
      if (row && !isGap(row)) go({ file: cursor.file, line: row.lineno }, true);
      requestAnimationFrame(() => document.querySelector<HTMLElement>(".calls-head")?.focus());
    } else if (event.key === "ArrowLeft" && !event.shiftKey) toggle(cursor.file);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
