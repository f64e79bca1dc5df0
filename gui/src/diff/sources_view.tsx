// gui/src/diff/sources_view.tsx - a file or a function of both versions side by side; one below the other where it is narrow.
//
// SPDX-License-Identifier: Apache-2.0
import { Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { count } from "../model/number";
import { CodeText } from "../parts/code_text";
import { Pick } from "../parts/pick";
import { Waiting } from "../parts/waiting";
import { useAnswer } from "../state/answer_hook";
import { isTyping } from "../state/keys";
import { useNarrow } from "../state/narrow";
import { folded, type Lines, type Row, sideBySide } from "./align";
import { type DiffAnswer, type Difference, type PairsAnswer, pairsQuestion, type Side, type SourcesAnswer, sourcesQuestion, type Stretch } from "./answers";
import type { DiffProps } from "./diff_view";
import type { DiffPlace } from "./place";
import { amountText, changeText, errorText, FIRST_METRIC, metricsOf, titled, toneOf } from "./words";

/** Narrower than this, both versions do not fit beside each other. */
const NARROW_PX = 760;

const SIDE = ["number", "cost", "code"];
const COLUMNS = [...SIDE, "change", ...SIDE];
const NARROW_COLUMNS = ["change", "number", "code"];

type Pair = PairsAnswer["pairs"][number];

/** The pair that the address means; the first where it means none. */
function chosenPair(pairs: readonly Pair[], place: DiffPlace): number {
  const after = pairs.findIndex((pair) => place.after !== undefined && pair.after?.file === place.after);
  const before = pairs.findIndex((pair) => place.before !== undefined && pair.before?.file === place.before);
  return after >= 0 ? after : Math.max(before, 0);
}

function pairTitle({ before, after }: Pair): string {
  if (!after) return `${before?.file ?? ""} (gone)`;
  if (!before) return `${after.file} (new)`;
  return before.file === after.file ? after.file : `${before.file} → ${after.file}`;
}

/** The numbers of a file's lines, by side and line. */
function numbersOf(answer: DiffAnswer, metric: string): (side: Side, file: string | undefined, line: number | undefined) => Difference | undefined {
  const known = new Map<string, Difference>();
  for (const { before, after, numbers } of answer.lines) {
    const one = numbers[metric];
    if (one === undefined || (one.before === 0 && one.after === 0)) continue;
    if (before) known.set(`before ${before.file}:${before.line}`, one);
    if (after) known.set(`after ${after.file}:${after.line}`, one);
  }
  return (side, file, line) => known.get(`${side} ${file}:${line}`);
}

const linesOf = (source: SourcesAnswer | undefined, side: Side, pair: number, stretch: Stretch | undefined, isPart: boolean): Lines | undefined => {
  const lines = source?.[side]?.lines;
  if (!lines || (isPart && (!stretch || stretch.pair !== pair))) return undefined;
  return { pair, lines, start: stretch?.start ?? 1, end: Math.min(stretch?.end ?? lines.length, lines.length) };
};

interface Drawn {
  before: Lines | undefined;
  after: Lines | undefined;
  /** Of the line on a side. */
  numberOf: (side: Side, line: number | undefined) => Difference | undefined;
  metric: string;
  /** Where a line is on the other side, if that is not the row that it stands in. */
  elsewhere: (side: Side, line: number) => string;
}

/** A line of one side: its number, what it cost where there is room, its text. */
function SideCells({ row, side, drawn, isNarrow }: { row: Row; side: Side; drawn: Drawn; isNarrow: boolean }) {
  const line = row[side];
  if (line === undefined) return <td class="sides-none" colSpan={3} />;
  const one = drawn.numberOf(side, line);
  const code = drawn[side]?.lines[line - 1]?.code ?? [];
  const isAlone = row.before === undefined || row.after === undefined;
  const moved = isAlone && code.length > 0 ? drawn.elsewhere(side, line) : "";
  const kind = row.isSame || moved !== "" || code.length === 0 ? "" : side === "before" ? "removed" : "added";
  return (
    <>
      <td class="sides-number">{line}</td>
      {!isNarrow && <td class="number sides-cost">{one ? amountText(drawn.metric, one[side]) : ""}</td>}
      <td class={`sides-code ${kind}`}>
        {kind !== "" && <span class="unseen">{!isAlone ? "changed: " : side === "before" ? "gone: " : "new: "}</span>}
        {kind !== "" && <span class="sides-sign" aria-hidden="true">{side === "before" ? "−" : "+"}</span>}
        <CodeText code={code} />
        {moved !== "" && <span class="chip">{moved}</span>}
      </td>
    </>
  );
}

function ChangeCell({ one, metric }: { one: Difference | undefined; metric: string }) {
  if (!one) return <td class="number sides-change" />;
  return (
    <td class={`number sides-change ${toneOf(one)}`} title={`${changeText(metric, one.change)} ${errorText(metric, one.error)}, ${one.verdict}`}>
      {one.verdict === "equal" ? "" : changeText(metric, one.change)}
    </td>
  );
}

/** A blank line that came or went is no change. */
const isText = (lines: Lines | undefined, line: number | undefined) => line !== undefined && (lines?.lines[line - 1]?.code.length ?? 0) > 0;

/** Both sides in one row, or where it is narrow in one or two. */
function RowCells({ row, drawn, isNarrow, isChosen }: { row: Row; drawn: Drawn; isNarrow: boolean; isChosen: boolean }) {
  const one = drawn.numberOf("after", row.after) ?? drawn.numberOf("before", row.before);
  const facts = { "data-before": row.before, "data-after": row.after, "aria-current": isChosen || undefined };
  const isChanged = one?.verdict === "certain" || (!row.isSame && (isText(drawn.before, row.before) || isText(drawn.after, row.after)));
  const name = isChanged ? "sides-row is-changed" : "sides-row";
  if (!isNarrow)
    return (
      <tr class={name} {...facts}>
        <SideCells row={row} side="before" drawn={drawn} isNarrow={false} />
        <ChangeCell one={one} metric={drawn.metric} />
        <SideCells row={row} side="after" drawn={drawn} isNarrow={false} />
      </tr>
    );
  const sides: Side[] = row.isSame ? ["after"] : (["before", "after"] as const).filter((side) => row[side] !== undefined);
  return (
    <Fragment>
      {sides.map((side, index) => (
        <tr key={side} class={name} {...facts}>
          <ChangeCell one={index === sides.length - 1 ? one : undefined} metric={drawn.metric} />
          <SideCells row={row} side={side} drawn={drawn} isNarrow />
        </tr>
      ))}
    </Fragment>
  );
}

/** Goes from one row that has changed to the next, with the keys j and k. */
function useRowKeys(box: { current: HTMLElement | null }): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const rows = [...(box.current?.querySelectorAll<HTMLElement>(".is-changed") ?? [])];
      const now = rows.findIndex((row) => row.classList.contains("at"));
      const next = rows[now < 0 && step < 0 ? rows.length - 1 : now + step];
      if (!next) return;
      rows[now]?.classList.remove("at");
      next.classList.add("at");
      next.scrollIntoView({ block: "center" });
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** A getter and its setter have one name: the second is "name #2". */
export function distinct(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name} #${count}` : name;
  });
}

