// gui/src/flame/sandwich_view.tsx - the view "sandwich": a function between its callers and its callees.
//
// SPDX-License-Identifier: Apache-2.0
import { useMemo, useState } from "preact/hooks";
import { useAnswer, useSlow } from "../state/answer_hook";
import type { ViewProps } from "../view_props";
import { type StacksAnswer, stacksQuestion } from "./answer";
import { AroundView } from "./around_view";
import { useChart } from "./chart_choices";
import { matcher } from "./find";
import "./flame.css";
import { Choices } from "./flame_tools";
import { FunctionList } from "./function_list";
import { isMemory, kindIn, kindOptions, momentOf } from "./kinds";
import { FrameLegend } from "./legend";
import "./sandwich.css";
import { DETAILS, shownTree } from "./shown";
import { type FunctionSum, functionSums } from "./sums";
import { frameOf, treeOf } from "./tree";
import { emptyText, notes } from "./words";

export function SandwichView({ source, overview, place, go, part }: ViewProps) {
  const [{ kind: wanted, detail }, setChart] = useChart(place, go);
  const [text, setText] = useState("");
  const [picked, setPicked] = useState<string | undefined>();
  const kind = kindIn(overview, place, wanted);
  const moment = momentOf(overview, place);
  const isSpan = place.from !== undefined && place.to !== undefined;
  const { value: answer, error, isOld } = useAnswer<StacksAnswer>(source, stacksQuestion({ ...part.place, kind, moment, by: "function" }));
  const isSlow = useSlow(answer === undefined || isOld);
  const tree = useMemo(() => (answer ? treeOf(shownTree(answer, detail), "heavy") : null), [answer, detail]);
  const sums = useMemo(() => (tree ? functionSums(tree) : []), [tree]);
  if (!tree || !answer)
    return (
      <section class="flame-view" aria-busy={error === undefined}>
        {error !== undefined && <p role="alert">{error}</p>}
        {isSlow && error === undefined && <p role="status">Reading the stacks</p>}
      </section>
    );
  const matches = matcher(text);
  const listed = matches ? sums.filter((sum) => matches(sum.of)) : sums;
  const chosen = chosenOf(sums, picked, place.fn, place.file);
  const choose = (sum: FunctionSum) => {
    setPicked(sum.key);
    const isElsewhere = sum.of.file !== undefined && sum.of.file !== place.file;
    go(isElsewhere ? { file: sum.of.file, fn: sum.of.name } : { fn: sum.of.name }, true);
  };
  const remarks = notes(answer, isSpan);
  return (
    <section class={`flame-view sandwich${isMemory(answer.kind) ? part.whole : ""}`} aria-busy={isOld}>
      <div class="chart-tools">
        {kindOptions(overview, place).length > 0 && (
          <Choices label="What is shown" value={kind} set={(next) => setChart({ kind: next })} options={kindOptions(overview, place)} />
        )}
        <Choices label="Shown" value={detail} set={(next) => setChart({ detail: next })} options={DETAILS} />
        <span class="chart-search">
          <input
            type="search"
            placeholder="Only functions with"
            aria-label="Only functions with this in name or file"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </span>
      </div>
      {!chosen ? (
        <p class="flame-empty">{emptyText(answer, isSpan, place.thread !== undefined)}</p>
      ) : (
        <div class="sandwich-parts">
          <FunctionList sums={listed} whole={tree.total} unit={answer.unit} chosen={chosen.key} choose={choose} />
          <AroundView
            tree={tree}
            frame={chosen.frame}
            unit={answer.unit}
            open={(of, node) => {
              const frame = frameOf(of, node);
              const line = of.line[node] as number;
              if (frame?.file !== undefined && line > 0) go({ view: "lines", file: frame.file, line });
            }}
          />
        </div>
      )}
      <div class="flame-foot">
        <FrameLegend />
        {remarks.length > 0 && <p class="flame-notes">{remarks.join(" ")}</p>}
      </div>
    </section>
  );
}

/** The function that was picked, or that the address names; else the one of the program's files, or of all, with the
 * highest self time: what a program waits for is in the kernel, which says little. */
function chosenOf(sums: readonly FunctionSum[], picked: string | undefined, fn: string | undefined, file: number | undefined) {
  const highest = (some: readonly FunctionSum[], by: "self" | "total") =>
    some.reduce<FunctionSum | undefined>((best, sum) => (best && best[by] >= sum[by] ? best : sum), undefined);
  const named = sums.filter((sum) => sum.of.name === fn);
  return (
    named.find((sum) => sum.key === picked) ??
    named.find((sum) => file !== undefined && sum.of.file === file) ??
    highest(named, "total") ??
    highest(sums.filter((sum) => sum.of.file !== undefined), "self") ??
    highest(sums, "self")
  );
}
