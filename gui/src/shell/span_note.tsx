// gui/src/shell/span_note.tsx - says that a span of the run, a thread, a unit of work or a kind of time is selected, and lets go of it.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { isPart, isStretch, partWords } from "../model/part_words";
import type { RunPart } from "../state/part_hook";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import { scopeOf } from "./scope";

interface Props {
  overview: Overview;
  place: Place;
  part: RunPart;
  go: Go;
}

export function SpanNote({ overview, place, part, go }: Props) {
  if (!isPart(place)) return null;
  const isOfRun = isStretch(place) || place.unit !== undefined;
  const chosen = partWords(overview, place);
  const shown = part.isPart ? partWords(overview, part.place) : chosen;
  return (
    <p class="span-note" role="status">
      <span>
        <b>{chosen}</b>
        {shown !== chosen && `; this file has the numbers of ${shown}`}: {scopeOf(place, overview, part.error).says}
      </span>
      <button
        type="button"
        class="button"
        onClick={() => go(isOfRun ? { from: undefined, to: undefined, thread: undefined, unit: undefined } : { time: undefined })}
      >
        {isOfRun ? "Whole run" : "All time"}
      </button>
    </p>
  );
}
