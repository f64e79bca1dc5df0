// gui/src/shell/span_note.tsx - says that a span of the run is selected, and lets go of it.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { duration } from "../model/number";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";

export function SpanNote({ overview, place, go }: { overview: Overview; place: Place; go: Go }) {
  if (place.from === undefined || place.to === undefined) return null;
  return (
    <p class="span-note" role="status">
      <span>
        Only {duration(place.from)} to {duration(Math.min(place.to, overview.elapsed_s))} of the run:{" "}
        {duration(Math.min(place.to, overview.elapsed_s) - place.from)}
      </span>
      <button type="button" class="button quiet" onClick={() => go({ from: undefined, to: undefined })}>
        Whole run
      </button>
    </p>
  );
}
