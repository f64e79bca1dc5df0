// gui/src/overview/unit_table.tsx - units of work: what the labels of the program cost, and the hottest lines of each.
//
// SPDX-License-Identifier: Apache-2.0
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { Overview, WorkUnit } from "../model/answers";
import { count, duration, megabytes } from "../model/number";
import { PathText } from "../parts/path_text";
import { TableBox } from "../parts/table_box";
import { type Heading, TableHead } from "../parts/table_head";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";

type By = "name" | "count" | "total_s" | "p50_s" | "p99_s" | "cpu_s" | "peak_mb";

const HEADINGS: readonly (Heading & { sort: By })[] = [
  { title: "unit", sort: "name" },
  { title: "count", kind: "number", sort: "count" },
  { title: "total", kind: "number", sort: "total_s" },
  { title: "p50", kind: "number", sort: "p50_s" },
  { title: "p99", kind: "number", sort: "p99_s" },
  { title: "CPU", kind: "number", sort: "cpu_s" },
  { title: "peak", kind: "number", sort: "peak_mb" },
];

/** The units in the order that is chosen; those that are equal in it by name. */
export function sortedUnits(units: readonly WorkUnit[], by: By, isUp: boolean): WorkUnit[] {
  const byName = (a: WorkUnit, b: WorkUnit) => (a.name < b.name ? -1 : Number(a.name > b.name));
  const rising = (a: WorkUnit, b: WorkUnit) => (by === "name" ? byName(a, b) : a[by] - b[by]);
  return [...units].sort((a, b) => (isUp ? rising(a, b) : -rising(a, b)) || byName(a, b));
}

interface Props {
  overview: Overview;
  units: readonly WorkUnit[];
  place: Place;
  go: Go;
}

export function UnitTable({ overview, units, place, go }: Props) {
  const [order, setOrder] = useState<{ by: By; isUp: boolean }>({ by: "total_s", isUp: false });
  const [opened, setOpened] = useState<string>();
  const headings = overview.memory ? HEADINGS : HEADINGS.slice(0, -1);
  const choose = (by: string) => setOrder({ by: by as By, isUp: by === order.by ? !order.isUp : by === "name" });
  return (
    <TableBox name="Units">
      <table class="table">
        <TableHead headings={headings} sorting={{ ...order, choose }} />
        <tbody>
          {sortedUnits(units, order.by, order.isUp).map((unit) => (
            <Fragment key={unit.name}>
              <tr class={place.unit === unit.name ? "chosen" : ""}>
                <td>
                  <button type="button" class="link" aria-expanded={opened === unit.name} disabled={unit.lines.length === 0} onClick={() => setOpened(opened === unit.name ? undefined : unit.name)}>
                    {unit.name}
                  </button>
                  {overview.parts.unit_stacks && (
                    <button
                      type="button"
                      class="button small"
                      aria-pressed={place.unit === unit.name}
                      aria-label={`Only ${unit.name}`}
                      title="This unit's time alone, in every view; again to let go"
                      onClick={() => go({ unit: place.unit === unit.name ? undefined : unit.name }, true)}
                    >
                      Only this
                    </button>
                  )}
                  {unit.running > 0 && <span class="chip">{count(unit.running)} running</span>}
                </td>
                <td class="number">{count(unit.count)}</td>
                <td class="number">{duration(unit.total_s)}</td>
                <td class="number">{duration(unit.p50_s)}</td>
                <td class="number">{duration(unit.p99_s)}</td>
                <td class="number">{duration(unit.cpu_s)}</td>
                {overview.memory && <td class="number">{megabytes(unit.peak_mb)}</td>}
              </tr>
              {opened === unit.name &&
                unit.lines.map((line) => (
                  <tr key={`${unit.name}:${line.file}:${line.lineno}`}>
                    <td style={{ paddingLeft: "26px" }} colSpan={2}>
                      <button type="button" class="link" onClick={() => go({ view: "lines", file: line.file, line: line.lineno })}>
                        <PathText text={`${overview.files[line.file]?.short_name ?? ""}:${line.lineno}`} />
                      </button>
                    </td>
                    <td class="number">{duration(line.time_s)}</td>
                  </tr>
                ))}
            </Fragment>
          ))}
        </tbody>
      </table>
      {(overview.units_left_out ?? 0) > 0 && <p class="soft">{count(overview.units_left_out ?? 0)} more units that took less time.</p>}
    </TableBox>
  );
}
