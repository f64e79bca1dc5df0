// gui/src/shell/span_note.tsx - says that a span of the run, a thread or a kind of time is selected, and lets go of it.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { grouped } from "../lines/columns";
import { isPart, isStretch, othersOf, partWords } from "../model/part_words";
import type { Source } from "../model/source";
import { useRunPart } from "../state/part_hook";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";

interface Props {
  source: Source;
  overview: Overview;
  place: Place;
  go: Go;
}

/** Which views have numbers of a part, and which of their numbers are still the whole run's. */
function scopeOf({ view, ...place }: Place, overview: Overview): string {
  if (view === "lines" || view === "functions") {
    const others = othersOf(grouped(overview.columns));
    return `times are shares of ${isStretch(place) ? "this part" : "it"}${others === "" ? "" : `; of the whole run: ${others}`}`;
  }
  if ((view === "flame" || view === "sandwich") && !isStretch(place)) return "stacks of memory are those of the whole run";
  if (view === "flame" || view === "sandwich") return "stacks of time are those of this part, stacks of memory those of the whole run";
  if (!isStretch(place)) return "what is shown here is of all time";
  if (view === "timeline" || view === "memory") return "Lines, Functions and Flame then show this part";
  return "what is shown here is of the whole run";
}

/** What the note says behind what is selected. */
function saidOf(source: Source, overview: Overview, place: Place, error: string | undefined): string {
  if (source.served) return `: ${error ?? scopeOf(place, overview)}`;
  const whole = "This file has the numbers of the whole run only; scalene view shows those of a part";
  if (isStretch(place)) return ` is marked on the timeline. ${whole}`;
  return error === undefined || place.view === "flame" || place.view === "sandwich" ? `: ${scopeOf(place, overview)}` : `: ${error}`;
}

export function SpanNote({ source, overview, place, go }: Props) {
  const part = useRunPart(source, overview, place);
  if (!isPart(place)) return null;
  return (
    <p class="span-note" role="status">
      <span>
        <b>{partWords(overview, place)}</b>
        {saidOf(source, overview, place, part.error)}
      </span>
      <button
        type="button"
        class="button"
        onClick={() => go(isStretch(place) ? { from: undefined, to: undefined, thread: undefined } : { time: undefined })}
      >
        {isStretch(place) ? "Whole run" : "All time"}
      </button>
    </p>
  );
}
