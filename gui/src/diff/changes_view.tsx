// gui/src/diff/changes_view.tsx - what has changed: the whole program, then lines, functions or calls, what changed most first.
//
// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { count } from "../model/number";
import { Choice } from "../parts/choice";
import { PathText } from "../parts/path_text";
import { Pick } from "../parts/pick";
import { TableBox } from "../parts/table_box";
import { type Heading, TableHead } from "../parts/table_head";
import type { Compared, DiffAnswer, Difference, Numbers, TableId } from "./answers";
import type { DiffProps } from "./diff_view";
import type { DiffGo, DiffPlace } from "./place";
import { amountText, changeText, errorText, FIRST_METRIC, historyText, isListed, listed, METRICS, metricsOf, type Order, titled, toneOf } from "./words";

const TABLES: readonly { id: TableId; title: string; hint?: string }[] = [
  { id: "lines", title: "Lines" },
  { id: "functions", title: "Functions" },
  { id: "stacks", title: "Calls", hint: "Stacks of functions, each with what it calls" },
];

const SCOPES = [
  { id: "certain", title: "Certain changes" },
  { id: "all", title: "All that was compared" },
] as const;

const HEADINGS: readonly Heading[] = [
  { title: "change", kind: "number", sort: "change" },
  { title: "size", kind: "bar" },
  { title: "before", kind: "number", sort: "before" },
  { title: "after", kind: "number", sort: "after" },
  { title: "certainty" },
  { title: "place", sort: "place" },
];

/** Rows that are drawn at first, and with each press of the button below them. */
const PIECE = 200;

export function ChangeCells({ metric, one }: { metric: string; one: Difference }) {
  return (
    <td role="cell" class={`number diff-change ${toneOf(one)}`}>
      <span>{changeText(metric, one.change)}</span> <span class="diff-error">{errorText(metric, one.error)}</span>
    </td>
  );
}

