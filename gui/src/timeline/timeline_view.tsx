// gui/src/timeline/timeline_view.tsx - the view "timeline": what ran when, with the footprint above.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useChart } from "../flame/chart_choices";
import { FrameLegend } from "../flame/legend";
import { Choices } from "../flame/flame_tools";
import { DETAILS } from "../flame/shown";
import type { Range } from "../flame/tree";
import { count, countOf, duration } from "../model/number";
import { useAnswer, useSlow } from "../state/answer_hook";
import { useFileState } from "../state/carried";
import type { ViewProps } from "../view_props";
import { BINS, nearQuestion, type TimelineAnswer, timelineQuestion } from "./answer";
import { type Bands, bandsOf, type Spot } from "./bands";
import { boxAt, stitch } from "./stitch";
import "./timeline.css";
import { TimelineChart } from "./timeline_chart";
import { deepest } from "./words";

/** How long what is in sight must stand still before finer runs are asked for. */
const REST_MS = 120;

export function TimelineView({ source, overview, place, go }: ViewProps) {
  const whole = useAnswer<TimelineAnswer>(source, timelineQuestion());
  const [near, setNear] = useState<string | undefined>(undefined);
  const fine = useAnswer<TimelineAnswer>(source, near ?? null);
  const [sight, setSight] = useState<{ range: Range; isWhole: boolean } | null>(null);
  const [goal, setGoal] = useState<{ range: Range | null } | null>(null);
  const isSlow = useSlow(whole.value === undefined);
  const rest = useRef(0);

  const answer = near && fine.value && covers(fine.value, sight?.range) ? fine.value : whole.value;
  const [{ detail }, setChart] = useChart(place, go);
  const lanes = useMemo(() => (answer ? stitch(answer, BINS, detail) : []), [answer, detail]);
  const shown = useMemo(() => {
    const one = answer?.threads.findIndex((thread) => thread.id === place.thread) ?? -1;
    return one >= 0 ? lanes.filter((lane) => lane.thread === one) : lanes;
  }, [lanes, answer, place.thread]);
  const footprint = overview.memory?.footprint;
  const bands = useCallback(
    (width: number) => bandsOf(shown, answer?.tracks.length ?? 0, (footprint?.length ?? 0) > 1, width),
    [shown, answer, footprint],
  );

  const onRange = useCallback(
    (range: Range, isWhole: boolean) => {
      setSight((last) =>
        last && last.range.from === range.from && last.range.to === range.to && last.isWhole === isWhole
          ? last
          : { range: { ...range }, isWhole },
      );
    },
    [],
  );
  useEffect(() => {
    clearTimeout(rest.current);
    if (!sight || !whole.value) return;
    const end = whole.value.end_s;
    rest.current = setTimeout(() => setNear(sight.isWhole ? undefined : nearQuestion(source, sight.range, end)), REST_MS);
    return () => clearTimeout(rest.current);
  }, [sight, source, whole.value]);

  const setSpan = useCallback((span: Range | undefined) => {
    if (span) go({ from: Number(span.from.toFixed(6)), to: Number(span.to.toFixed(6)) }, true);
    else go({ from: undefined, to: undefined }, true);
  }, [go]);
  const pick = useCallback(
    (of: Bands, spot: Spot, time: number) => {
      if (spot.part !== "strip" && spot.part !== "stack") return;
      const lane = of.lanes[spot.lane]?.lane;
      const row = lane?.rows[spot.part === "stack" ? spot.depth : deepest(lane, time)];
      const frame = row && answer?.frames[row.frames[boxAt(row, time)] as number];
      if (frame?.kind !== "python") return;
      go(frame.file !== undefined && frame.file !== place.file ? { file: frame.file, fn: frame.name } : { fn: frame.name }, true);
      setPicked(frame.file !== undefined && frame.line ? { name: frame.name, file: frame.file, line: frame.line } : null);
    },
    [answer, go, place.file],
  );
  const [picked, setPicked] = useFileState<{ name: string; file: number; line: number } | null>(
    overview.files,
    () => null,
    (now, numberOf) => now && { ...now, file: numberOf(now.file) ?? now.file },
  );

  if (!answer)
    return (
      <section class="flame-view" aria-busy={whole.error === undefined}>
        {whole.error !== undefined && <p role="alert">{whole.error}</p>}
        {isSlow && whole.error === undefined && <p role="status">Reading the timeline</p>}
      </section>
    );
  const span = place.from !== undefined && place.to !== undefined ? { from: place.from, to: place.to } : undefined;
  const hasSpan = span !== undefined;
  return (
    <section class="flame-view timeline-view">
      <div class="chart-tools">
        <label class="timeline-threads">
          Threads{" "}
          <select value={place.thread ?? ""} onChange={(event) => go({ thread: event.currentTarget.value || undefined }, true)}>
            <option value="">all ({count(answer.threads.length)})</option>
            {answer.threads.map((thread) => (
              <option key={thread.id} value={thread.id}>
                {thread.name}
              </option>
            ))}
          </select>
        </label>
        <Choices label="Shown" value={detail} set={(next) => setChart({ detail: next })} options={DETAILS} />
        <button type="button" disabled={!hasSpan} onClick={() => span && setGoal({ range: span })} title="Enter">
          Zoom to span
        </button>
        <button type="button" disabled={!hasSpan} onClick={() => setSpan(undefined)}>
          Clear span
        </button>
        <button type="button" disabled={!hasSpan} onClick={() => go({ view: "flame" })}>
          Flame chart of span
        </button>
        <button type="button" disabled={sight?.isWhole ?? true} onClick={() => setGoal({ range: null })} title="Show all (Esc)">
          Reset zoom
        </button>
        {picked && (
          <button type="button" onClick={() => go({ view: "lines", file: picked.file, line: picked.line })}>
            Go to {picked.name}, line {picked.line}
          </button>
        )}
      </div>
      {answer.run_count === 0 && !footprint && answer.tracks.length === 0 ? (
        <p class="flame-empty">This profile has no timeline: it was made with --no-stacks, or nothing ran long enough.</p>
      ) : (
        <TimelineChart
          answer={answer}
          bandsOf={bands}
          footprint={footprint}
          span={span}
          setSpan={setSpan}
          chosen={place.fn}
          label={`Timeline of ${duration(answer.end_s)}, ${countOf(answer.threads.length, "thread")}. Left and right move through time, with Shift they select a span; plus and minus zoom, Escape shows all.`}
          pick={pick}
          onRange={onRange}
          goal={goal}
        />
      )}
      <div class="flame-foot">
        <FrameLegend />
        <p class="flame-notes">
          Drag to select a span: the other views follow it. The wheel zooms, with Shift it moves; Shift and drag moves too.
          {answer.threads_left_out > 0 && ` ${countOf(answer.threads_left_out, "thread")} with the least time ${answer.threads_left_out === 1 ? "is" : "are"} not shown.`}
          {answer.is_cut && " The timeline was too long to be read whole."}
        </p>
      </div>
    </section>
  );
}

function covers(answer: TimelineAnswer, range: Range | undefined): boolean {
  const slack = (answer.to_s - answer.from_s) * 1e-6;
  return range !== undefined && answer.from_s <= range.from + slack && answer.to_s >= range.to - slack;
}
