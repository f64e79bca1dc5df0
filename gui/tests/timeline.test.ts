// gui/tests/timeline.test.ts - runs stitched to boxes, where bands stand, and what is said of a moment.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { EmbeddedSource } from "../src/model/embedded";
import { nearQuestion, spanToAsk, type TimelineAnswer, timelineQuestion } from "../src/timeline/answer";
import { bandsOf, DEPTH, spotAt, STRIP } from "../src/timeline/bands";
import { tickText, trackName } from "../src/timeline/paint";
import { boxAt, firstAfter, stitch } from "../src/timeline/stitch";
import { deepest, footprintAt, moment, percentAt, saidSpot, sentence } from "../src/timeline/words";

const ANSWER: TimelineAnswer = {
  from_s: 0,
  to_s: 4,
  end_s: 4,
  run_count: 5,
  is_cut: false,
  threads: [
    { id: "1", name: "main", is_main: true },
    { id: "2", name: "worker", is_main: false },
  ],
  threads_left_out: 0,
  frames: [
    { name: "main", kind: "python", path: "/p/a.py", line: 3, file: 0 },
    { name: "main", kind: "python", path: "/p/a.py", line: 4, file: 0 },
    { name: "f", kind: "python", path: "/p/a.py", line: 9, file: 0 },
    { name: "read", kind: "native", path: "/lib/libc.so.6" },
  ],
  stacks: [[0, 2], [1, 2, 3], [3]],
  starts_s: [0, 1, 3, 0.5, 2.5],
  ends_s: [1, 2, 4, 1.5, 3],
  run_threads: [0, 0, 0, 1, 1],
  run_stacks: [0, 1, 0, 2, 2],
  tracks: [{ id: "io", title: "Input and output", percents: [0, 25, 100, 0] }],
};
const lanes = stitch(ANSWER, 400, "all");
const main = lanes[0];
const bands = bandsOf(lanes, 1, true, 1000);

test("a frame that goes on is one box, whatever its line and what it calls", () => {
  assert.deepEqual(main?.rows[0], { starts: [0, 3], ends: [2, 4], frames: [0, 0] });
  assert.deepEqual(main?.rows[1], { starts: [0, 3], ends: [2, 4], frames: [2, 2] });
  assert.deepEqual(main?.rows[2], { starts: [1], ends: [2], frames: [3] });
  assert.deepEqual(main?.strip, { starts: [0, 1, 3], ends: [1, 2, 4], kinds: ["python", "native", "python"] });
  assert.deepEqual(lanes[1]?.rows[0], { starts: [0.5, 2.5], ends: [1.5, 3], frames: [3, 3] });
});

test("boxes are found by time", () => {
  const row = { starts: [0, 3], ends: [2, 4] };
  assert.equal(firstAfter(row.ends, 2), 1);
  assert.equal(firstAfter(row.ends, 9), 2);
  assert.equal(boxAt(row, 1), 0);
  assert.equal(boxAt(row, 2.5), -1);
  assert.equal(boxAt(row, 3), 1);
  assert.equal(boxAt(row, 4), -1);
});

test("bands stand below one another, lanes scroll", () => {
  assert.equal(spotAt(bands, 3, 0).part, "axis");
  assert.equal(spotAt(bands, bands.curveY + 5, 0).part, "curve");
  assert.deepEqual(spotAt(bands, bands.tracksY + 5, 0), { part: "track", track: 0 });
  assert.deepEqual(spotAt(bands, bands.head + 3, 0), { part: "strip", lane: 0 });
  assert.deepEqual(spotAt(bands, bands.head + STRIP + DEPTH + 2, 0), { part: "stack", lane: 0, depth: 1 });
  const second = bands.lanes[1]?.y ?? 0;
  assert.deepEqual(spotAt(bands, bands.head + 3, second), { part: "strip", lane: 1 });
  assert.equal(spotAt(bands, bands.head + bands.tall + 50, 0).part, "none");
  assert.equal(bandsOf(lanes, 0, false, 300).gutter < bands.gutter, true);
});

test("of several threads none hides the others", () => {
  const deep = { thread: 0, rows: Array.from({ length: 60 }, () => ({ starts: [], ends: [], frames: [] })), strip: { starts: [], ends: [], kinds: [] } };
  assert.equal(bandsOf([deep, deep], 0, false, 900).lanes[0]?.depths, 14);
  assert.equal(bandsOf([deep], 0, false, 900).lanes[0]?.depths, 60);
});

