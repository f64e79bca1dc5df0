// gui/src/parts/cost_box.tsx - the box beside a number: the value, its error, and how it was measured.
//
// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useRef } from "preact/hooks";
import type { CostAnswer, Overview } from "../model/answers";
import { costFacts, howMeasured } from "../model/cost_words";
import { functionCostQuestion, lineCostQuestion } from "../model/questions";
import type { Source } from "../model/source";
import { useAnswer } from "../state/answer_hook";
import { COST_BOX, type ShownCost } from "./cost_hover";
import { Pie } from "./pie";
import { Waiting } from "./waiting";

const MARGIN = 8;

interface Props {
  source: Source;
  overview: Overview;
  shown: ShownCost;
  /** The table has the times of a part of the run; what is here is of all of it. */
  isPart?: boolean;
}

export function CostBox({ source, overview, shown, isPart = false }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const question = shown.fn === undefined ? lineCostQuestion(shown.file, shown.line) : functionCostQuestion(shown.file, shown.fn, shown.line);
  const answer = useAnswer<CostAnswer>(source, question);
  const cost = answer.isOld ? undefined : answer.value;
  useLayoutEffect(() => {
    // Below the number, above it where there is no room, and never out of the window.
    const element = box.current;
    if (!element) return;
    const { width, height } = element.getBoundingClientRect();
    const { anchor } = shown;
    const below = anchor.bottom + MARGIN;
    const top = below + height <= innerHeight - MARGIN ? below : Math.max(anchor.top - height - MARGIN, MARGIN);
    const left = Math.min(Math.max(anchor.left, MARGIN), Math.max(innerWidth - width - MARGIN, MARGIN));
    element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  });
  const file = overview.files[shown.file];
  return (
    <div class={isPart ? "cost-box of-whole" : "cost-box"} id={COST_BOX} role="tooltip" ref={box}>
      <h3>
        {shown.fn !== undefined && <span class="code">{shown.fn} </span>}
        <span class={shown.fn === undefined ? "" : "soft"}>
          {file?.short_name}:{shown.line}
        </span>
      </h3>
      {isPart && <p class="box-of">These are the numbers of the whole run.</p>}
      {cost &&
        costFacts(cost, shown.column).map((group) => (
          <dl key={group.title} class={group.columns.includes(shown.column ?? "") ? "facts-group current" : "facts-group"}>
            <dt class="group-title">{group.title}</dt>
            {group.facts.map((fact) => (
              <div key={fact.name}>
                <dt>
                  {fact.kind && <span class={`swatch small ${fact.kind}`} aria-hidden="true" />}
                  {fact.name}
                </dt>
                <dd>
                  {fact.wedges && <Pie wedges={fact.wedges} />}
                  {fact.value}
                </dd>
              </div>
            ))}
          </dl>
        ))}
      {cost && <p class="how">{howMeasured(cost, overview)}</p>}
      {!cost && <Waiting answer={answer} text="Asking for its numbers" />}
    </div>
  );
}
