// gui/src/processes/thread_table.tsx - each thread's CPU time and what it waited for.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview, Thread } from "../model/answers";
import { count, duration, percent } from "../model/number";
import { ShareBar } from "../parts/share_bar";
import { TableBox } from "../parts/table_box";
import { type Heading, TableHead } from "../parts/table_head";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";

const waitsOf = (thread: Thread) => thread.waits.map((wait) => `${wait.name} ${duration(wait.seconds)}`).join(", ");

const HEADINGS: readonly Heading[] = [
  { title: "thread" },
  { title: "CPU", kind: "number" },
  { title: "share", kind: "number" },
  { title: "bar", kind: "bar" },
  { title: "waits" },
];

export function ThreadTable({ overview, place, go }: { overview: Overview; place: Place; go: Go }) {
  return (
    <TableBox name="Threads">
      {overview.bases.threads && <p class="soft base">{overview.bases.threads}</p>}
      <table class="table">
        <TableHead headings={HEADINGS} />
        <tbody>
          {overview.threads.map((thread) => {
            const { id } = thread;
            const isChosen = place.thread === id;
            return (
              <tr key={`${thread.pid}:${thread.tid}`} class={isChosen ? "chosen" : ""}>
                <td class="thread-name">
                  <button
                    type="button"
                    class="link"
                    aria-pressed={isChosen}
                    title="This thread alone, in every view; again to let go"
                    onClick={() => go({ thread: isChosen ? undefined : id }, true)}
                  >
                    {thread.name}
                  </button>
                  {thread.is_native && <span class="chip">native</span>}
                </td>
                <td class="number">{duration(thread.cpu_s)}</td>
                <td class="number">{percent(thread.cpu_percent)}</td>
                <td class="bar-column">
                  <ShareBar percent={thread.cpu_percent} />
                </td>
                <td class="soft">{waitsOf(thread)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {overview.threads_left_out > 0 && <p class="soft">{count(overview.threads_left_out)} more threads with less CPU time.</p>}
    </TableBox>
  );
}
