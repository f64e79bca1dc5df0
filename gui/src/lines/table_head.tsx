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
  id: string;
  left: number;
  width: number;
}

function groupsOf(columns: readonly Shown[]): Group[] {
  const groups: Group[] = [];
  for (const column of columns) {
    const last = groups[groups.length - 1];
    if (last && last.id === column.group) last.width += column.width;
    else groups.push({ id: column.group, title: column.groupTitle, left: column.left, width: column.width });
  }
  return groups;
}

const UNIT_TITLES: Record<string, string> = {
  percent: "in %",
  megabytes: "in megabytes",
  mb_per_second: "in megabytes per second",
  curve: "over the run",
};

export function TableHead({ set, sort, isUp, sortBy, sourceTitle, widths }: Props) {
  const order = (id: string) => (sort !== id ? "none" : isUp ? "ascending" : "descending");
  return (
    <div class="table-head" role="rowgroup" style={widths}>
      <div class="head-groups" aria-hidden="true">
        {groupsOf(set.columns).map((group) => (
          <span key={group.id} class={`head-group g-${group.id}`} style={{ left: `${group.left}px`, width: `${group.width}px` }}>
            {group.title}
          </span>
        ))}
      </div>
      <div class="head-columns" role="row">
        <span class="gutter">
          <span class="mark-cell" role="columnheader">
            <span class="unseen">heat</span>
          </span>
          {set.columns.map((column) => (
            <span key={column.id} role="columnheader" aria-sort={order(column.id)} class={`head c-${column.id}`}>
              {column.unit === "curve" ? (
                <span class="head-label">{column.title}</span>
              ) : (
                <button
                  type="button"
                  class={sort === column.id ? "head-label sorted" : "head-label"}
                  title={`${column.groupTitle} ${column.title}, ${UNIT_TITLES[column.unit] ?? ""}: sort by it`}
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
