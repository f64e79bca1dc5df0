// gui/src/async/async_view.tsx - an asyncio program: what blocks its event loop, and where its tasks wait.
//
// SPDX-License-Identifier: Apache-2.0
import { count } from "../model/number";
import { Waiting } from "../parts/waiting";
import { useAnswer } from "../state/answer_hook";
import type { ViewProps } from "../view_props";
import { type AsyncAnswer, asyncQuestion } from "./answer";
import { BlocksTable } from "./blocks_table";
import { LanesTable } from "./lanes_table";
import { WaitsTable } from "./waits_table";

function LeftOut({ number }: { number: number }) {
  return number > 0 ? <p class="soft">{count(number)} more functions.</p> : null;
}

export function AsyncView({ source, overview, place, go, part }: ViewProps) {
  const answer = useAnswer<AsyncAnswer>(source, asyncQuestion);
  if (!answer.value) return <Waiting answer={answer} text="Asking for tasks" />;
  const { loop, waits, waits_left_out: moreWaits, blocks, blocks_left_out: moreBlocks, lanes, lanes_cut: isCut, places } = answer.value;
  const span = place.from !== undefined && place.to !== undefined ? ([place.from, place.to] as const) : undefined;
  return (
    <div class="async-view">
      <section class={`panel${part.whole}`} aria-labelledby="async-blocks">
        <h2 id="async-blocks">What blocks the event loop?</h2>
        {loop !== undefined && <p class="soft">{loop}</p>}
        {blocks.length > 0 && (
          <p class="soft">
            While one of these lines runs or waits, no other task of its loop does. A computation can go to a thread or another process.
          </p>
        )}
        {blocks.length > 0 && <BlocksTable blocks={blocks} go={go} />}
        {blocks.length === 0 && <p class="soft">No function of the program blocked it for long enough to be seen.</p>}
        <LeftOut number={moreBlocks} />
      </section>
      <section class={`panel${part.whole}`} aria-labelledby="async-waits">
        <h2 id="async-waits">Where do tasks wait?</h2>
        <p class="soft">Shares are of all await time, added up over tasks; it is no part of the run's time.</p>
        <WaitsTable waits={waits} overview={overview} go={go} />
        <LeftOut number={moreWaits} />
      </section>
      {lanes.length > 0 && (
        <section class="panel" aria-labelledby="async-lanes">
          <h2 id="async-lanes">When did tasks wait?</h2>
          <LanesTable lanes={lanes} places={places} isCut={isCut} span={span} overview={overview} go={go} />
        </section>
      )}
    </div>
  );
}
