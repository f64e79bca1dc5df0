// gui/src/shell/span_note.tsx - says that a span of the run or a thread is selected, and lets go of it.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { duration } from "../model/number";
import type { Source } from "../model/source";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";

interface Props {
  source: Source;
  overview: Overview;
  place: Place;
  go: Go;
}

export function SpanNote({ source, overview, place, go }: Props) {
  const { from, to, thread } = place;
  const isSpan = from !== undefined && to !== undefined;
  if (!isSpan && thread === undefined) return null;
  const parts: string[] = [];
  if (isSpan) {
    const end = Math.min(to, overview.elapsed_s);
    const start = Math.min(from, end);
    parts.push(`${duration(start)} to ${duration(end)} of the run, ${duration(end - start)}`);
  }
  if (thread !== undefined)
    parts.push(`thread ${overview.threads.find((one) => one.id === thread)?.name ?? thread}`);
  return (
    <p class="span-note" role="status">
      <span>
        {source.served
          ? `Only ${parts.join(", ")}: times of lines and stacks are shares of it; what else is shown is of the whole run`
          : `Marked on the timeline: ${parts.join(", ")}. This file has the numbers of the whole run only`}
      </span>
      <button
        type="button"
        class="button quiet"
        onClick={() => go({ from: undefined, to: undefined, thread: undefined })}
      >
        Whole run
      </button>
    </p>
  );
}
