// gui/src/flame/flame_view.tsx - the view "flame": stacks by time or by memory, of the run or of a span.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { countOf } from "../model/number";
import { useAnswer, useSlow } from "../state/answer_hook";
import type { ViewProps } from "../view_props";
import { type StacksAnswer, stacksQuestion } from "./answer";
import { AroundView } from "./around_view";
import { useFrame, useNode } from "./carry";
import { useChart } from "./chart_choices";
import { find, matcher, nextMark } from "./find";
import { FlameChart } from "./flame_chart";
import "./flame.css";
import { FlameTools } from "./flame_tools";
import { foldedText } from "./folded";
import { FrameBar } from "./frame_bar";
import { inverted } from "./inverted";
import { isMemory, KIND_NAMES, kindIn, kindOptions, momentOf } from "./kinds";
import { FrameLegend } from "./legend";
import { shownTree } from "./shown";
import { type FlameTree, frameOf, treeOf } from "./tree";
import { amount, emptyText, notes } from "./words";

const REST_MS = 250;

export function FlameView({ source, overview, place, go, part }: ViewProps) {
  const [{ kind: chosen, order, grain, isInverted, detail }, setChart] = useChart(place, go);
  const kind = kindIn(overview, place, chosen);
  const moment = momentOf(overview, place);
  const isSpan = place.from !== undefined && place.to !== undefined;
  const byGrain = stacksQuestion({ ...part.place, kind, moment, by: grain });
  // A file without a server has the lines of the whole run alone.
  const hasGrain = source.served || source.known(byGrain) !== undefined;
  const question = hasGrain ? byGrain : stacksQuestion({ ...part.place, kind, moment, by: "function" });
  const { value: answer, error, isOld } = useAnswer<StacksAnswer>(source, question);
  const isSlow = useSlow(answer === undefined || isOld);
  const down = useMemo(() => (answer ? treeOf(shownTree(answer, detail), order) : null), [answer, order, detail]);
  const tree = useMemo(() => (down && isInverted ? inverted(down) : down), [down, isInverted]);
  const [focused, setFocused] = useNode(tree);
  const [text, setText] = useState("");
  const [isWhole, setWhole] = useState(true);
  const [resets, setResets] = useState(0);
  const [asked, setAsked] = useFrame(down); // -1: none

  const found = useMemo(() => {
    const matches = matcher(text);
    return tree && matches ? find(tree, matches) : null;
  }, [tree, text]);

  // The address changes only REST_MS after the last choice: browsers limit how often it may change.
  const rest = useRef(0);
  useEffect(() => () => clearTimeout(rest.current), []);
  const choose = useCallback(
    (node: number) => {
      setFocused(node);
      clearTimeout(rest.current);
      const frame = tree ? frameOf(tree, node) : undefined;
      rest.current = setTimeout(() => {
        if (frame?.kind !== "python") go({ fn: undefined }, true);
        else if (frame.file === undefined || frame.file === place.file) go({ fn: frame.name }, true);
        else go({ file: frame.file, fn: frame.name }, true);
      }, REST_MS);
    },
    [tree, go, place.file],
  );
  const open = useCallback(
    (of: FlameTree, node: number) => {
      clearTimeout(rest.current);
      const frame = frameOf(of, node);
      const line = of.line[node] as number;
      if (frame?.file !== undefined && line > 0) go({ view: "lines", file: frame.file, line });
    },
    [go],
  );

  if (!tree || !down || !answer)
    return (
      <section class="flame-view" aria-busy={error === undefined}>
        {error !== undefined && <p role="alert">{error}</p>}
        {isSlow && error === undefined && <p role="status">Reading the stacks</p>}
      </section>
    );
  // What is drawn is the answer to an earlier question until the new answer arrives.
  const root = isMemory(answer.kind) ? "all memory" : isSpan && answer.is_part ? "the span" : "all";
  const measure = { unit: answer.unit, root, whole: tree.total };
  const remarks = notes(answer, isSpan);
  if (!hasGrain) remarks.push("Of this part the file holds the functions, not their lines.");
  return (
    <section class={`flame-view${isMemory(answer.kind) ? part.whole : ""}`} aria-busy={isOld}>
      <FlameTools
        kind={kind}
        kinds={kindOptions(overview, place)}
        setKind={kindOptions(overview, place).length > 0 ? (next) => setChart({ kind: next }) : undefined}
        order={order}
        setOrder={answer.firsts_s && answer.kind === "time" && !isInverted ? (next) => setChart({ order: next }) : undefined}
        isInverted={isInverted}
        setInverted={(next) => setChart({ isInverted: next })}
        grain={grain}
        setGrain={(next) => setChart({ grain: next })}
        detail={detail}
        setDetail={(next) => setChart({ detail: next })}
        text={text}
        setText={setText}
        found={found && { count: found.count, share: tree.total > 0 ? (100 * found.amount) / tree.total : 0 }}
        next={(step) => found && choose(nextMark(tree, found.marks, focused, step))}
        isWhole={isWhole}
        reset={() => setResets((n) => n + 1)}
        copied={() => (isInverted ? foldedText(down, answer.unit) : foldedText(tree, answer.unit, Math.max(focused, 0)))}
        copies={focused > 0 && !isInverted ? "the chosen stacks" : "all stacks"}
        thread={place.thread}
        allThreads={() => go({ thread: undefined })}
      />
      {tree.total <= 0 ? (
        <p class="flame-empty">{emptyText(answer, isSpan, place.thread !== undefined)}</p>
      ) : asked >= 0 ? (
        <AroundView tree={down} frame={asked} unit={answer.unit} open={open} close={() => setAsked(-1)} />
      ) : (
        <>
          <FlameChart
            tree={tree}
            measure={measure}
            label={`${isInverted ? "Bottom-up flame" : "Flame"} chart of ${KIND_NAMES[answer.kind]}: ${countOf(tree.count - 1, "frame")}, ${amount(answer.unit, tree.total)} in all. Arrows move between frames, Enter zooms, Escape shows all.`}
            marks={found?.marks ?? null}
            chosen={place.fn}
            focused={focused}
            setFocused={choose}
            open={(node) => open(tree, node)}
            onZoom={setWhole}
            resets={resets}
          />
          <FrameBar
            tree={tree}
            node={focused}
            measure={measure}
            open={(node) => open(tree, node)}
            around={(node) => setAsked(tree.frame[node] as number)}
          />
        </>
      )}
      <div class="flame-foot">
        <FrameLegend />
        {remarks.length > 0 && <p class="flame-notes">{remarks.join(" ")}</p>}
      </div>
    </section>
  );
}
