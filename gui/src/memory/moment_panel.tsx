// gui/src/memory/moment_panel.tsx - which lines held the memory: at the peak, at the end, at a chosen moment, in a span.
//
// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { MemorySummary, Overview } from "../model/answers";
import { duration, megabytes } from "../model/number";
import type { Source } from "../model/source";
import { Choice } from "../parts/choice";
import { PathText } from "../parts/path_text";
import { ShareBar } from "../parts/share_bar";
import { TableBox } from "../parts/table_box";
import { type Heading, TableHead } from "../parts/table_head";
import { Waiting } from "../parts/waiting";
import { useAnswer } from "../state/answer_hook";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import { HEADINGS, liveAt, type MemoryAnswer, type Moment, memoryQuestion, type MomentRow, rowsAt } from "./moment";

const SHOWN = 12;

type Fixed = "peak" | "end" | "own" | "freed";

interface Props {
  source: Source;
  overview: Overview;
  memory: MemorySummary;
  place: Place;
  go: Go;
}

/** The moment of the address, if it has one. */
function chosenOf(place: Place): Moment | undefined {
  if (place.from !== undefined && place.to !== undefined) return { kind: "span", from: place.from, to: place.to };
  return place.at === undefined ? undefined : { kind: "at", seconds: place.at };
}

function optionsOf(chosen: Moment | undefined) {
  return [
    { id: "peak", title: "At the peak", hint: "What was in use when the program had its peak" },
    { id: "end", title: "At the end", hint: "What was not freed when the program ended" },
    { id: "freed", title: "Temporary", hint: "What was allocated and freed again before the program ended" },
    { id: "own", title: "Each line's peak", hint: "The most each line had in use at any moment" },
    ...(chosen?.kind === "at" ? [{ id: "at", title: `At ${duration(chosen.seconds)}` }] : []),
    ...(chosen?.kind === "span" ? [{ id: "span", title: `${duration(chosen.from)} to ${duration(chosen.to)}` }] : []),
  ];
}

/** Of which moments the stacks are known, as the flame chart names them. */
const CHARTS: Partial<Record<Moment["kind"], string>> = { peak: "peak", end: "exit", at: "moment", span: "moment" };

/** How much the whole program had in use, where that is known. */
function wholeOf(memory: MemorySummary, moment: Moment): number | undefined {
  if (moment.kind === "peak") return memory.peak_mb;
  if (moment.kind === "end") return memory.live_at_exit_mb;
  if (moment.kind === "at") return memory.footprint && liveAt(memory.footprint, moment.seconds);
  return undefined;
}

export function MomentPanel({ source, overview, memory, place, go }: Props) {
  const answer = useAnswer<MemoryAnswer>(source, memoryQuestion);
  const [fixed, setFixed] = useState<Fixed>("peak");
  const [isAll, setAll] = useState(false);
  const chosen = chosenOf(place);
  const moment: Moment = chosen ?? { kind: fixed };
  const choose = (id: string) => {
    if (id === "at" || id === "span") return;
    setFixed(id as Fixed);
    go({ at: undefined, from: undefined, to: undefined }, true);
  };
  const whole = wholeOf(memory, moment);
  const chart = CHARTS[moment.kind];
  const isCharted = chart === "moment" ? overview.parts.memory_moments_s.length > 0 : overview.parts.memory_stacks;
  const rows = answer.value ? rowsAt(answer.value, moment) : [];
  return (
    <section class="panel moment" aria-labelledby="memory-moment">
      <h2 id="memory-moment">What was in memory</h2>
      <Choice name="Moment" options={optionsOf(chosen)} chosen={moment.kind} choose={choose} />
      <p class="soft" role="status">
        {whole !== undefined && `The program had ${megabytes(whole)} in use. `}
        Click the curve for another moment, drag over it for a span.{" "}
        {isCharted && chart !== undefined && (
          <button type="button" class="link" onClick={() => go({ view: "flame", chart })}>
            {moment.kind === "span" ? "stacks at its end" : "by stack"}
          </button>
        )}
      </p>
      {!answer.value && <Waiting answer={answer} text="Reading the lines' memory" />}
      {answer.value && rows.length === 0 && <p class="soft">No line held memory worth showing.</p>}
      {rows.length > 0 && <Rows rows={isAll ? rows : rows.slice(0, SHOWN)} moment={moment} overview={overview} go={go} />}
      {rows.length > SHOWN && (
        <button type="button" class="link" onClick={() => setAll(!isAll)}>
          {isAll ? "fewer lines" : `all ${rows.length} lines`}
        </button>
      )}
    </section>
  );
}

function Rows({ rows, moment, overview, go }: { rows: readonly MomentRow[]; moment: Moment; overview: Overview; go: Go }) {
  const [value, other] = HEADINGS[moment.kind];
  const headings: Heading[] = [
    { title: value, kind: "number" },
    { title: "share", kind: "bar" },
    { title: "line" },
    { title: "source" },
    { title: other, kind: "number" },
  ];
  const top = Math.max(...rows.map((row) => row.mb), 1e-9);
  return (
    <TableBox name="Lines in memory">
      <table class="table">
        <TableHead headings={headings} />
        <tbody>
          {rows.map(({ holder, mb, other_mb }) => (
            <tr key={`${overview.files[holder.file]?.name}:${holder.lineno}`}>
              <td class="number">{megabytes(mb)}</td>
              <td class="bar-column">
                <ShareBar percent={(100 * Math.max(mb, 0)) / top} tone="memory" />
              </td>
              <td>
                <button type="button" class="link" onClick={() => go({ view: "lines", file: holder.file, line: holder.lineno })}>
                  <PathText text={`${overview.files[holder.file]?.short_name ?? ""}:${holder.lineno}`} />
                </button>
              </td>
              <td class="code" title={holder.text}>
                {holder.text}
              </td>
              <td class="number">{megabytes(other_mb)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}