/** The whole program: its numbers that have any size. */
function Whole({ numbers, answer }: { numbers: Numbers; answer: DiffAnswer }) {
  const isSingle = answer.runs_before === 1 && answer.runs_after === 1;
  const shown = Object.entries(numbers).filter(([, one]) => one.before > 0 || one.after > 0);
  return (
    <section class="panel diff-whole">
      <h2>{answer.same ? "No number differs" : "The whole program"}</h2>
      <TableBox name="The whole program">
        <table class="table">
          <TableHead headings={[{ title: "number" }, ...HEADINGS.filter(({ kind, title }) => kind === "number" || title === "certainty").map(({ title, kind }) => ({ title, ...(kind ? { kind } : {}) }))]} />
          <tbody>
            {shown.map(([metric, one]) => (
              <tr key={metric}>
                <th scope="row">{METRICS[metric] ?? metric}</th>
                <ChangeCells metric={metric} one={one} />
                <td class="number">{amountText(metric, one.before)}</td>
                <td class="number">{amountText(metric, one.after)}</td>
                <td class="soft">{one.verdict}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      <p class="soft">
        {isSingle
          ? "What changes from run to run is not seen in one of each; 2% of times, 10% of waits and copies, 1% of memory, and more on a busy machine, are allowed for it."
          : "Errors are those of the spread between the runs."}
      </p>
      {answer.notes.map((note) => (
        <p key={note} class="diff-note">
          {note}
        </p>
      ))}
      {answer.limits.length > 0 && (
        <ul class="diff-limits" aria-label="Limits">
          {answer.limits.map((limit) => (
            <li key={limit.limit} class={limit.outcome === "exceeded" ? "bad" : ""}>
              <code>{limit.limit}</code> {limit.outcome === "open" ? "not enough data to say" : limit.outcome}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Where a row leads to. */
function follow(row: Compared, go: DiffGo): void {
  if (row.stack) {
    go({ view: "calls", fn: row.stack.map((frame) => frame.join(" ")).join("\n") });
    return;
  }
  const spot = row.after ?? row.before;
  go({
    view: "sources",
    before: row.before?.file,
    after: row.after?.file,
    fn: row.before && row.after && row.before.file !== row.after.file ? row.after.name : undefined,
    line: spot?.line,
    at: row.after ? "after" : "before",
  });
}

function Where({ row, go }: { row: Compared; go: DiffGo }) {
  const history = historyText(row);
  const spot = row.after ?? row.before;
  const inner = row.stack?.[row.stack.length - 1];
  const callers = row.stack?.slice(0, -1).map(([, name]) => name).reverse() ?? [];
  const text = spot?.name ?? inner?.[1] ?? spot?.source ?? "";
  return (
    <td role="cell" class="diff-where">
      <button type="button" class="link" onClick={() => follow(row, go)}>
        <PathText text={inner ? inner[0] : `${spot?.file ?? ""}:${spot?.line ?? ""}`} />
      </button>
      {history.text !== "" && <span class={history.isOneSided ? "chip warn" : "chip"}>{history.text}</span>}
      <code class="diff-text" title={text}>
        {text}
      </code>
      {callers.length > 0 && (
        <span class="soft diff-text" title={callers.join(" ← ")}>
          ← {callers.join(" ← ")}
        </span>
      )}
    </td>
  );
}

function Bar({ one, most }: { one: Difference; most: number }) {
  return (
    <td role="cell" class="bar-column" aria-hidden="true">
      <span class={`diff-bar ${toneOf(one)}${one.change < 0 ? " is-less" : ""}`} style={{ "--part": `${most > 0 ? (50 * Math.abs(one.change)) / most : 0}%` }} />
    </td>
  );
}

function orderOf(place: DiffPlace): { by: Order; isUp: boolean } {
  const word = place.sort ?? "change";
  const by = word.replace(/^-/, "");
  const isKnown = by === "before" || by === "after" || by === "place";
  return { by: isKnown ? by : "change", isUp: word.startsWith("-") !== (by === "place") };
}

export function ChangesView({ answer, place, go }: DiffProps) {
  const [shown, setShown] = useState(PIECE);
  const rows = answer[place.of];
  const metrics = metricsOf(rows, place.isAll);
  const first = FIRST_METRIC[place.of];
  const wanted = place.metric ?? first;
  const metric = metrics.includes(wanted) ? wanted : metrics.includes(first) ? first : (metrics[0] ?? first);
  const order = orderOf(place);
  const list = listed(rows, metric, place.isAll, order.by, order.isUp);
  const most = Math.max(0, ...list.map((row) => Math.abs(row.numbers[metric]?.change ?? 0)));
  const unsure = rows.filter((row) => !isListed(row.numbers[metric], false) && isListed(row.numbers[metric], true)).length;
  const choose = (by: string) => go({ sort: by === order.by ? (place.sort?.startsWith("-") ? by : `-${by}`) : by }, true);
  return (
    <div class="diff-changes">
      <Whole numbers={answer.numbers} answer={answer} />
      <section class="panel">
        <div class="diff-tools">
          <Choice name="What is listed" options={TABLES} chosen={place.of} choose={(of) => go({ of, metric: undefined, sort: undefined }, true)} />
          {metrics.length > 1 && <Pick name="Number" options={titled(metrics)} chosen={metric} choose={(metric) => go({ metric }, true)} />}
          <Choice name="Certainty" options={SCOPES} chosen={place.isAll ? "all" : "certain"} choose={(scope) => go({ isAll: scope === "all" }, true)} />
        </div>
        {list.length === 0 ? (
          <p class="note">
            {answer.same ? "Nothing here differs." : place.isAll ? "Nothing here is large enough to be compared." : "Nothing here differs for certain."}
            {unsure > 0 && ` ${count(unsure)} more were compared.`}
          </p>
        ) : (
          <TableBox name="Changes">
            <table class={place.isAll ? "table diff-list" : "table diff-list is-certain"} role="table">
              <TableHead headings={HEADINGS} sorting={{ ...order, choose }} />
              <tbody role="rowgroup">
                {list.slice(0, shown).map((row, index) => {
                  const one = row.numbers[metric] as Difference;
                  return (
                    <tr key={index} role="row">
                      <ChangeCells metric={metric} one={one} />
                      <Bar one={one} most={most} />
                      <td role="cell" class="number">{amountText(metric, one.before)}</td>
                      <td role="cell" class="number">{amountText(metric, one.after)}</td>
                      <td role="cell" class="diff-verdict">{one.verdict}</td>
                      <Where row={row} go={go} />
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </TableBox>
        )}
        {list.length > shown && (
          <button type="button" class="button" onClick={() => setShown(shown + PIECE)}>
            Show {count(Math.min(PIECE, list.length - shown))} more of {count(list.length - shown)}
          </button>
        )}
      </section>
    </div>
  );
}
