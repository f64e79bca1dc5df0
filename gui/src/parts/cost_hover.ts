// gui/src/parts/cost_hover.ts - when the box beside a number shows, and which number it is about.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import type { FileSummary } from "../model/answers";
import type { NumberOf } from "../model/files";
import { useFileState } from "../state/carried";

const PAUSE_MS = 180;

/** The id of the box, which describes the row that the keyboard cursor is on. */
export const COST_BOX = "cost-box";

export interface ShownCost {
  file: number;
  line: number;
  /** A function's name, for rows that are functions. */
  fn: string | undefined;
  column: string | undefined;
  anchor: DOMRect;
}

export interface CostBoxState {
  shown: ShownCost | null;
  over: (event: MouseEvent) => void;
  leave: () => void;
  hide: () => void;
  /** For the element of a number or a row: shows its box, or hides it when it shows. */
  toggleAt: (element: HTMLElement) => void;
}

function costOf(element: HTMLElement): ShownCost | null {
  const row = element.closest<HTMLElement>("[data-line]");
  if (!row) return null;
  const cell = element.closest<HTMLElement>("[data-column]");
  return {
    file: Number(row.dataset["file"]),
    line: Number(row.dataset["line"]),
    fn: row.dataset["fn"],
    column: cell?.dataset["column"],
    anchor: (cell ?? row).getBoundingClientRect(),
  };
}

const isSame = (a: ShownCost | null, b: ShownCost | null) =>
  a !== null && b !== null && a.file === b.file && a.line === b.line && a.fn === b.fn && a.column === b.column;

const carried = (shown: ShownCost | null, numberOf: NumberOf): ShownCost | null => {
  const file = shown ? numberOf(shown.file) : undefined;
  return shown && file !== undefined ? { ...shown, file } : null;
};

/** within: the element whose numbers have boxes. */
export function useCostBox(within: RefObject<HTMLElement | null>, files: readonly FileSummary[]): CostBoxState {
  const [shown, setShown] = useFileState<ShownCost | null>(files, () => null, carried);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = useRef<ShownCost | null>(null);
  last.current = shown;
  const hide = useCallback(() => {
    clearTimeout(timer.current);
    setShown(null);
  }, []);
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!within.current?.contains(event.target as Node)) hide();
    };
    const elsewhere = (event: FocusEvent) => {
      if (!within.current?.contains(event.target as Node)) hide();
    };
    addEventListener("pointerdown", outside);
    addEventListener("focusin", elsewhere);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("focusin", elsewhere);
      clearTimeout(timer.current);
    };
  }, []);
  return useMemo(
    () => ({
      shown,
      hide,
      leave: hide,
      over(event) {
        clearTimeout(timer.current);
        const cell = (event.target as HTMLElement).closest<HTMLElement>("[data-column]");
        const cost = cell && costOf(cell);
        if (!cost) {
          if (last.current?.column !== undefined) timer.current = setTimeout(() => setShown(null), PAUSE_MS);
          return;
        }
        timer.current = setTimeout(() => setShown(cost), PAUSE_MS);
      },
      toggleAt(element) {
        clearTimeout(timer.current);
        const cost = costOf(element);
        setShown(isSame(cost, last.current) ? null : cost);
      },
    }),
    [shown],
  );
}
