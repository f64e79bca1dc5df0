// gui/src/diff/calls_view.tsx - a flame chart of both versions: as wide as one of them, coloured by what has changed.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useState } from "preact/hooks";
import { find, matcher, nextMark } from "../flame/find";
import "../flame/flame.css";
import { FlameChart } from "../flame/flame_chart";
import { Choices } from "../flame/flame_tools";
import { nameOf } from "../flame/tree";
import { countOf } from "../model/number";
import { Waiting } from "../parts/waiting";
import { useAnswer } from "../state/answer_hook";
import { type CallsAnswer, callsTreeQuestion, type PairsAnswer, pairsQuestion, type Side } from "./answers";
import { callNumbers, callsTree, nodeOfStack, ROOT } from "./calls_tree";
import type { DiffProps } from "./diff_view";

const LEGEND: readonly (readonly [string, string])[] = [
  ["much-less", "▼ half or less, or gone"],
  ["less", "▼ less"],
  ["even", "no certain change"],
  ["more", "▲ more"],
  ["much-more", "▲ twice or more, or new"],
];

function ChangeLegend() {
  return (
    <ul class="frame-legend" aria-label="Colours">
      {LEGEND.map(([name, title]) => (
        <li key={name}>
          <span class={`frame-sign change-${name}`} aria-hidden="true" /> {title}
        </li>
      ))}
    </ul>
  );
}

function CallBar({ answer, node, open }: { answer: CallsAnswer; node: number; open: (() => void) | undefined }) {
  const frame = answer.frames[answer.node_frames[node] ?? -1];
  if (node < 0)
    return (
      <p class="frame-bar is-empty">
        Click a frame, or press Enter on it, to zoom; arrows move from frame to frame, Esc shows all again. Only calls of Python are
        compared; a function that calls itself is one frame.
      </p>
    );
  return (
    <div class="frame-bar">
      <span class="frame-name">
        <strong>{frame?.name ?? ROOT}</strong> <span class="frame-path">{frame?.path}</span>
      </span>
      <span class="frame-numbers">{callNumbers(answer, node).map(([title, number]) => `${title} ${number}`).join(" · ")}</span>
      {open && (
        <span class="frame-actions">
          <button type="button" onClick={open}>
            Sources
          </button>
        </span>
      )}
    </div>
  );
}

export function CallsView({ source, place, go }: DiffProps) {
  const calls = useAnswer<CallsAnswer>(source, callsTreeQuestion);
  const files = useAnswer<PairsAnswer>(source, pairsQuestion);
  const answer = calls.value;
  const tree = useMemo(() => (answer ? callsTree(answer, place.width) : null), [answer, place.width]);
  const [focused, setFocused] = useState(-1);
  const [text, setText] = useState("");
  const [isWhole, setWhole] = useState(true);
  const [resets, setResets] = useState(0);
  const matches = useMemo(() => matcher(text), [text]);
  const found = useMemo(() => (tree && matches ? find(tree, matches) : null), [tree, matches]);
  useEffect(() => {
    if (!tree || place.fn === undefined) return;
    const stack = place.fn.split("\n").map((frame) => {
      const blank = frame.lastIndexOf(" ");
      return [frame.slice(0, blank), frame.slice(blank + 1)] as const;
    });
    setFocused(nodeOfStack(tree, stack));
  }, [tree, place.fn]);
  if (!tree || !answer) return <Waiting answer={calls} text="Asking for the calls" />;
  const targetOf = (node: number) => {
    const frame = answer.frames[answer.node_frames[node] ?? -1];
    const [at, spot]: [Side, [number, number] | undefined] = frame?.after ? ["after", frame.after] : ["before", frame?.before];
    const pair = spot && files.value?.pairs[spot[0]];
    if (!pair || !spot) return undefined;
    return () => go({ view: "sources", before: pair.before?.file, after: pair.after?.file, fn: undefined, line: spot[1], at });
  };
  const other: Side = place.width === "after" ? "before" : "after";
  const hidden = answer.numbers.filter((one) => one[place.width] === 0 && one[other] > 0).length;
  return (
    <section class="flame-view" aria-busy={calls.isOld}>
      <div class="chart-tools">
        <Choices label="Width" value={place.width} set={(width: Side) => go({ width }, true)} options={[["after", "As after"], ["before", "As before"]]} />
        <span class="chart-search">
          <input
            type="search"
            placeholder="Find in the chart"
            aria-label="Find frames by name or file"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !found) return;
              setFocused(nextMark(tree, found.marks, focused, event.shiftKey ? -1 : 1));
              event.preventDefault();
            }}
          />
          <output class="chart-found" aria-live="polite">
            {found === null ? "" : found.count === 0 ? "no match" : countOf(found.count, "frame")}
          </output>
        </span>
        <button type="button" disabled={isWhole} onClick={() => setResets((n) => n + 1)} title="Show all (Esc)">
          Reset zoom
        </button>
      </div>
      {tree.total <= 0 ? (
        <p class="flame-empty">The version {place.width} has no call stacks.</p>
      ) : (
        <>
          <FlameChart
            tree={tree}
            measure={{ unit: "s", root: ROOT, whole: tree.total, numbers: (node) => callNumbers(answer, node) }}
            label={`Flame chart of what has changed, as wide as ${place.width}: ${countOf(tree.count - 1, "frame")}. Arrows move between frames, Enter zooms, Escape shows all.`}
            marks={found?.marks ?? null}
            chosen={focused > 0 ? nameOf(tree, focused, ROOT) : undefined}
            focused={focused}
            setFocused={setFocused}
            open={(node) => targetOf(node)?.()}
            onZoom={setWhole}
            resets={resets}
            levels={answer.levels}
          />
          <CallBar answer={answer} node={focused} open={targetOf(focused)} />
        </>
      )}
      <div class="flame-foot">
        <ChangeLegend />
        {hidden > 0 && (
          <p class="flame-notes">
            {countOf(hidden, "call")} {hidden === 1 ? "has" : "have"} no width, as only the version {other} has {hidden === 1 ? "it" : "them"}.
          </p>
        )}
      </div>
    </section>
  );
}
