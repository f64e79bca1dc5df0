// gui/src/shell/missing_note.tsx - says that the address names what this profile does not have.
//
// SPDX-License-Identifier: Apache-2.0
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";

export function MissingNote({ place, go }: { place: Place; go: Go }) {
  if (place.missing === undefined) return null;
  return (
    <p class="span-note" role="status">
      <span>
        The address names the file <code>{place.missing}</code>, of which this profile has no line
      </span>
      <button type="button" class="button quiet" onClick={() => go({ view: place.view }, true)}>
        Close
      </button>
    </p>
  );
}
