// gui/src/lines/lines_view.tsx - the source of all files with its numbers beside it, one long list.
//
// Only what is in sight is in the document and was asked for, so 200,000 lines scroll like 200.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type FileSummary, isGap, type Mode, type Row } from "../model/answers";
import { CostBox } from "../parts/cost_box";
import { useCostBox } from "../parts/cost_hover";
import { Waiting } from "../parts/waiting";
import { isText, isTexts, useKept } from "../state/kept";
import { useSize } from "../state/size";
import type { ViewProps } from "../view_props";
import type { Cursor } from "./cursor";
import type { Scale } from "./cells";
import { cellValue, columnSet } from "./columns";
import { LinesBar } from "./lines_bar";
import { inSight, rowTop, type Section, sectionTops } from "./layout";
import { RowStore } from "./row_store";
import { SectionView } from "./section_view";
import { TableHead } from "./table_head";
import { useSpanShares } from "./span_shares";
import { useRowKeys } from "./row_keys";
import { curveTop } from "./curve_top";

const CHAR_WIDTH = 7.9;
const isMode = (value: unknown): value is Mode => isText(value) && ["hot", "functions", "all"].includes(value);

export function LinesView({ source, overview, place, go }: ViewProps) {
  const [version, setVersion] = useState(0);
  const store = useMemo(() => new RowStore(source, () => setVersion((n) => n + 1)), [source]);
  const [hidden, setHidden] = useKept("hidden-columns", [] as string[], isTexts);
  const [keptMode, keepMode] = useKept<Mode>("mode", "functions", isMode);
  const mode = place.mode ?? keptMode;
  const [ownModes, setOwnModes] = useState<ReadonlyMap<number, Mode>>(new Map());
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set([place.file ?? 0]));
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [scroll, setScroll] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const box = useCostBox(scroller);
  const span = useSpanShares(source, overview, place);

  const sort = place.sort?.replace(/^-/, "") ?? "";
  const isUp = place.sort?.startsWith("-") ?? false;
  const modeOf = (file: number): Mode => (sort === "" ? (ownModes.get(file) ?? mode) : "hot");
  const rowsOf = (file: number): Row[] | undefined =>
    sort === ""
      ? undefined
      : store.sorted(file, "hot", sort, (row) => (isGap(row) ? 0 : (cellValue(span.cells(file, row), sort) ?? 0)), isUp);
  const rowAt = (file: number, index: number): Row | undefined =>
    sort === "" ? store.row(file, modeOf(file), index) : rowsOf(file)?.[index];

  // Files that are open but far away have all their lines, or count as short until they come into sight.
  const expected = (index: number, file: FileSummary) => (sort === "" && modeOf(index) === "all" ? file.line_count : 0);
  const counts = useRef(new Map<string, number>());
  const countKey = (file: number) => `${modeOf(file)}:${sort}:${file}`;
  const sections: Section[] = useMemo(
    () =>
      overview.files.map((file, index) => ({
        isOpen: open.has(index),
        rows: open.has(index) ? (counts.current.get(countKey(index)) ?? expected(index, file)) : 0,
        notes: open.has(index) ? file.warnings.length : 0,
      })),
    [overview, open, version, mode, ownModes, sort],
  );
  const tops = useMemo(() => sectionTops(sections), [sections]);
  const view = inSight(sections, tops, scroll, scroll + size.height);

  useEffect(() => {
    let isMore = false;
    for (const { index } of view) {
      if (!open.has(index)) continue;
      const rows = sort === "" ? store.rowCount(index, modeOf(index)) : rowsOf(index)?.length;
      if (rows !== undefined && counts.current.get(countKey(index)) !== rows) {
        counts.current.set(countKey(index), rows);
        isMore = true;
      }
    }
    if (isMore) setVersion((n) => n + 1);
  });

  // Going to a place: open its file, find the row, bring it into sight.
  const target = useRef<{ file: number; line: number | undefined } | null>(null);
  const [targetRow, setTargetRow] = useState<Cursor | null>(null);
  const [isAbsent, setAbsent] = useState(false);
  useEffect(() => {
    if (place.file === undefined) return;
    const { file, line } = place;
    target.current = { file, line };
    setOpen((now) => (now.has(file) ? now : new Set([...now, file])));
    setTargetRow(null);
    setAbsent(false);
    if (line === undefined) {
      setTargetRow({ file, index: -1 });
      return;
    }
    let isWanted = true;
    const seek = async () => {
      let index = sort === "" ? await store.find(file, modeOf(file), line) : -1;
      if (index === null && isWanted) {
        setOwnModes((now) => new Map(now).set(file, "all"));
        index = await store.find(file, "all", line);
      }
      if (!isWanted) return;
      if (index === null) setAbsent(store.error(file, "all") === undefined);
      else setTargetRow({ file, index });
    };
    void seek();
    return () => {
      isWanted = false;
    };
  }, [place.file, place.line, store]);

  const reveal = useCallback(
    (file: number, index: number, isFar: boolean) => {
      const element = scroller.current;
      if (!element) return;
      const head = 92; // headings and the head of the file stay in sight
      const top = index < 0 ? (tops[file] ?? 0) : rowTop(sections, tops, file, index);
      const y = index < 0 ? top : top + 44;
      if (index < 0) element.scrollTop = top;
      else if (y < element.scrollTop + head || y + 44 > element.scrollTop + element.clientHeight)
        element.scrollTop = isFar ? y - element.clientHeight / 3 : y < element.scrollTop + head ? y - head : y + 66 - element.clientHeight;
    },
    [sections, tops],
  );

  useLayoutEffect(() => {
    if (!targetRow || size.height === 0) return;
    const { file, index } = targetRow;
    const section = sections[file];
    if (!section?.isOpen || (index >= 0 && section.rows <= index)) {
      // Its rows are not counted yet: they are when it is in sight.
      if (section?.isOpen && scroller.current) scroller.current.scrollTop = tops[file] ?? 0;
      return;
    }
    reveal(file, index, true);
    if (index >= 0) setCursor({ file, index });
    setTargetRow(null);
  }, [targetRow, sections, size.height]);

  const room = size.width;
  const digits = useMemo(() => Math.max(...overview.files.map((file) => String(file.line_count).length), 3), [overview]);
  const set = useMemo(
    () => columnSet({ ...overview, columns: span.columns }, hidden, room, digits, overview.served),
    [overview, span.columns, hidden, room, digits],
  );
  const scale: Scale = useMemo(
    () => ({ totalSamples: overview.total_samples, elapsed_s: overview.elapsed_s, topMb: curveTop(overview) }),
    [overview],
  );

  // The list is as wide as the longest line seen so far.
  const longest = useRef(0);
  for (const { index, first, end } of view)
    for (let at = first; at < end; at += 1) {
      const row = rowAt(index, at);
      if (row && !isGap(row)) longest.current = Math.max(longest.current, lengthOf(row.code));
    }

  const toggle = useCallback(
    (file: number) => setOpen((now) => (now.has(file) ? new Set([...now].filter((one) => one !== file)) : new Set([...now, file]))),
    [],
  );
  const sortBy = (column: string) => {
    if (column === "") go({ sort: undefined }, true);
    else if (sort !== column) go({ sort: column }, true);
    else go({ sort: isUp ? undefined : `-${column}` }, true);
    setCursor(null);
  };
  const keys = useRowKeys({ cursor, setCursor, sections, rowAt, reveal, go, box, toggle });
  const click = (event: MouseEvent) => {
    const at = event.target as HTMLElement;
    const row = at.closest<HTMLElement>("[data-line]");
    if (!row) return;
    const file = Number(row.dataset["file"]);
    const line = Number(row.dataset["line"]);
    const act = at.closest<HTMLElement>("[data-act]");
    if (act?.dataset["act"] === "line") go({ view: "ai", file, line });
    else if (act) go({ view: "ai", file, line: Number(act.dataset["start"]), end: Number(act.dataset["end"]) });
    else if (at.closest("[data-column]")) box.toggleAt(at.closest<HTMLElement>("[data-column]") as HTMLElement);
    else if (!getSelection()?.toString()) go({ file, line }, true);
  };

  const widths: Record<string, string> = {
    "--columns": [
      "14px",
      ...set.columns.map((column) => `${column.width}px`),
      ...(set.actionsWidth > 0 ? [`${set.actionsWidth}px`] : []),
      `${set.linenoWidth}px`,
    ].join(" "),
    "--gutter": `${set.width}px`,
    "--room": `${room}px`,
    "--list": `${Math.max(room, Math.ceil(set.width + 40 + Math.min(longest.current, 2000) * CHAR_WIDTH))}px`,
  };
  const chosen = place.file === undefined ? undefined : { file: place.file, line: place.line, end: place.end };
  const waiting = view.find(({ index }) => open.has(index) && (sections[index]?.rows ?? 0) === 0);
  const short = view.find(({ index }) => open.has(index) && store.isShort(index, modeOf(index)));
  const failed = waiting && store.error(waiting.index, modeOf(waiting.index));

  return (
    <div class={room > 0 && room < 620 ? "lines narrow" : "lines"}>
      <LinesBar
        overview={overview}
        mode={sort === "" ? mode : "hot"}
        setMode={(next) => {
          keepMode(next);
          setOwnModes(new Map());
          go({ mode: undefined, sort: undefined }, true);
          setCursor(null);
        }}
        openAll={() => setOpen(new Set(overview.files.map((_, index) => index)))}
        closeAll={() => setOpen(new Set())}
        hidden={hidden}
        setHidden={setHidden}
        leftOut={set.leftOut}
      />
      <div
        class="scroller"
        ref={scroller}
        role="grid"
        aria-label="Source lines with their costs"
        aria-rowcount={-1}
        aria-activedescendant={cursor ? `row-${cursor.file}-${cursor.index}` : undefined}
        tabIndex={0}
        onScroll={(event) => {
          setScroll(event.currentTarget.scrollTop);
          box.hide();
        }}
        onKeyDown={keys}
        onClick={click}
        onMouseOver={box.over}
        onMouseLeave={box.leave}
      >
        <TableHead set={set} sort={sort} isUp={isUp} sortBy={sortBy} sourceTitle="source" widths={widths} />
        <div class="list" style={{ ...widths, height: `${tops[tops.length - 1] ?? 0}px` }}>
          {view.map((placed) => (
            <SectionView
              key={placed.index}
              overview={overview}
              placed={placed}
              isOpen={open.has(placed.index)}
              toggle={toggle}
              rowAt={rowAt}
              span={span}
              set={set}
              scale={scale}
              chosen={chosen}
              cursor={cursor}
              isSorted={sort !== ""}
            />
          ))}
        </div>
      </div>
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
      {box.shown && <CostBox source={source} overview={overview} shown={box.shown} />}
    </div>
  );
}

function lengthOf(code: [string, string][]): number {
  let length = 0;
  for (const part of code) length += part[1].length;
  return length;
}
