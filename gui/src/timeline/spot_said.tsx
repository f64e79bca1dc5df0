// gui/src/timeline/spot_said.tsx - what the pointer is at on the timeline, in words.
//
// SPDX-License-Identifier: Apache-2.0
import { type BoxPlace, ChartBox } from "../flame/chart_box";
import type { SaidBox } from "./words";

export function SpotSaid({ at, words }: { at: BoxPlace; words: SaidBox }) {
  return (
    <ChartBox at={at}>
      <strong>{words.title}</strong>
      {words.place !== "" && <div class="chart-path">{words.place}</div>}
      {words.facts.length > 0 && (
        <dl>
          {words.facts.map(([term, text]) => (
            <>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </>
          ))}
        </dl>
      )}
    </ChartBox>
  );
}
