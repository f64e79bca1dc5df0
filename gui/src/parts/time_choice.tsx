// gui/src/parts/time_choice.tsx - all time, or only that on a CPU, or only waiting: in every view that has tables or stacks of time.
//
// SPDX-License-Identifier: Apache-2.0
import { partQuestion } from "../model/questions";
import type { PartTime } from "../model/part_words";
import type { ViewProps } from "../view_props";
import { Choice } from "./choice";

const ALL = "all";

const OPTIONS: readonly { id: PartTime | typeof ALL; title: string; hint: string }[] = [
  { id: ALL, title: "All time", hint: "On a CPU, ready for one, and waiting" },
  { id: "cpu", title: "CPU", hint: "Only time on a CPU or ready for one" },
  { id: "waiting", title: "Waiting", hint: "Only waiting: for input and output, locks, sleep, other processes" },
];

interface Props extends ViewProps {
  /** What a file without a server must hold for the view: the tables' shares, if nothing is said. */
  needs?: string;
}

/** Nothing where the profile, or the file without a server, does not have waiting apart. */
export function TimeChoice({ source, overview, place, go, needs = partQuestion({ time: "waiting" }) }: Props) {
  const isThere = overview.parts.waiting_stacks && (source.served || source.known(needs) !== undefined);
  if (!isThere) return null;
  return (
    <Choice
      name="Time to show"
      options={OPTIONS}
      chosen={place.time ?? ALL}
      choose={(next) => go({ time: next === ALL ? undefined : next }, true)}
    />
  );
}
