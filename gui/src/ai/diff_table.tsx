// gui/src/ai/diff_table.tsx - the original and the proposal side by side; below each other where it is narrow.
//
// SPDX-License-Identifier: Apache-2.0
import type { DiffRow } from "./answers";

interface Pair {
  old?: DiffRow;
  now?: DiffRow;
}

/** Removed lines beside those that came for them. */
export function pairs(rows: readonly DiffRow[]): Pair[] {
  const found: Pair[] = [];
  let index = 0;
  while (index < rows.length) {
    const row = rows[index] as DiffRow;
    if (row[0] === " ") {
      found.push({ old: row, now: row });
      index += 1;
      continue;
    }
    const removed: DiffRow[] = [];
    const added: DiffRow[] = [];
    for (; index < rows.length && rows[index]?.[0] !== " "; index += 1)
      (rows[index]?.[0] === "-" ? removed : added).push(rows[index] as DiffRow);
    for (let i = 0; i < Math.max(removed.length, added.length); i += 1) {
      const pair: Pair = {};
      if (removed[i]) pair.old = removed[i] as DiffRow;
      if (added[i]) pair.now = added[i] as DiffRow;
      found.push(pair);
    }
  }
  return found;
}

function Side({ row, number }: { row: DiffRow | undefined; number: number }) {
  const sign = row?.[0] ?? " ";
  const kind = row === undefined ? "none" : sign === "-" ? "removed" : sign === "+" ? "added" : "same";
  return (
    <>
      <td class="diff-number">{row ? row[number] : ""}</td>
      <td class={`diff-code ${kind}`}>
        {sign !== " " && <span class="unseen">{sign === "-" ? "removed: " : "added: "}</span>}
        <span aria-hidden="true">{row ? `${sign} ` : ""}</span>
        {row ? row[3] : ""}
      </td>
    </>
  );
}

export function DiffTable({ rows }: { rows: readonly DiffRow[] }) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Original and proposal">
      <table class="diff">
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              original
            </th>
            <th scope="col" colSpan={2}>
              proposal
            </th>
          </tr>
        </thead>
        <tbody>
          {pairs(rows).map((pair, index) => (
            <tr key={index}>
              <Side row={pair.old} number={1} />
              <Side row={pair.now} number={2} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