test("a moment is described in words", () => {
  const curve: [number, number][] = [[0, 10], [2, 30]];
  assert.equal(footprintAt(curve, 1.9), 10);
  assert.equal(percentAt(ANSWER.tracks[0] as TimelineAnswer["tracks"][0], ANSWER, 1.5), 25);
  assert.equal(deepest(main as NonNullable<typeof main>, 1.5), 2);
  assert.equal(
    sentence(ANSWER, bands, 1.2, curve, 0.01),
    "1.20 s: main in read; worker in read; input and output 25%; footprint 10.0 MB.",
  );
  assert.equal(sentence(ANSWER, bandsOf([], 0, false, 900), 0.1, undefined, 0.1).includes("nothing"), true);
  const box = saidSpot(ANSWER, bands, { part: "stack", lane: 0, depth: 1 }, 1.5, curve, 0.01);
  assert.equal(box?.title, "f");
  assert.equal(box?.place, "/p/a.py:9");
  assert.deepEqual(box?.facts[0], ["when", "0.00 s to 2.00 s, 2.00 s"]);
  assert.equal(saidSpot(ANSWER, bands, { part: "stack", lane: 0, depth: 1 }, 2.5, curve, 0.01), null);
  assert.equal(saidSpot(ANSWER, bands, { part: "track", track: 0 }, 2.5, curve, 0.1)?.title, "Input and output: 100%");
  assert.equal(saidSpot(ANSWER, bands, { part: "curve" }, 2.5, undefined, 0.1), null);
  assert.equal(moment(1.23456, 0.001), "1.235 s");
});

test("finer runs are asked for in spans that neighbours share", () => {
  assert.equal(spanToAsk(0, 4, 4), undefined);
  assert.equal(spanToAsk(0.5, 3.5, 4), undefined);
  const one = spanToAsk(10.1, 11.1, 1000);
  assert.deepEqual(one, spanToAsk(10.2, 11.2, 1000));
  assert.equal(one !== undefined && one.from <= 9.5 && one.to >= 11.5, true);
  assert.deepEqual(spanToAsk(0, 1, 1000)?.from, 0);
  assert.equal(timelineQuestion(), "api/timeline?bins=2000");
  assert.equal(timelineQuestion({ from: 1, to: 2 }), "api/timeline?from_s=1&to_s=2&bins=2000");
});

test("ticks have the digits they need", () => {
  assert.equal(tickText(2, 0.5), "2.0 s");
  assert.equal(tickText(2, 1), "2 s");
  assert.equal(tickText(0.002, 0.0005), "0.0020 s");
  assert.equal(tickText(120, 60), "2m:00.00s");
});

test("the load of devices is a track like others, and keeps its capitals", () => {
  const answer = { ...ANSWER, tracks: [{ id: "gpu", title: "Load of the GPU", percents: [0, 61, 61, 0] }] };
  assert(sentence(answer, bands, 1.2, undefined, 0.01).includes("load of the GPU 61%"));
  assert.equal(saidSpot(answer, bands, { part: "track", track: 0 }, 2.5, undefined, 0.1)?.title, "Load of the GPU: 61%");
  const named = (title: string) => trackName({ id: "gpu", title, percents: [] });
  assert.deepEqual([named("Load of the GPUs"), named("Load of the Neuron devices")], ["GPUs", "Neuron"]);
  assert.equal(trackName({ id: "gil", title: "Waiting for the GIL", percents: [] }), "GIL wait");
});

test("without a server the shortest part that holds a span is taken", () => {
  const parts = ["", "from_s=0&to_s=50&", "from_s=25&to_s=75&", "from_s=50&to_s=100.00001&", "from_s=0&to_s=12.5&"];
  const source = new EmbeddedSource(Object.fromEntries(parts.map((part) => [`api/timeline?${part}bins=2000`, {}])));
  const near = (from: number, to: number) => nearQuestion(source, { from, to }, 100.000012);
  assert.equal(near(1, 5), "api/timeline?from_s=0&to_s=12.5&bins=2000");
  assert.equal(near(10, 20), "api/timeline?from_s=0&to_s=50&bins=2000");
  assert.equal(near(40, 60), "api/timeline?from_s=25&to_s=75&bins=2000");
  assert.equal(near(90, 120), "api/timeline?from_s=50&to_s=100.00001&bins=2000");
  assert.equal(near(10, 90), undefined);
});
