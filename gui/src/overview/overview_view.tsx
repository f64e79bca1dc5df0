// gui/src/overview/overview_view.tsx - the first screen: where does it go, what kind is it, what should I do.
//
// SPDX-License-Identifier: Apache-2.0
import { GpuPanel } from "../gpu/gpu_panel";
import { hasAsync } from "../async/answer";
import { FootprintPanel } from "../memory/footprint_panel";
import type { ViewProps } from "../view_props";
import { Findings } from "./findings";
import { HotList, largestOf } from "./hot_list";
import { KindPanel } from "./kind_panel";
import { Grounds } from "./grounds";
import { ThreadTable } from "../processes/thread_table";

export function OverviewView({ source, overview, place, go }: ViewProps) {
  const isEmpty = overview.files.length === 0 && overview.hot_lines.length === 0;
  const top = largestOf([...overview.hot_lines, ...overview.hot_functions], "time");
  return (
    <div class="overview">
      {isEmpty && <Empty notes={overview.notes.length > 0 ? overview.notes : overview.quality} />}
      {!isEmpty && (
        <>
          <section class="panel where" aria-labelledby="where-title">
            <h2 id="where-title">Where does the time go?</h2>
            {overview.bases.time && <p class="soft base">{overview.bases.time}</p>}
            <HotList title="Lines" hots={overview.hot_lines} go={go} isFunctions={false} top={top} />
            <HotList title="Functions, own time" hots={overview.hot_functions} go={go} isFunctions top={top} />
          </section>
          <div class="stack">
            <section class="panel kind" aria-labelledby="kind-title">
              <h2 id="kind-title">What kind of time is it?</h2>
              <KindPanel overview={overview} />
            </section>
            {overview.memory && <FootprintPanel overview={overview} memory={overview.memory} place={place} go={go} />}
          </div>
          <section class="panel do" aria-labelledby="do-title">
            <h2 id="do-title">What should I do?</h2>
            <Findings overview={overview} go={go} />
          </section>
        </>
      )}
      {overview.gpu && <GpuPanel overview={overview} gpu={overview.gpu} place={place} go={go} />}
      {overview.await_lines.length > 0 && (
        <section class="panel" aria-labelledby="await-title">
          <h2 id="await-title">Where do tasks wait?</h2>
          <HotList title="Lines, share of all await time" hots={overview.await_lines} go={go} isFunctions={false} value="await" />
          {hasAsync(overview, source) && (
            <button type="button" class="link" onClick={() => go({ view: "async" })}>
              all functions that wait, and what blocks the event loop
            </button>
          )}
        </section>
      )}
      {overview.threads.length > 1 && (
        <section class="panel" aria-labelledby="threads-title">
          <h2 id="threads-title">Which threads?</h2>
          <ThreadTable overview={overview} place={place} go={go} />
        </section>
      )}
      {!isEmpty && (
        <section class="panel" aria-labelledby="grounds-title">
          <h2 id="grounds-title">How reliable are these numbers?</h2>
          <Grounds overview={overview} />
        </section>
      )}
    </div>
  );
}

function Empty({ notes }: { notes: readonly string[] }) {
  return (
    <section class="panel" aria-labelledby="empty-title">
      <h2 id="empty-title">The profile has no data</h2>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </section>
  );
}
