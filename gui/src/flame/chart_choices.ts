// gui/src/flame/chart_choices.ts - how charts of stacks are drawn: remembered, and kept in the address.
//
// What the address says comes first, so that a link opens the picture that was linked. It says nothing as long as
// all is as usual and nothing was chosen; then each reader has what they chose last.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { useKept } from "../state/kept";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import type { ChosenKind, Grain } from "./answer";
import { isKind } from "./kinds";
import { type Detail, isDetail } from "./shown";
import type { Order } from "./tree";

export interface ChartChoices {
  kind: ChosenKind;
  isInverted: boolean;
  order: Order;
  grain: Grain;
  detail: Detail;
}

const USUAL: ChartChoices = { kind: "time", isInverted: false, order: "heavy", grain: "function", detail: "native" };
const NOTHING = "usual";

/** "peak.up.lines": what differs from the usual. */
export function chartWord(choices: ChartChoices): string {
  const words = [
    choices.kind === USUAL.kind ? "" : choices.kind,
    choices.isInverted ? "up" : "",
    choices.order === "time" ? "bytime" : "",
    choices.grain === "line" ? "lines" : "",
    choices.detail === USUAL.detail ? "" : choices.detail,
  ];
  return words.filter((word) => word !== "").join(".") || NOTHING;
}

/** The choices that a word of the address says; words that mean nothing are passed over. */
export function chartChoices(word: string): ChartChoices {
  const choices = { ...USUAL };
  for (const one of word.split(".")) {
    if (isKind(one)) choices.kind = one;
    else if (one === "up") choices.isInverted = true;
    else if (one === "bytime") choices.order = "time";
    else if (one === "lines") choices.grain = "line";
    else if (isDetail(one)) choices.detail = one;
  }
  return choices;
}

const isOrder = (value: unknown): value is Order => value === "heavy" || value === "time";
const isGrain = (value: unknown): value is Grain => value === "function" || value === "line";
const isSwitch = (value: unknown): value is boolean => typeof value === "boolean";

export function useChart(place: Place, go: Go): [ChartChoices, (change: Partial<ChartChoices>) => void] {
  const [kind, setKind] = useKept<ChosenKind>("flame.kind", USUAL.kind, isKind);
  const [order, setOrder] = useKept<Order>("flame.order", USUAL.order, isOrder);
  const [grain, setGrain] = useKept<Grain>("flame.by", USUAL.grain, isGrain);
  const [isInverted, setInverted] = useKept<boolean>("flame.inverted", USUAL.isInverted, isSwitch);
  const [detail, setDetail] = useKept<Detail>("stacks.detail", USUAL.detail, isDetail);
  const { chart } = place;
  const choices = useMemo(
    () => (chart === undefined ? { kind, isInverted, order, grain, detail } : chartChoices(chart)),
    [chart, kind, isInverted, order, grain, detail],
  );
  // the first address of the view says what its picture is
  useEffect(() => {
    if (chart === undefined && chartWord(choices) !== NOTHING) go({ chart: chartWord(choices) }, true);
  }, [chart, choices, go]);
  const change = useCallback(
    (step: Partial<ChartChoices>) => {
      const next = { ...choices, ...step };
      setKind(next.kind);
      setOrder(next.order);
      setGrain(next.grain);
      setInverted(next.isInverted);
      setDetail(next.detail);
      go({ chart: chartWord(next) }, true);
    },
    [choices, go],
  );
  return [choices, change];
}
