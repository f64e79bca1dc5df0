// gui/src/processes/processes_view.tsx - the processes of the run, their threads, and the devices they use.
//
// SPDX-License-Identifier: Apache-2.0
import { DeviceTable } from "../gpu/device_table";
import type { Overview, Process } from "../model/answers";
import { count, duration, megabytes, percent } from "../model/number";
import { PathText } from "../parts/path_text";
import { ShareBar } from "../parts/share_bar";
import { TableBox } from "../parts/table_box";
import { type Heading, TableHead } from "../parts/table_head";
import type { ViewProps } from "../view_props";
import { ThreadTable } from "./thread_table";

export function ProcessesView({ overview, place, go }: ViewProps) {
  return (
    <div class="processes">
      <section class="panel" aria-labelledby="processes-title">
        <h2 id="processes-title">Which processes?</h2>
        {overview.processes.length > 0 ? <ProcessTable overview={overview} /> : <p class="soft">There was one process.</p>}
      </section>
      <section class="panel" aria-labelledby="all-threads-title">
        <h2 id="all-threads-title">Which threads?</h2>
        {overview.threads.length > 0 ? (
          <ThreadTable overview={overview} place={place} go={go} />
        ) : (
          <p class="soft">The profile has one thread only.</p>
        )}
      </section>
      {overview.gpu && overview.gpu.devices.length > 0 && (
        <section class="panel" aria-labelledby="devices-title">
          <h2 id="devices-title">Which devices?</h2>
          <DeviceTable gpu={overview.gpu} />
        </section>
      )}
    </div>
  );
}

/** The processes, each after its parent, with its depth in the tree. */
export function asTree(processes: readonly Process[]): { process: Process; depth: number }[] {
  const known = new Set(processes.map((process) => process.pid));
  const found: { process: Process; depth: number }[] = [];
  const placed = new Set<Process>();
  const add = (process: Process, depth: number) => {
    if (placed.has(process)) return;
    placed.add(process);
    found.push({ process, depth });
    for (const child of processes) if (child.parent_pid === process.pid && child !== process) add(child, depth + 1);
  };
  for (const process of processes) if (!known.has(process.parent_pid)) add(process, 0);
  for (const process of processes) add(process, 0); // parents in a circle, in a damaged profile
  return found;
}

const HEADINGS: readonly Heading[] = [
  { title: "process" },
  { title: "number", kind: "number" },
  { title: "CPU", kind: "number" },
  { title: "share", kind: "number" },
  { title: "bar", kind: "bar" },
  { title: "most resident", kind: "number" },
  { title: "ended" },
];

function ProcessTable({ overview }: { overview: Overview }) {
  return (
    <TableBox name="Processes">
      {overview.bases.processes && <p class="soft base">{overview.bases.processes}</p>}
      <table class="table">
        <TableHead headings={HEADINGS} />
        <tbody>
          {asTree(overview.processes).map(({ process, depth }) => (
            <tr key={process.pid}>
              <td class="process-name" title={process.command} style={{ paddingLeft: `${10 + Math.min(depth, 8) * 16}px` }}>
                <PathText text={process.command} />
              </td>
              <td class="number">{process.pid}</td>
              <td class="number">{duration(process.cpu_s)}</td>
              <td class="number">{percent(process.cpu_percent)}</td>
              <td class="bar-column">
                <ShareBar percent={process.cpu_percent} />
              </td>
              <td class="number">{process.max_rss_mb > 0 ? megabytes(process.max_rss_mb) : ""}</td>
              <td class="process-ending">{process.ending ?? <span class="soft">exit 0</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {(overview.processes_left_out ?? 0) > 0 && (
        <p class="soft">{count(overview.processes_left_out ?? 0)} more processes with less CPU time.</p>
      )}
    </TableBox>
  );
}
