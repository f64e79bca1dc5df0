// gui/src/lines/table_head.tsx - the two rows of headings above a table: groups, then columns that sort.
//
// SPDX-License-Identifier: Apache-2.0
import type { ColumnSet, Shown } from "./columns";

interface Props {
  set: ColumnSet;
  /** "" is the order of the source. */
  sort: string;
  isUp: boolean;
  sortBy: (column: string) => void;
  sourceTitle: string;
  widths: Record<string, string>;
}

interface Group {
  title: string;
  of: string | undefined;
  id: string;
  left: number;
  width: number;
}

function groupsOf(columns: readonly Shown[]): Group[] {
  const groups: Group[] = [];
  for (const column of columns) {
    const last = groups[groups.length - 1];
    if (last && last.id === column.group) last.width += column.width;
    else groups.push({ id: column.group, title: column.groupTitle, of: column.of, left: column.left, width: column.width });
  }
  return groups;
}

/** Where a part of the run is selected, the heading of its times is the part; others say that they are the run's. */
function titleOf({ id, title, of }: Group) {
  if (of === undefined) return title;
  if (id === "time") return of;
  return (
    <>
      {title} <span class="soft">{of}</span>
    </>
  );
}

const UNIT_TITLES: Record<string, string> = {
  percent: "in %",
  megabytes: "in megabytes",
  mb_per_second: "in megabytes per second",
  curve: "over the run",
};

/** What the heading does not say. */
const MEANINGS: Record<string, string> = {
  self: "without what is called, in % of the run",
  total: "with all that is called, in % of the run",
  waiting: "nothing on a CPU, part of system, in % of the run",
};

function meaningOf(column: Shown): string {
  const meaning = MEANINGS[column.id] ?? UNIT_TITLES[column.unit] ?? "";
  if (column.of === undefined) return meaning;
  return column.group === "time" ? meaning.replace("the run", column.of) : `${meaning}, of the whole run`;
}

export function TableHead({ set, sort, isUp, sortBy, sourceTitle, widths }: Props) {
  const order = (id: string) => (sort !== id ? "none" : isUp ? "ascending" : "descending");
  return (
    <div class="table-head" role="rowgroup" style={widths}>
      <div class="head-groups" aria-hidden="true">
        {groupsOf(set.columns).map((group) => (
          <span key={group.id} class={`head-group g-${group.id}`} style={{ left: `${group.left}px`, width: `${group.width}px` }} title={group.of && `${group.title}: ${group.of}`}>
            {titleOf(group)}
          </span>
        ))}
      </div>
      <div class="head-columns" role="row">
        <span class="gutter">
          <span class="mark-cell" role="columnheader">
            <span class="unseen">heat</span>
          </span>
          {set.columns.map((column) => (
            <span key={column.id} role="columnheader" aria-sort={order(column.id)} class={`head c-${column.id}${column.isFirst ? " first" : ""}`}>
              {column.unit === "curve" ? (
                <span class="head-label">{column.title}</span>
              ) : (
                <button
                  type="button"
                  class={sort === column.id ? "head-label sorted" : "head-label"}
                  title={`${column.groupTitle} ${column.title}, ${meaningOf(column)}: sort by it`}
                  aria-label={`Sort by ${column.groupTitle} ${column.title}`}
                  onClick={() => sortBy(column.id)}
                >
                  {column.title}
                  {sort === column.id && <span aria-hidden="true">{isUp ? "↑" : "↓"}</span>}
                </button>
              )}
            </span>
          ))}
          {set.actionsWidth > 0 && (
            <span class="actions" role="columnheader">
              <span class="unseen">ask</span>
            </span>
          )}
          <span class="lineno" role="columnheader">
            line
          </span>
        </span>
        <span role="columnheader" aria-sort={sort === "" ? "ascending" : "none"} class="head source-head">
          <button type="button" class={sort === "" ? "head-label sorted" : "head-label"} onClick={() => sortBy("")}>
            {sourceTitle}
          </button>
        </span>
      </div>
    </div>
  );
}
