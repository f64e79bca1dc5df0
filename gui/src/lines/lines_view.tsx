// gui/src/lines/lines_view.tsx - the source of all files with its numbers beside it, one long list.
//
// Only what is in sight is in the document and was asked for, so 200,000 lines scroll like 200.
//
// SPDX-License-Identifier: Apache-2.0
import { useMemo, useRef, useState } from "preact/hooks";
import { CostBox } from "../parts/cost_box";
import { useCostBox } from "../parts/cost_hover";
import { useFileState } from "../state/carried";
import { isTexts, useKept } from "../state/kept";
import { useSize } from "../state/size";
import type { ViewProps } from "../view_props";
import { CallsPanel } from "./calls_panel";
import type { Scale } from "./cells";
import { columnSet } from "./columns";
import type { Cursor } from "./cursor";
import { curveTop } from "./curve_top";
import { LinesBar } from "./lines_bar";
import { LinesNotes } from "./lines_notes";
import { useListWidths } from "./list_widths";
import { useCounting, useOpenRows } from "./open_rows";
import { Minimap } from "./minimap";
import { rowClicks } from "./row_clicks";
import { useRowKeys } from "./row_keys";
import { SectionView } from "./section_view";
import { useSteady } from "./steady";
import { TableHead } from "./table_head";
import { useReveal, useTargetRow } from "./target_row";

export function LinesView({ source, overview, place, go, part }: ViewProps) {
  const [hidden, setHidden] = useKept("hidden-columns", [] as string[], isTexts);
  const [cursor, setCursor] = useFileState<Cursor | null>(
    overview.files,
    () => null,
    (now, numberOf) => now && { ...now, file: numberOf(now.file) ?? -1 },
  );
  const [scroll, setScroll] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const box = useCostBox(scroller, overview.files);
  const rows = useOpenRows(source, overview, place, part);
  const { order, sections, tops, rowAt, toggle } = rows;
  const view = rows.inSight(scroll, scroll + size.height);
  useCounting(rows, view);
  const reveal = useReveal(scroller, rows);
  const isAbsent = useTargetRow(place, overview.files, part.query, rows, scroller, size.height, reveal, setCursor);
  useSteady({ overview, rows, view, scroller, cursor, setCursor, setScroll });

  const room = size.width;
  const digits = useMemo(() => Math.max(...overview.files.map((file) => String(file.line_count).length), 3), [overview]);
  const set = useMemo(
    () => columnSet({ ...overview, columns: part.columns }, hidden, room, digits, overview.served, window.innerWidth),
    [overview, part.columns, hidden, room, digits],
  );
  const names = useMemo(() => overview.files.map((file) => file.short_name), [overview]);
  const scale: Scale = useMemo(
    () => ({ totalSamples: part.samples, elapsed_s: overview.span_s ?? overview.elapsed_s, topMb: curveTop(overview) }),
    [overview, part.samples],
  );
  const widths = useListWidths(set, room, view, rowAt);

  const sortBy = (column: string) => {
    if (column === "") go({ sort: undefined }, true);
    else if (order.column !== column) go({ sort: column }, true);
    else go({ sort: order.isUp ? undefined : `-${column}` }, true);
    setCursor(null);
  };
  const keys = useRowKeys({ overview, cursor, setCursor, sections, rowAt, reveal, go, box, toggle });
  const chosen = place.file === undefined ? undefined : { file: place.file, line: place.line, end: place.end };

  return (
    <div class={room > 0 && room < 620 ? "lines narrow" : "lines"}>
      <LinesBar
        source={source}
        overview={overview}
        place={place}
        go={go}
        part={part}
        mode={order.column === "" ? rows.mode : "hot"}
        setMode={(next) => {
          rows.setMode(next);
          go({ mode: undefined, sort: undefined }, true);
          setCursor(null);
        }}
        openAll={rows.openAll}
        closeAll={rows.closeAll}
        hidden={hidden}
        setHidden={setHidden}
        leftOut={set.leftOut}
      />
      <div class="lines-body">
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
          onClick={rowClicks(go, box)}
          onMouseOver={box.over}
          onMouseLeave={box.leave}
        >
          <TableHead set={set} sort={order.column} isUp={order.isUp} sortBy={sortBy} sourceTitle="source" widths={widths} />
          <div class="list" style={{ ...widths, height: `${tops[tops.length - 1] ?? 0}px` }}>
            {view.map((placed) => (
              <SectionView
                key={placed.index}
                overview={overview}
                placed={placed}
                isOpen={rows.open.has(placed.index)}
                toggle={toggle}
                rowAt={rowAt}
                part={part}
                set={set}
                scale={scale}
                chosen={chosen}
                cursor={cursor}
                isSorted={order.column !== ""}
              />
            ))}
          </div>
        </div>
        <Minimap rows={rows} names={names} scroll={scroll} height={size.height} scroller={scroller} go={go} />
      </div>
      {chosen?.line !== undefined && !isAbsent && !overview.notebook && (
        <CallsPanel source={source} overview={overview} file={chosen.file} line={chosen.line} part={part} go={go} />
      )}
      <LinesNotes overview={overview} place={place} rows={rows} view={view} isAbsent={isAbsent} />
      {box.shown && <CostBox source={source} overview={overview} shown={box.shown} isPart={part.isPart} />}
    </div>
  );
}
