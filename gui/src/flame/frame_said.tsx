// gui/src/flame/frame_said.tsx - a frame in words, beside the pointer or the frame that has the focus.
//
// SPDX-License-Identifier: Apache-2.0
import { Fragment } from "preact";
import { type BoxPlace, ChartBox } from "./chart_box";
import type { said } from "./words";

export function FrameSaid({ at, words }: { at: BoxPlace; words: ReturnType<typeof said> }) {
  return (
    <ChartBox at={at}>
      <strong>{words.name}</strong>
      {words.path !== "" && <div class="chart-path">{words.path}</div>}
      <dl>
        {words.numbers.map(([title, number]) => (
          <Fragment key={title}>
            <dt>{title}</dt>
            <dd>{number}</dd>
          </Fragment>
        ))}
        {words.kind !== "" && <dt>kind</dt>}
        {words.kind !== "" && <dd>{words.kind}</dd>}
      </dl>
    </ChartBox>
  );
}
