// gui/src/flame/function_list.tsx - the functions of a tree as a table, one of them chosen.
//
// One row can be reached by Tab; arrows go to the others and choose them.
//
// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { count, finePercent } from "../model/number";
import { isBrowsers } from "../state/keys";
import type { StackUnit } from "./answer";
import { fillOf } from "./colours";
import { type FunctionSum, sorted, type SumOrder } from "./sums";
import { amount, kindOf, placeOf } from "./words";

interface Props {
  sums: readonly FunctionSum[];
  whole: number;
  unit: StackUnit;
  chosen: string | undefined;
  choose: (sum: FunctionSum) => void;
}

const FIRST = 100;

const COLUMNS: readonly (readonly [SumOrder, string])[] = [
  ["name", "function"],
  ["self", "self"],
  ["total", "total"],
];

export function FunctionList({ sums, whole, unit, chosen, choose }: Props) {
  const [order, setOrder] = useState<SumOrder>("self");
  const [isTurned, setTurned] = useState(false);
  const [isAll, setAll] = useState(false);
  const rows = sorted(sums, order, isTurned);
  const shown = isAll ? rows : rows.slice(0, FIRST);
  const at = shown.findIndex((sum) => sum.key === chosen);
  const sort = (column: SumOrder) => {
    setTurned(column === order && !isTurned);
    setOrder(column);
  };
  const key = (event: KeyboardEvent) => {
    if (isBrowsers(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step === undefined ? undefined : shown[Math.max(at, 0) + step];
    if (!next) return;
    event.preventDefault();
    choose(next);
    const row = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("td button")[Math.max(at, 0) + (step ?? 0)];
    row?.focus();
  };
  const number = (value: number) => (
    <td class="number" title={amount(unit, value)}>
      {finePercent(whole > 0 ? (100 * value) / whole : 0)}
    </td>
  );
  return (
    <div class="function-list">
      <table class="table" aria-label="Functions with self and total">
        <thead>
          <tr>
            {COLUMNS.map(([column, title]) => (
              <th
                key={column}
                scope="col"
                class={column === "name" ? undefined : "number"}
                aria-sort={column !== order ? undefined : (column === "name") === isTurned ? "descending" : "ascending"}
              >
                <button type="button" class="sort" onClick={() => sort(column)}>
                  {title}
                  <span aria-hidden="true">{column !== order ? "" : (column === "name") === isTurned ? " ▾" : " ▴"}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={key}>
          {shown.map((sum, index) => (
            <tr key={sum.key} class={sum.key === chosen ? "chosen" : ""}>
              <td>
                <button
                  type="button"
                  class="link"
                  aria-pressed={sum.key === chosen}
                  tabIndex={index === Math.max(at, 0) ? 0 : -1}
                  title={`${sum.of.name}, ${kindOf(sum.of)}${sum.of.path ? `, ${sum.of.path}` : ""}`}
                  onClick={() => choose(sum)}
                >
                  <span class={`frame-sign ${fillOf(sum.of)}`} aria-hidden="true" />
                  <span class="code">{sum.of.name || "(no name)"}</span> <span class="soft">{placeOf(sum.of, 0)}</span>
                </button>
              </td>
              {number(sum.self)}
              {number(sum.total)}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" class="button quiet" onClick={() => setAll(true)}>
          All {count(rows.length)} functions
        </button>
      )}
      {rows.length === 0 && <p class="soft">No function has this text in its name or file.</p>}
    </div>
  );
}
