// gui/src/parts/time_choice.tsx - all time, or only that on a CPU, or only waiting: above all views.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { partQuestion } from "../model/questions";
import type { PartTime } from "../model/part_words";
import type { Source } from "../model/source";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import { Choice } from "./choice";

const ALL = "all";

const OPTIONS: readonly { id: PartTime | typeof ALL; title: string; hint: string }[] = [
  { id: ALL, title: "All time", hint: "On a CPU, ready for one, and waiting" },
  { id: "cpu", title: "CPU", hint: "Only time on a CPU or ready for one" },
  { id: "waiting", title: "Waiting", hint: "Only waiting: for input and output, locks, sleep, other processes" },
];

interface Props {
  source: Source;
  overview: Overview;
  place: Place;
  go: Go;
}

/** Nothing where the profile, or the file without a server, does not have waiting apart. */
export function TimeChoice({ source, overview, place, go }: Props) {
  const isThere = overview.parts.waiting_stacks && (source.served || source.known(partQuestion({ time: "waiting" })) !== undefined);
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
