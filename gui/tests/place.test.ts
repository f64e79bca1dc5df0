// gui/tests/place.test.ts - a place and its address are one thing.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileSummary } from "../src/model/answers";
import { programOf } from "../src/shell/program";
import { formatPlace, parsePlace, type Place, stepFrom } from "../src/state/place";

const file = (name: string, short: string): FileSummary => ({
  name,
  short_name: short,
  percent: 0,
  seconds: 0,
  line_count: 0,
  function_count: 0,
  warnings: [],
  changed: false,
});
const FILES = [file("/a/x & y?.py", "x & y?.py"), file("/a/b.py", "b.py"), file("/c/b.py", "b.py")];
const VIEWS = ["overview", "lines", "flame", "memory"];

test("every place comes back from its address", () => {
  const places: Place[] = [
    { view: "overview" },
    { view: "lines", file: 0, line: 42 },
    { view: "lines", file: 0, line: 4, end: 9, mode: "all", sort: "-python" },
    { view: "lines", file: 2 },
    { view: "memory", at: 1.25 },
    { view: "lines", time: "waiting" },
    { view: "flame", unit: "GET /a?b=1&c", time: "cpu" },
    { view: "flame", fn: "<module> #1 & more", from: 0.25, to: 1.5, thread: "12:34", process: 7 },
  ];
  for (const place of places) assert.deepEqual(parsePlace(formatPlace(place, FILES), VIEWS, FILES), place);
});

test("what makes no sense is left out", () => {
  const place = parsePlace("#/nowhere?file=gone.py&line=3&from=5&to=1&mode=odd&process=x", VIEWS, FILES);
  assert.deepEqual(place, { view: "overview", missing: "gone.py" });
  assert.deepEqual(stepFrom(place, { view: "lines" }), { view: "lines" });
  assert.deepEqual(parsePlace("#/lines?file=b.py&line=1e300&process=1e300&from=0&to=1e300", VIEWS, FILES), { view: "lines", file: 1 });
  assert.deepEqual(parsePlace("", VIEWS, FILES), { view: "overview" });
  assert.deepEqual(parsePlace("#/lines?file=b.py&line=0&end=3", VIEWS, FILES), { view: "lines", file: 1 });
});

test("another file forgets the line, another line the region", () => {
  const place: Place = { view: "lines", file: 1, line: 3, end: 8, fn: "f", from: 0, to: 1 };
  assert.deepEqual(stepFrom(place, { file: 2 }), { view: "lines", file: 2, from: 0, to: 1 });
  assert.deepEqual(stepFrom(place, { line: 4 }), { view: "lines", file: 1, line: 4, from: 0, to: 1 });
  assert.deepEqual(stepFrom(place, { view: "flame" }).view, "flame");
  assert.equal(stepFrom(place, { view: "flame" }).line, 3);
  assert.equal("from" in stepFrom(place, { from: undefined, to: undefined }), false);
});

test("a unit of work and a span or a thread let go of each other", () => {
  assert.deepEqual(stepFrom({ view: "lines", from: 0, to: 1, thread: "7" }, { unit: "job" }), { view: "lines", unit: "job" });
  assert.deepEqual(stepFrom({ view: "lines", unit: "job" }, { thread: "7" }), { view: "lines", thread: "7" });
  assert.deepEqual(stepFrom({ view: "lines", unit: "job" }, { from: 0, to: 1 }), { view: "lines", from: 0, to: 1 });
  assert.deepEqual(parsePlace("#/lines?thread=7&unit=job", VIEWS, FILES), { view: "lines", thread: "7" });
});

test("the program stands without its interpreter and folders", () => {
  assert.deepEqual(programOf("/usr/bin/python3 /srv/a/report.py --fast 12", "/usr/bin/python3"), ["report.py", "--fast 12"]);
  assert.deepEqual(programOf("rows.py", "/srv/rows.py"), ["rows.py", ""]);
  assert.deepEqual(programOf("/usr/bin/python3.12 -m json.tool x", undefined), ["python3.12", "-m json.tool x"]);
  assert.deepEqual(programOf("", undefined), ["", ""]);
});
