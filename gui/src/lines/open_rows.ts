// gui/src/lines/open_rows.ts - which files are open, in what mode and order, and where their rows are in the list.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type FileSummary, isGap, type Mode, type Overview, type Row } from "../model/answers";
import type { Source } from "../model/source";
import { useFileState } from "../state/carried";
import { isText, useKept } from "../state/kept";
import type { RunPart } from "../state/part_hook";
import type { Place } from "../state/place";
import { cellValue } from "./columns";
import { inSight, type Placed, type Section, sectionTops } from "./layout";
import { RowStore } from "./row_store";

const isMode = (value: unknown): value is Mode => isText(value) && ["hot", "functions", "all"].includes(value);

/** The column that rows are sorted by, "" for the order of the source, and which way. */
export interface Order {
  column: string;
  isUp: boolean;
}

export function orderOf(place: Place): Order {
  return { column: place.sort?.replace(/^-/, "") ?? "", isUp: place.sort?.startsWith("-") ?? false };
}

export interface OpenRows {
  store: RowStore;
  order: Order;
  mode: Mode;
  setMode: (mode: Mode) => void;
  modeOf: (file: number) => Mode;
  showAllOf: (file: number) => void;
  open: ReadonlySet<number>;
  openFile: (file: number) => void;
  toggle: (file: number) => void;
  openAll: () => void;
  closeAll: () => void;
  rowAt: (file: number, index: number) => Row | undefined;
  /** The index of a line among the rows that are known, or -1. */
  indexOf: (file: number, line: number) => number;
  sections: Section[];
  tops: Float64Array;
  /** The sections and rows between two heights of the list. */
  inSight: (from: number, to: number) => Placed[];
  /** Updates the row counts of the sections that are in sight, once their rows have arrived. */
  count: (view: readonly Placed[]) => void;
}

export function useOpenRows(source: Source, overview: Overview, place: Place, part: RunPart): OpenRows {
  const [version, setVersion] = useState(0);
  const store = useMemo(() => new RowStore(source, part.query, () => setVersion((n) => n + 1)), [source, part.query]);
  const [keptMode, keepMode] = useKept<Mode>("mode", "functions", isMode);
  const mode = place.mode ?? keptMode;
  const { files } = overview;
  const [ownModes, setOwnModes] = useFileState<ReadonlyMap<number, Mode>>(
    files,
    () => new Map(),
    (modes, numberOf) => new Map([...modes].map(([file, own]) => [numberOf(file) ?? -1, own])),
  );
  const [open, setOpen] = useFileState<ReadonlySet<number>>(
    files,
    () => new Set([place.file ?? 0]),
    (now, numberOf) => new Set([...now].map((file) => numberOf(file) ?? -1)),
  );
  const order = orderOf(place);
  const { column, isUp } = order;

  const modeOf = (file: number): Mode => (column === "" ? (ownModes.get(file) ?? mode) : "hot");
  const rowsOf = (file: number): Row[] | undefined =>
    column === ""
      ? undefined
      : store.sorted(file, "hot", column, (row) => (isGap(row) ? 0 : (cellValue(row.cells, column) ?? 0)), isUp);
  const rowAt = (file: number, index: number): Row | undefined =>
    column === "" ? store.row(file, modeOf(file), index) : rowsOf(file)?.[index];

  // Open files that were not in sight yet count with all their lines in the mode "all", otherwise with none.
  const expected = (index: number, file: FileSummary) => (column === "" && modeOf(index) === "all" ? file.line_count : 0);
  const counts = useRef(new Map<string, number>());
  const countKey = (file: number) => `${modeOf(file)}:${column}:${files[file]?.name}${part.query}`;
  const countOf = (file: number) => (column === "" ? store.knownCount(file, modeOf(file)) : undefined) ?? counts.current.get(countKey(file));
  const sections: Section[] = useMemo(
    () =>
      overview.files.map((file, index) => ({
        isOpen: open.has(index),
        rows: open.has(index) ? (countOf(index) ?? expected(index, file)) : 0,
        notes: open.has(index) ? file.warnings.length : 0,
      })),
    [overview, store, open, version, mode, ownModes, column, part.query],
  );
  const tops = useMemo(() => sectionTops(sections), [sections]);

  const count = (view: readonly Placed[]) => {
    let isMore = false;
    for (const { index } of view) {
      if (!open.has(index)) continue;
      const rows = column === "" ? store.rowCount(index, modeOf(index)) : rowsOf(index)?.length;
      if (rows !== undefined && counts.current.get(countKey(index)) !== rows) {
        counts.current.set(countKey(index), rows);
        isMore = true;
      }
    }
    if (isMore) setVersion((n) => n + 1);
  };

  const toggle = useCallback(
    (file: number) => setOpen((now) => (now.has(file) ? new Set([...now].filter((one) => one !== file)) : new Set([...now, file]))),
    [],
  );
  return {
    store,
    order,
    mode,
    setMode: (next) => {
      keepMode(next);
      setOwnModes(new Map());
    },
    modeOf,
    showAllOf: (file) => setOwnModes((now) => new Map(now).set(file, "all")),
    open,
    openFile: (file) => setOpen((now) => (now.has(file) ? now : new Set([...now, file]))),
    toggle,
    openAll: () => setOpen(new Set(overview.files.map((_, index) => index))),
    closeAll: () => setOpen(new Set()),
    rowAt,
    indexOf: (file, line) =>
      column === "" ? store.indexOf(file, modeOf(file), line) : (rowsOf(file) ?? []).findIndex((row) => !isGap(row) && row.lineno === line),
    sections,
    tops,
    inSight: (from, to) => inSight(sections, tops, from, to),
    count,
  };
}

/** Counts rows after each rendering: rows that have arrived make the list longer. */
export function useCounting(rows: OpenRows, view: readonly Placed[]): void {
  useEffect(() => rows.count(view));
}