export function SourcesView({ source, answer, place, go }: DiffProps) {
  const isNarrow = useNarrow(NARROW_PX);
  const box = useRef<HTMLDivElement>(null);
  const files = useAnswer<PairsAnswer>(source, pairsQuestion);
  const pairs = files.value?.pairs ?? [];
  const pair = chosenPair(pairs, place);
  const own = useAnswer<SourcesAnswer>(source, pairs.length > 0 ? sourcesQuestion(pair) : null);
  const functions = own.value?.functions ?? [];
  const ids = distinct(functions.map(({ name }) => name));
  const chosen = functions[place.fn === undefined ? -1 : ids.indexOf(place.fn)];
  const isPart = chosen !== undefined;
  const beforePair = chosen?.before?.pair ?? pair;
  const other = useAnswer<SourcesAnswer>(source, pairs.length > 0 ? sourcesQuestion(beforePair) : null);
  const metrics = metricsOf(answer.lines, true);
  const metric = place.metric !== undefined && metrics.includes(place.metric) ? place.metric : FIRST_METRIC.lines;
  const numberAt = useMemo(() => numbersOf(answer, metric), [answer, metric]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [before, after] = [linesOf(other.value, "before", beforePair, chosen?.before, isPart), linesOf(own.value, "after", pair, chosen?.after, isPart)];
  const rows = useMemo(() => sideBySide(before, after), [other.value, own.value, chosen]);
  useEffect(() => setOpen(new Set()), [pair, place.fn]);
  useRowKeys(box);
  const isChosen = (row: Row) => place.line !== undefined && row[place.at] === place.line;
  useEffect(() => {
    box.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "center" });
  }, [rows, place.line, place.at]);
  if (files.value && pairs.length === 0) return <p class="note">The profiles have no lines with a cost, so there are no sources to show.</p>;
  const fileOf = (side: Side) => pairs[side === "before" ? beforePair : pair]?.[side]?.file;
  const drawn: Drawn = {
    before,
    after,
    metric,
    numberOf: (side, line) => numberAt(side, fileOf(side), line),
    elsewhere: (side, line) => {
      const of = drawn[side]?.lines[line - 1];
      if (of?.line === undefined) return "";
      const file = of.pair === undefined ? undefined : pairs[of.pair]?.[side === "before" ? "after" : "before"]?.file;
      return `${side === "before" ? "now" : "was"} ${file ?? "elsewhere"}:${of.line}`;
    },
  };
  const isWorth = (row: Row) => drawn.numberOf("before", row.before) !== undefined || drawn.numberOf("after", row.after) !== undefined || isChosen(row);
  const shown = isPart ? rows : folded(rows, isWorth, open);
  return (
    <div class="diff-sources" ref={box}>
      <div class="diff-tools">
        <Pick
          name="File"
          options={pairs.map((one, index) => [String(index), pairTitle(one)])}
          chosen={String(pair)}
          choose={(value) => {
            const next = pairs[Number(value)];
            go({ before: next?.before?.file, after: next?.after?.file, fn: undefined, line: undefined });
          }}
        />
        {functions.length > 0 && (
          <Pick
            name="Function"
            options={[["", "the whole file"], ...functions.map(({ before: was, after: is }, index) => [ids[index] ?? "", `${ids[index]}${!was ? " (new)" : !is ? " (gone)" : ""}`] as const)]}
            chosen={chosen ? (place.fn ?? "") : ""}
            choose={(name) => go({ fn: name || undefined, line: undefined })}
          />
        )}
        {metrics.length > 1 && <Pick name="Number" options={titled(metrics)} chosen={metric} choose={(metric) => go({ metric }, true)} />}
        {(files.value?.left_out ?? 0) > 0 && <span class="soft">{count(files.value?.left_out ?? 0)} files that changed less are not on this page.</span>}
      </div>
      <table class={isNarrow ? "sides narrow" : "sides"}>
        <colgroup>
          {(isNarrow ? NARROW_COLUMNS : COLUMNS).map((name, index) => (
            <col key={index} class={`of-${name}`} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {isNarrow && <th scope="col">change</th>}
            <th scope="colgroup" colSpan={isNarrow ? 2 : 3}>
              {isNarrow ? pairTitle(pairs[pair] ?? {}) : `before: ${fileOf("before") ?? "no such file"}`}
            </th>
            {!isNarrow && <th scope="col">change</th>}
            {!isNarrow && (
              <th scope="colgroup" colSpan={3}>
                after: {fileOf("after") ?? "no such file"}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) =>
            "gap" in row ? (
              <tr key={`gap ${row.first}`}>
                <td class="sides-gap" colSpan={isNarrow ? 3 : 7}>
                  <button type="button" class="link" onClick={() => setOpen(new Set([...open, row.first]))}>
                    {count(row.gap)} equal lines
                  </button>
                </td>
              </tr>
            ) : (
              <RowCells key={`${row.before} ${row.after}`} row={row} drawn={drawn} isNarrow={isNarrow} isChosen={isChosen(row)} />
            ),
          )}
        </tbody>
      </table>
      <Waiting answer={own} text="Asking for the sources" />
    </div>
  );
}
