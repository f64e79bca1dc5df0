// gui/src/parts/table_head.tsx - the headings of a small table, some of which may sort it.
//
// SPDX-License-Identifier: Apache-2.0

export interface Heading {
  title: string;
  kind?: "number" | "bar"; // absent: text; the heading of a bar is not visible
  /** What a click sorts by; absent: nothing. */
  sort?: string;
}

export interface Sorting {
  by: string;
  isUp: boolean;
  choose: (by: string) => void;
}

const CLASSES = { number: "number", bar: "bar-column" };

function SortButton({ title, by, sorting }: { title: string; by: string; sorting: Sorting }) {
  const arrow = sorting.isUp ? " ▴" : " ▾";
  return (
    <button type="button" class="sort" onClick={() => sorting.choose(by)}>
      {title}
      <span aria-hidden="true">{sorting.by === by ? arrow : ""}</span>
    </button>
  );
}

export function TableHead({ headings, sorting }: { headings: readonly Heading[]; sorting?: Sorting }) {
  const orderOf = (sort: string | undefined) => {
    if (!sorting || sort !== sorting.by) return undefined;
    return sorting.isUp ? "ascending" : "descending";
  };
  return (
    <thead>
      <tr>
        {headings.map(({ title, kind, sort }) => (
          <th key={title} scope="col" class={kind && CLASSES[kind]} aria-sort={orderOf(sort)}>
            {kind === "bar" && <span class="unseen">{title}</span>}
            {kind !== "bar" && sort !== undefined && sorting && <SortButton title={title} by={sort} sorting={sorting} />}
            {kind !== "bar" && !(sort !== undefined && sorting) && title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
