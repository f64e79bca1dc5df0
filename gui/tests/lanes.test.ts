// gui/tests/lanes.test.ts - the colours and words of the lanes of tasks, and what of them is in a span.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { clipped, type Lane, laneSentence, placeText, rankedPlaces, spanOf, TONES, tonesOf } from "../src/async/lanes";
import type { Overview } from "../src/model/answers";

const lane = (...runs: [number, number, number][]): Lane => ({ name: "Task-1", pid: 7, wait_s: 0, runs });
const LANES = [lane([0.5, 1, 0], [2, 0.25, 1]), lane([1, 3, 1], [5, 9, -1])];
const overview = { files: [{ short_name: "a.py" }] } as unknown as Overview;
const PLACES = [
  { name: "fetch", file: 0, lineno: 12 },
  { name: "", lineno: 3 },
];

test("places are ranked by the time that tasks waited there, and the first have colours", () => {
  assert.deepEqual(rankedPlaces(LANES), [
    { index: 1, wait_s: 3.25 },
    { index: 0, wait_s: 1 },
  ]);
  const many = Array.from({ length: 20 }, (_, index) => ({ index, wait_s: 20 - index }));
  assert.equal(tonesOf(many).size, TONES);
  assert.equal(tonesOf(many).get(3), 3);
});

test("a lane spans what is seen of it, and a span cuts its runs", () => {
  assert.deepEqual(spanOf(LANES), [0.5, 14]);
  assert.deepEqual(spanOf([]), [0, 1]);
  assert.deepEqual(clipped(LANES[0]?.runs ?? [], 1, 2.125), [
    [1, 0.5, 0],
    [2, 0.125, 1],
  ]);
});

test("a lane is told to a screen reader by its longest wait", () => {
  assert.equal(laneSentence(LANES[0]?.runs ?? [], PLACES, overview), "2 waits from 500 ms to 2.25 s, longest 1.00 s at fetch (a.py:12)");
  assert.equal(laneSentence([], PLACES, overview), "did not wait");
  assert.equal(placeText(PLACES[1], overview), "line 3");
  assert.equal(placeText(undefined, overview), "several lines");
});
