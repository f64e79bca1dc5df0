// gui/src/functions/functions_view.tsx - the functions of all files, or of one, most expensive first.
//
// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FunctionRow, FunctionsAnswer } from "../model/answers";
import { functionsQuestion, PIECE } from "../model/questions";
import { ROW_HEIGHT } from "../lines/layout";
import type { Scale } from "../lines/cells";
import { columnSet, SELF } from "../lines/columns";
import { ColumnsMenu } from "../lines/columns_menu";
import { curveTop } from "../lines/curve_top";
import { TableHead } from "../lines/table_head";
import { CostBox } from "../parts/cost_box";
import { useCostBox } from "../parts/cost_hover";
import { Legend } from "../parts/legend";
import { Pick } from "../parts/pick";
import { Waiting } from "../parts/waiting";
import { useAnswer } from "../state/answer_hook";
import { isTexts, useKept } from "../state/kept";
import { isBrowsers } from "../state/keys";
import type { Place } from "../state/place";
import { useSize } from "../state/size";
import type { ViewProps } from "../view_props";
import { FunctionRowView } from "./function_row";

const MORE = 10;

const isAt = (place: Place, row: FunctionRow) =>
  place.fn === row.name && (place.line ?? row.lineno) === row.lineno && (place.file ?? row.file) === row.file;

