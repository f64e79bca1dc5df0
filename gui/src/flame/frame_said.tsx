// gui/src/flame/frame_said.tsx - a frame in words, beside the pointer or the frame that has the focus.
//
// SPDX-License-Identifier: Apache-2.0
import { type BoxPlace, ChartBox } from "./chart_box";
import type { said } from "./words";

export function FrameSaid({ at, words }: { at: BoxPlace; words: ReturnType<typeof said> }) {
  return (
    <ChartBox at={at}>
      <strong>{words.name}</strong>
      {words.path !== "" && <div class="chart-path">{words.path}</div>}
      <dl>
        <dt>with calls</dt>
        <dd>{words.total}</dd>
        <dt>itself</dt>
        <dd>{words.self}</dd>
        {words.kind !== "" && <dt>kind</dt>}
        {words.kind !== "" && <dd>{words.kind}</dd>}
      </dl>
    </ChartBox>
  );
}
