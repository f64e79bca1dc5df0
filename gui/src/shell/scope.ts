// gui/src/shell/scope.ts - which numbers of a view follow a part of the run that is selected, and which do not.
//
// SPDX-License-Identifier: Apache-2.0
import { grouped } from "../lines/columns";
import type { Overview } from "../model/answers";
import { isStretch, othersOf } from "../model/part_words";
import type { Place } from "../state/place";

export interface Scope {
  /** All numbers of the view are the whole run's. */
  isWhole: boolean;
  says: string;
}

const all = (says: string): Scope => ({ isWhole: true, says });
const some = (says: string): Scope => ({ isWhole: false, says });

/** error: why the part cannot be shown. Only one time of a view is there for a span, a thread, a unit and a kind of time alike. */
export function scopeOf(place: Place, overview: Overview, error: string | undefined): Scope {
  if (error !== undefined) return all(error);
  const isSpan = place.from !== undefined && place.thread === undefined && place.time === undefined && place.unit === undefined;
  switch (place.view) {
    case "lines":
    case "functions": {
      const others = othersOf(grouped(overview.columns));
      return some(`times are shares of it${others === "" ? "" : `; dimmed, of the whole run: ${others}`}`);
    }
    case "flame":
    case "sandwich":
      return some("stacks of time are those of it, stacks of memory those of the whole run");
    case "overview":
      return some("where the time goes, and of what kind it is; what is dimmed is of the whole run");
    case "timeline":
      if (place.time !== undefined || place.unit !== undefined) return all("the timeline does not have it apart from other time");
      return isStretch(place) ? some("marked here; the other views show it, and dim what they have of the whole run only") : some("");
    case "memory":
      if (isSpan) return some("what was in memory; what is dimmed is of the whole run");
      return all("memory is known of all threads and all time together");
    case "async":
      if (isSpan) return some("when tasks waited; what is dimmed is of the whole run");
      return all("what tasks wait for is known of all threads and all time together");
    case "processes":
      return all("the CPU time of threads and processes is known of the whole run only");
    default:
      return all("what is shown here is of the whole run");
  }
}
