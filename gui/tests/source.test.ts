// gui/tests/source.test.ts - the answers of a standalone file; curves and spans.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { EmbeddedSource, tableOf } from "../src/model/embedded";
import { areaPath, linePath, pointAt, ticks } from "../src/model/scale";
import { spanCosts } from "../src/model/span_costs";

const rows = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ lineno: first + index + 1, code: [["", `text ${first + index}`]] }));
const answers = {
  "api/overview": { files: [{ name: "/a/p.py", short_name: "p.py" }] },
  "api/file?file=0&mode=hot&first=0&count=3": { file: 0, mode: "hot", row_count: 5, first: 0, rows: rows(0, 3) },
  "api/file?file=0&mode=hot&first=3&count=3": { file: 0, mode: "hot", row_count: 5, first: 3, rows: rows(3, 2) },
  "api/functions?file=all&sort=time&first=0&count=9": {
    row_count: 2,
    first: 0,
    rows: [
      { name: "f", file: 0, lineno: 1, cells: { python: 5, copy: 1 } },
      { name: "g", file: 1, lineno: 9, cells: { python: 2, copy: 7 } },
    ],
  },
};

test("rows are found whatever the size of their pieces", async () => {
  const source = new EmbeddedSource(answers);
  const piece = await source.get<{ rows: { lineno: number }[] }>("api/file?file=0&mode=hot&first=1&count=500");
  assert.deepEqual(
    piece.rows.map((row) => row.lineno),
    [2, 3, 4, 5],
  );
  await assert.rejects(source.get("api/file?file=1&mode=all&first=0&count=500"), /does not hold that/);
  await assert.rejects(source.get("constructor"), /does not hold that/);
  await assert.rejects(source.post(), /no profiler/);
});

test("a table that was cut ends where it was cut", () => {
  const { "api/file?file=0&mode=hot&first=3&count=3": _, ...cut } = answers;
  const source = new EmbeddedSource(cut);
  const piece = source.known<{ row_count: number; rows: unknown[] }>("api/file?file=0&mode=hot&first=0&count=500");
  assert.deepEqual([piece?.row_count, piece?.rows.length], [3, 3]);
  assert.equal(source.known<{ rows: unknown[] }>("api/file?file=0&mode=hot&first=500&count=500")?.rows.length, 0);
});

test("a file whose other lines were left out has its hot ones", () => {
  const piece = new EmbeddedSource(answers).known<{ mode: string; rows: unknown[] }>("api/file?file=0&mode=all&first=0&count=500");
  assert.deepEqual([piece?.mode, piece?.rows.length], ["hot", 5]);
});

test("functions are those of a file, in the order asked for", () => {
  const source = new EmbeddedSource(answers);
  const names = (question: string) => source.known<{ rows: { name: string }[] }>(question)?.rows.map((row) => row.name);
  assert.deepEqual(names("api/functions?file=all&sort=copy&first=0&count=500"), ["g", "f"]);
  assert.deepEqual(names("api/functions?file=1&sort=time&first=0&count=500"), ["g"]);
});

test("a file is searched by itself", async () => {
  const found = await new EmbeddedSource(answers).get<{ places: { kind: string; text: string }[] }>("api/search?text=TEXT%203");
  assert.deepEqual(found.places, [{ file: 0, lineno: 4, kind: "line", text: "text 3" }]);
});

test("a table's name does not depend on the order of words", () => {
  assert.equal(tableOf("api/file?mode=hot&file=0&first=2&count=3")?.table, tableOf("api/file?file=0&first=9&mode=hot&count=1")?.table);
  assert.equal(tableOf("api/overview"), null);
});

test("ticks are round and few", () => {
  assert.deepEqual(ticks(0, 12.4, 5), [0, 5, 10]);
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(0, 0, 5), []);
  assert(ticks(0, 1e9, 7).length <= 8);
});

test("a long curve keeps its peak in a short path", () => {
  const curve = Array.from({ length: 100_000 }, (_, index) => [index / 1000, index === 50_000 ? 100 : 1] as [number, number]);
  const box = { width: 200, height: 50, from: 0, to: 100, top: 100 };
  assert(linePath(curve, box).length < 5000);
  assert(linePath(curve, box).includes("L100 0"));
  assert(areaPath(curve, box).endsWith("Z"));
  assert.equal(areaPath([], box), "");
  assert.deepEqual(pointAt(curve, 50.0004), [50, 100]);
  assert.equal(pointAt([], 1), undefined);
});

test("a value holds until the next one", () => {
  const box = { width: 100, height: 10, from: 0, to: 10, top: 10 };
  assert.equal(
    linePath(
      [
        [0, 0],
        [8, 10],
      ],
      box,
    ),
    "M0 10L80 10L80 0",
  );
  // Of a span that begins later, the value that held before is at its edge.
  assert(
    linePath(
      [
        [0, 5],
        [8, 10],
      ],
      { ...box, from: 5 },
    ).startsWith("M0 5L60 5L60 0"),
  );
  assert.deepEqual(
    pointAt(
      [
        [1, 5],
        [8, 10],
      ],
      7.9,
    ),
    [1, 5],
  );
});

test("time in a span is that of the innermost line in a listed file", () => {
  const frames = [
    { name: "main", file: 0 },
    { name: "helper", file: 1 },
    { name: "memcpy" },
  ];
  const costs = spanCosts(
    { total: 4, frames, parents: [0, 0, 1, 2], node_frames: [-1, 0, 1, 2], lines: [0, 3, 8, 0], selves: [1, 1, 0, 2] },
    2,
  );
  assert.equal(costs.line(0, 3), 25);
  assert.equal(costs.line(1, 8), 50);
  assert.equal(costs.fn(1, "helper"), 50);
  assert.equal(costs.fn(0, "helper"), 0);
  assert.deepEqual(
    costs.lines.map((one) => one.percent),
    [50, 25],
  );
});
