// gui/src/memory/footprint_panel.tsx - the program's memory in a few numbers, over its curve.
//
// SPDX-License-Identifier: Apache-2.0
import type { MemorySummary, Overview } from "../model/answers";
import { finePercent, megabytes, megabytesWithError } from "../model/number";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import { CurveChart } from "../parts/curve_chart";
import { memoryWedges, Pie } from "../parts/pie";

interface Props {
  overview: Overview;
  memory: MemorySummary;
  place: Place;
  go: Go;
  isLarge?: boolean;
  /** A class for numbers of the whole run, where a part of it is selected. */
  whole: string;
}

export function FootprintPanel({ overview, memory, place, go, isLarge = false, whole }: Props) {
  const { peak_file: file, peak_lineno: line } = memory;
  const title = isLarge ? "Memory over the run" : "Where does the memory go?";
  return (
    <section class="panel footprint" aria-label={title}>
      <h2>{title}</h2>
      <p class={`figures${whole}`}>
        <span>
          peak <b>{megabytesWithError(memory.peak_mb, memory.peak_error_mb)}</b>
          {file !== undefined && line !== undefined && (
            <>
              {" at "}
              <button type="button" class="link" onClick={() => go({ view: "lines", file, line })}>
                {overview.files[file]?.short_name}:{line}
              </button>
            </>
          )}
        </span>
        {memory.python_fraction !== undefined && (
          <span>
            <Pie wedges={memoryWedges(100, 100 * memory.python_fraction)} />
            Python <b>{finePercent(100 * memory.python_fraction)}</b>, native{" "}
            <b>{finePercent(100 - 100 * memory.python_fraction)}</b>
          </span>
        )}
        {memory.growth_rate !== undefined && (
          <span>
            growth <b>{finePercent(memory.growth_rate)}</b>
          </span>
        )}
        {!isLarge && memory.copied_mb !== undefined && memory.copied_mb >= 0.05 && (
          <span>
            copied <b>{megabytes(memory.copied_mb)}</b>
          </span>
        )}
        {!isLarge && memory.leaks !== undefined && memory.leaks.length > 0 && (
          <span>
            possible leaks <b>{memory.leaks.length}</b>
          </span>
        )}
      </p>
      {memory.footprint && memory.footprint.length > 1 && (
        <CurveChart
          name="Memory over the run"
          curves={[
            ...(isLarge && memory.rss && memory.rss.length > 1
              ? [{ title: "resident", meaning: "resident, as the kernel counts it", tone: "rss", curve: memory.rss, isFilled: false }]
              : []),
            { title: "allocated", meaning: "allocated and not freed", tone: "footprint", curve: memory.footprint, isFilled: true },
          ]}
          elapsed_s={overview.span_s ?? overview.elapsed_s}
          peak={memory.peak_mb}
          height={isLarge ? 220 : 104}
          place={place}
          go={go}
          hasMoments={isLarge}
        />
      )}
    </section>
  );
}
