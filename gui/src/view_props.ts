// gui/src/view_props.ts - what every view gets.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "./model/answers";
import type { Source } from "./model/source";
import type { RunPart } from "./state/part_hook";
import type { Place } from "./state/place";
import type { Go } from "./state/place_hook";

export interface ViewProps {
  source: Source;
  overview: Overview;
  place: Place;
  go: Go;
  part: RunPart;
}