export function FunctionsView({ source, overview, place, go, part }: ViewProps) {
  const [hidden, setHidden] = useKept("hidden-columns", [] as string[], isTexts);
  const [scroll, setScroll] = useState(0);
  const [cursor, setCursor] = useState<number | null>(null);
  const [, setDrawn] = useState(0);
  const redraw = () => setDrawn((count) => count + 1);
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const box = useCostBox(scroller, overview.files);
  const file = place.file ?? "all";
  const wanted = place.sort?.replace(/^-/, "") ?? "";
  const column = overview.columns.some((one) => one.id === wanted) ? wanted : "";
  const sort = column === "" || column === SELF ? "time" : column;
  const isUp = place.sort?.startsWith("-") ?? false;
  /** Pieces that could not be had are not asked for again. */
  const refused = useMemo(() => new Map<string, string>(), [source, overview]);
  const first = useAnswer<FunctionsAnswer>(source, functionsQuestion(file, sort, 0, part.query));
  const count = first.value?.row_count ?? 0;

  let problem: string | undefined; // of the rows that are drawn
  const at = (index: number): FunctionRow | undefined => {
    const shown = isUp ? count - 1 - index : index;
    const piece = Math.floor(shown / PIECE);
    const question = functionsQuestion(file, sort, piece * PIECE, part.query);
    const answer = first.isOld ? first.value : source.known<FunctionsAnswer>(question);
    problem ??= answer === undefined ? refused.get(question) : undefined;
    if (answer === undefined && !refused.has(question)) {
      source.get(question).then(redraw, (problem: Error) => {
        refused.set(question, problem.message);
        redraw();
      });
    }
    return answer?.rows[shown - piece * PIECE];
  };
  // The cursor stays on its function when a newer profile has another order.
  const held = useRef({ overview, name: "", lineno: 0, file: "" });
  useLayoutEffect(() => {
    const was = held.current;
    const fileOf = (row: FunctionRow) => overview.files[row.file]?.name ?? "";
    if (was.overview !== overview && cursor !== null && !first.isOld) {
      const now = first.value?.rows.findIndex((row) => row.name === was.name && row.lineno === was.lineno && fileOf(row) === was.file) ?? -1;
      held.current = { ...was, overview };
      if (now >= 0) setCursor(isUp ? count - 1 - now : now);
      return;
    }
    const row = cursor === null ? undefined : at(cursor);
    held.current = row ? { overview, name: row.name, lineno: row.lineno, file: fileOf(row) } : { ...was, overview };
  });
  const begin = Math.max(Math.floor(scroll / ROW_HEIGHT) - MORE, 0);
  const end = Math.min(Math.ceil((scroll + size.height) / ROW_HEIGHT) + MORE, count);
  const set = useMemo(() => columnSet({ ...overview, columns: part.columns }, hidden, size.width, 4, false), [overview, part.columns, hidden, size.width]);
  const scale: Scale = useMemo(
    () => ({ totalSamples: part.samples, elapsed_s: overview.span_s ?? overview.elapsed_s, topMb: curveTop(overview) }),
    [overview, part.samples],
  );
  const widths: Record<string, string> = {
    "--columns": ["14px", ...set.columns.map((column) => `${column.width}px`), `${set.linenoWidth}px`].join(" "),
    "--gutter": `${set.width}px`,
    "--room": `${size.width}px`,
    "--list": `${size.width}px`,
  };
  const open = (row: FunctionRow) => go({ view: "lines", file: row.file, line: row.lineno, fn: row.name, sort: undefined });
  const sortBy = (next: string) => {
    if (next === "" || (next === column && isUp)) go({ sort: undefined }, true);
    else go({ sort: next === column ? `-${next}` : next }, true);
    setCursor(null);
  };
  const key = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || isBrowsers(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = cursor === null ? undefined : at(cursor);
    if (step !== undefined) {
      const next = Math.min(Math.max((cursor ?? -1) + step, 0), count - 1);
      setCursor(next);
      box.hide();
      const top = next * ROW_HEIGHT;
      const element = event.currentTarget as HTMLElement;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + 3 * ROW_HEIGHT + 24 > element.scrollTop + element.clientHeight)
        element.scrollTop = top + 3 * ROW_HEIGHT + 24 - element.clientHeight;
    } else if (event.key === "Enter" && row && event.shiftKey) open(row);
    else if (event.key === "Enter" && row) {
      const element = document.getElementById(`function-${cursor}`);
      if (element) box.toggleAt(element);
    } else if (event.key === "Escape" && box.shown) box.hide();
    else return;
    event.preventDefault();
  };
  // There may be thousands of files: not made anew each time the table is scrolled.
  const pick = useMemo(
    () => (
      <Pick
        name="Functions of"
        options={[["all", "all files"], ...overview.files.map((one, index) => [String(index), one.short_name] as const)]}
        chosen={String(file)}
        choose={(value) => go({ file: value === "all" ? undefined : Number(value) }, true)}
      />
    ),
    [overview.files, file, go],
  );
  const rows = [];
  for (let index = begin; index < end; index += 1) {
    const row = at(index);
    rows.push(
      <FunctionRowView
        key={index}
        index={index}
        row={row}
        fileName={row ? (overview.files[row.file]?.short_name ?? "") : ""}
        set={set}
        scale={scale}
        isChosen={row !== undefined && isAt(place, row)}
        isCursor={cursor === index}
      />,
    );
  }
  return (
    <div class={size.width > 0 && size.width < 620 ? "lines narrow" : "lines"}>
      <div class="view-bar">
        {pick}
        <ColumnsMenu columns={overview.columns} choices={hidden} leftOut={set.leftOut} change={setHidden} />
        <Legend />
      </div>
      <div
        class="scroller"
        ref={scroller}
        role="grid"
        aria-label="Functions with their costs"
        aria-rowcount={count + 1}
        aria-activedescendant={cursor === null ? undefined : `function-${cursor}`}
        tabIndex={0}
        onScroll={(event) => {
          setScroll(event.currentTarget.scrollTop);
          box.hide();
        }}
        onKeyDown={key}
        onMouseOver={box.over}
        onMouseLeave={box.leave}
        onClick={(event) => {
          const target = event.target as HTMLElement;
          const cell = target.closest<HTMLElement>("[data-column]");
          const index = Number(target.closest<HTMLElement>("[data-index]")?.dataset["index"] ?? Number.NaN);
          const row = Number.isNaN(index) ? undefined : at(index);
          if (cell) box.toggleAt(cell);
          else if (row && target.closest("button")) open(row);
        }}
      >
        <TableHead set={set} sort={column} isUp={isUp} sortBy={sortBy} sourceTitle="function" widths={widths} />
        <div class="list" role="rowgroup" style={{ ...widths, height: `${count * ROW_HEIGHT + 12}px` }}>
          <div class="rows" style={{ top: `${begin * ROW_HEIGHT}px` }}>
            {rows}
          </div>
        </div>
      </div>
      {count === 0 && !first.isOld && !first.error && <p class="note">{part.isPart ? "No function has any time in this part of the run." : "No function has a cost worth showing."}</p>}
      <Waiting answer={first} text="Asking for the functions" />
      {problem !== undefined && <Waiting answer={{ isOld: false, error: problem }} text="" />}
      {box.shown && <CostBox source={source} overview={overview} shown={box.shown} isPart={part.isPart} />}
    </div>
  );
}
