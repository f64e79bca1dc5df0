// gui/src/async/waits_table.tsx - functions and lines at which tasks wait: how long, how many at once, which.
//
// SPDX-License-Identifier: Apache-2.0
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { Overview } from "../model/answers";
import { count, duration, percent } from "../model/number";
import { ShareBar } from "../parts/share_bar";
import { TableBox } from "../parts/table_box";
import { type Heading, TableHead } from "../parts/table_head";
import type { Go } from "../state/place_hook";
import { sortedWaits, type Wait, type WaitLine, type WaitOrder } from "./answer";
import { Where } from "./where";

const HEADINGS: readonly Heading[] = [
  { title: "await time", kind: "number", sort: "percent" },
  { title: "share", kind: "number" },
  { title: "bar", kind: "bar" },
  { title: "function", sort: "name" },
  { title: "source" },
  { title: "at once", kind: "number", sort: "mean" },
  { title: "at most", kind: "number", sort: "peak" },
  { title: "tasks" },
];

const atOnce = (value: number | undefined, digits: number) => (value === undefined ? "" : value.toFixed(value < 9.95 ? digits : 0));

function Share({ of }: { of: Wait | WaitLine }) {
  return (
    <>
      <td class="number">{of.seconds === undefined ? "" : duration(of.seconds)}</td>
      <td class="number">{percent(of.percent)}</td>
      <td class="bar-column">
        <ShareBar percent={of.percent} tone="await" />
      </td>
    </>
  );
}

function Tasks({ of }: { of: Wait | WaitLine }) {
  return (
    <>
      <td class="number">{atOnce(of.mean, 1)}</td>
      <td class="number">{atOnce(of.peak, 0)}</td>
      <td class="soft async-tasks">{of.tasks}</td>
    </>
  );
}

function Source({ text }: { text: string }) {
  return (
    <td class="code" title={text}>
      {text}
    </td>
  );
}

function Rows({ wait, place, go }: { wait: Wait; place: string; go: Go }) {
  const only = wait.lines.length === 1 ? wait.lines[0] : undefined;
  return (
    <>
      <tr>
        <Share of={wait} />
        <Where name={wait.name} place={place} file={wait.file} lineno={only ? only.lineno : wait.lineno} go={go} />
        {only ? <Source text={only.text} /> : <td />}
        <Tasks of={only && wait.mean === undefined ? only : wait} />
      </tr>
      {!only &&
        wait.lines.map((line) => (
          <tr key={line.lineno} class="async-part">
            <Share of={line} />
            <Where place={place} file={wait.file} lineno={line.lineno} go={go} />
            <Source text={line.text} />
            <Tasks of={line} />
          </tr>
        ))}
      {wait.lines_left_out > 0 && (
        <tr class="async-part">
          <td colSpan={2} />
          <td class="bar-column" />
          <td class="async-line soft">{count(wait.lines_left_out)} more lines</td>
          <td colSpan={4} />
        </tr>
      )}
    </>
  );
}

export function WaitsTable({ waits, overview, go }: { waits: readonly Wait[]; overview: Overview; go: Go }) {
  const [by, setBy] = useState<WaitOrder>("percent");
  const [isTurned, setTurned] = useState(false);
  const choose = (next: string) => {
    setTurned(next === by && !isTurned);
    setBy(next as WaitOrder);
  };
  return (
    <TableBox name="Where tasks wait">
      <table class="table">
        <TableHead headings={HEADINGS} sorting={{ by, isUp: (by === "name") !== isTurned, choose }} />
        <tbody>
          {sortedWaits(waits, by, isTurned).map((wait) => (
            <Fragment key={`${wait.file}:${wait.lineno}`}>
              <Rows wait={wait} place={overview.files[wait.file]?.short_name ?? ""} go={go} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}
