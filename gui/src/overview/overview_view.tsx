// gui/src/overview/overview_view.tsx - the first screen: where does it go, what kind is it, what should I do.
//
// SPDX-License-Identifier: Apache-2.0
import { GpuPanel } from "../gpu/gpu_panel";
import { hasAsync } from "../async/answer";
import { FootprintPanel } from "../memory/footprint_panel";
import type { Overview } from "../model/answers";
import { duration } from "../model/number";
import type { ViewProps } from "../view_props";
import { Findings } from "./findings";
import { HotList, largestOf } from "./hot_list";
import { KindPanel } from "./kind_panel";
import { Grounds } from "./grounds";
import { UnitTable } from "./unit_table";
import { ThreadTable } from "../processes/thread_table";
import type { RunPart } from "../state/part_hook";

/** What the shares of the time are shares of, where that does not go without saying. */
function baseOf(overview: Overview, part: RunPart): string | undefined {
  if (!part.isPart) return overview.bases.time;
  if (part.answer?.unit !== "s") return undefined;
  return part.answer.total > 0 ? `100% is ${duration(part.answer.total)}: the time of ${part.place.thread === undefined ? "all threads" : "the thread"} in this part of the run.` : "There is no time in this part of the run.";
}

export function OverviewView({ source, overview, place, go, part }: ViewProps) {
  const isEmpty = overview.files.length === 0 && overview.hot_lines.length === 0;
  const { hot_lines: lines, hot_functions: functions } = (part.isPart ? part.answer : overview) ?? { hot_lines: [], hot_functions: [] };
  const top = largestOf([...lines, ...functions], "time");
  const base = baseOf(overview, part);
  return (
    <div class="overview">
      {isEmpty && <Empty notes={overview.notes.length > 0 ? overview.notes : overview.quality} />}
      {!isEmpty && (
        <>
          <section class="panel where" aria-labelledby="where-title">
            <h2 id="where-title">Where does the time go?</h2>
            {base !== undefined && <p class="soft base">{base}</p>}
            <HotList title="Lines" hots={lines} go={go} isFunctions={false} top={top} />
            <HotList title="Functions, own time" hots={functions} go={go} isFunctions top={top} />
          </section>
          <div class="stack">
            <section class="panel kind" aria-labelledby="kind-title">
              <h2 id="kind-title">What kind of time is it?</h2>
              <KindPanel overview={overview} of={part.answer} />
            </section>
            {overview.memory && <FootprintPanel overview={overview} memory={overview.memory} place={place} go={go} whole={part.whole} />}
          </div>
          <section class={`panel do${part.whole}`} aria-labelledby="do-title">
            <h2 id="do-title">What should I do?</h2>
            <Findings overview={overview} go={go} />
          </section>
        </>
      )}
      {overview.gpu && <GpuPanel overview={overview} gpu={overview.gpu} place={place} go={go} whole={part.whole} />}
      {overview.await_lines.length > 0 && (
        <section class={`panel${part.whole}`} aria-labelledby="await-title">
          <h2 id="await-title">Where do tasks wait?</h2>
          <HotList title="Lines, share of all await time" hots={overview.await_lines} go={go} isFunctions={false} value="await" />
          {hasAsync(overview, source) && (
            <button type="button" class="link" onClick={() => go({ view: "async" })}>
              all functions that wait, and what blocks the event loop
            </button>
          )}
        </section>
      )}
      {overview.units && (
        <section class={`panel${part.whole}`} aria-labelledby="units-title">
          <h2 id="units-title">Units of work</h2>
          <UnitTable overview={overview} units={overview.units} place={place} go={go} />
        </section>
      )}
      {overview.threads.length > 1 && (
        <section class={`panel${part.whole}`} aria-labelledby="threads-title">
          <h2 id="threads-title">Which threads?</h2>
          <ThreadTable overview={overview} place={place} go={go} />
        </section>
      )}
      {!isEmpty && (
        <section class={`panel${part.whole}`} aria-labelledby="grounds-title">
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
