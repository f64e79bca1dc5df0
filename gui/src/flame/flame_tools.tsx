// gui/src/flame/flame_tools.tsx - the row of controls above the flame chart.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import { countOf, finePercent } from "../model/number";
import { copyText } from "../state/clipboard";
import type { ChosenKind, Grain } from "./answer";
import { type Detail, DETAILS } from "./shown";
import type { Order } from "./tree";

interface Choice<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  set: (value: T) => void;
}

/** A few choices side by side, one of them pressed. */
export function Choices<T extends string>({ label, value, options, set }: Choice<T>) {
  return (
    <div class="chart-choices" role="group" aria-label={label}>
      {options.map(([option, title]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => set(option)}>
          {title}
        </button>
      ))}
    </div>
  );
}

interface Props {
  kind: ChosenKind;
  kinds: readonly (readonly [ChosenKind, string])[];
  setKind: ((kind: ChosenKind) => void) | undefined;
  order: Order;
  setOrder: ((order: Order) => void) | undefined;
  isInverted: boolean;
  setInverted: (isInverted: boolean) => void;
  grain: Grain;
  setGrain: ((grain: Grain) => void) | undefined;
  detail: Detail;
  setDetail: (detail: Detail) => void;
  text: string;
  setText: (text: string) => void;
  found: { count: number; share: number } | null;
  next: (step: 1 | -1) => void;
  isWhole: boolean;
  reset: () => void;
  copied: () => string;
  copies: string;
  thread: string | undefined;
  allThreads: () => void;
}

function CopyButton({ copied, copies }: { copied: () => string; copies: string }) {
  const [state, setState] = useState<"ready" | "done" | "failed">("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), 1500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    copyText(copied()).then(
      () => setState("done"),
      () => setState("failed"),
    );
  };
  const said = { ready: "Copy as text", done: "Copied", failed: "Not allowed" }[state];
  return (
    <button type="button" class="chart-copy" onClick={copy} title={`Copy ${copies} as text, one line per stack`}>
      <span aria-live="polite">{said}</span>
    </button>
  );
}

export function FlameTools(props: Props) {
  const { found, text } = props;
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Enter") props.next(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && text !== "") props.setText("");
    else return;
    event.preventDefault();
  };
  return (
    <div class="chart-tools">
      {props.setKind && (
        <Choices label="What is drawn" value={props.kind} set={props.setKind} options={props.kinds} />
      )}
      <Choices
        label="Direction"
        value={props.isInverted ? "up" : "down"}
        set={(way) => props.setInverted(way === "up")}
        options={[["down", "Top down"], ["up", "Bottom up"]]}
      />
      {props.setOrder && (
        <Choices label="Order" value={props.order} set={props.setOrder} options={[["heavy", "Heaviest first"], ["time", "By time"]]} />
      )}
      {props.setGrain && (
        <Choices label="Frames" value={props.grain} set={props.setGrain} options={[["function", "Functions"], ["line", "Lines"]]} />
      )}
      <Choices label="Shown" value={props.detail} set={props.setDetail} options={DETAILS} />
      <span class="chart-search">
        <input
          type="search"
          placeholder="Find in the chart"
          aria-label="Find frames by name or file"
          value={text}
          onInput={(event) => props.setText(event.currentTarget.value)}
          onKeyDown={pressed}
        />
        <output class="chart-found" aria-live="polite">
          {found === null ? "" : found.count === 0 ? "no match" : `${countOf(found.count, "frame")}, ${finePercent(found.share)}`}
        </output>
      </span>
      <button type="button" disabled={props.isWhole} onClick={props.reset} title="Show all (Esc)">
        Reset zoom
      </button>
      <CopyButton copied={props.copied} copies={props.copies} />
      {props.thread !== undefined && (
        <button type="button" onClick={props.allThreads} title="Show all threads">
          One thread ×
        </button>
      )}
    </div>
  );
}
