// gui/src/async/lanes_table.tsx - a lane per task: when it waited, coloured by the line at which it did.
//
// SPDX-License-Identifier: Apache-2.0
import { useMemo, useState } from "preact/hooks";
import type { Overview } from "../model/answers";
import { count, duration } from "../model/number";
import { TableBox } from "../parts/table_box";
import { type Heading, TableHead } from "../parts/table_head";
import type { Go } from "../state/place_hook";
import "./lanes.css";
import { clipped, type Lane, type LanePlace, laneSentence, placeText, rankedPlaces, spanOf, TONES, tonesOf } from "./lanes";

/** More are drawn on request. */
const SHOWN_FIRST = 60;

const HEADINGS: readonly Heading[] = [{ title: "task" }, { title: "waited", kind: "number" }, { title: "when" }];

interface Props {
  lanes: readonly Lane[];
  places: readonly LanePlace[];
  isCut: boolean;
  /** Of the run, in seconds; absent: all of it. */
  span: readonly [number, number] | undefined;
  overview: Overview;
  go: Go;
}

function Legend({ lanes, places, tones, overview, go }: Pick<Props, "lanes" | "places" | "overview" | "go"> & { tones: Map<number, number> }) {
  const ranked = rankedPlaces(lanes);
  return (
    <ul class="lane-legend">
      {ranked.slice(0, TONES).map(({ index, wait_s }) => {
        const { file, lineno } = places[index] ?? { lineno: 0 };
        const text = placeText(places[index], overview);
        return (
          <li key={index}>
            <span class={`lane-key tone-${tones.get(index)}`} aria-hidden="true" />
            {file === undefined ? (
              text
            ) : (
              <button type="button" class="link" onClick={() => go({ view: "lines", file, line: lineno })}>
                {text}
              </button>
            )}{" "}
            <span class="soft">{duration(wait_s)}</span>
          </li>
        );
      })}
      <li>
        <span class="lane-key tone-other" aria-hidden="true" />
        <span class="soft">{ranked.length > TONES ? `${count(ranked.length - TONES)} more lines` : "several lines"}</span>
      </li>
    </ul>
  );
}

export function LanesTable({ lanes, places, isCut, span, overview, go }: Props) {
  const [isAll, setAll] = useState(false);
  const tones = useMemo(() => tonesOf(rankedPlaces(lanes)), [lanes]);
  const [from, to] = useMemo(() => span ?? spanOf(lanes), [span, lanes]);
  const rows = useMemo(() => lanes.map((lane) => ({ lane, runs: clipped(lane.runs, from, to) })).filter(({ runs }) => runs.length > 0), [lanes, from, to]);
  const shown = isAll ? rows : rows.slice(0, SHOWN_FIRST);
  const hasSeveral = new Set(lanes.map(({ pid }) => pid)).size > 1;
  const share = (seconds: number) => seconds / (to - from);
  return (
    <>
      <p class="soft">
        From {duration(from)} to {duration(to)} of the run. Where a lane is empty the task ran, was ready to, or had ended.
        {isCut && ` Of more tasks, the ${count(lanes.length)} that waited longest.`}
      </p>
      <Legend lanes={lanes} places={places} tones={tones} overview={overview} go={go} />
      <TableBox name="When tasks waited">
        <table class="table lanes">
          <TableHead headings={HEADINGS} />
          <tbody>
            {shown.map(({ lane, runs }) => (
              <tr key={`${lane.pid} ${lane.name} ${lane.runs[0]?.[0]}`}>
                <td>
                  <span class="code">{lane.name || "(no name)"}</span>
                  {hasSeveral && <span class="soft"> {lane.pid}</span>}
                </td>
                <td class="number">{duration(runs.reduce((sum, [, waited]) => sum + waited, 0))}</td>
                <td class="lane-cell">
                  <svg class="lane" viewBox="0 0 1 1" preserveAspectRatio="none" role="img" aria-label={laneSentence(runs, places, overview)}>
                    {runs.map(([begin, waited, index]) => (
                      <rect key={begin} class={`tone-${tones.get(index) ?? "other"}`} x={share(begin - from)} width={share(waited)} height="1">
                        <title>{`${placeText(places[index], overview)}: ${duration(waited)}, from ${duration(begin)} on`}</title>
                      </rect>
                    ))}
                  </svg>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      {shown.length < rows.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {count(rows.length)} tasks
        </button>
      )}
      {rows.length === 0 && <p class="soft">No task was seen to wait in this span of time.</p>}
    </>
  );
}
