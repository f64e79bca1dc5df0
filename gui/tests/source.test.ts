// gui/tests/source.test.ts - the answers of a standalone file; curves and spans.
//
// SPDX-License-Identifier: Apache-2.0
import { nearestPart, partQuery, partWords, spanWords } from "../src/model/part_words";
import assert from "node:assert/strict";
import { test } from "node:test";
import { EmbeddedSource, tableOf } from "../src/model/embedded";
import { areaPath, linePath, pointAt, ticks } from "../src/model/scale";

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

test("of a file those functions are shown that fitted", () => {
  const byTime = { ...answers["api/functions?file=all&sort=time&first=0&count=9"], row_count: 3 };
  const byCopy = { row_count: 3, first: 0, rows: [{ name: "h", file: 0, lineno: 2, cells: { copy: 9 } }, byTime.rows[0]] };
  const source = new EmbeddedSource({
    "api/functions?file=all&sort=time&first=0&count=9": byTime,
    "api/functions?file=all&sort=copy&first=0&count=9": byCopy,
  });
  const names = (question: string) => source.known<{ rows: { name: string }[] }>(question)?.rows.map((row) => row.name);
  assert.deepEqual(names("api/functions?file=0&sort=time&first=0&count=500"), ["f"]);
  assert.deepEqual(names("api/functions?file=0&sort=copy&first=0&count=500"), ["h", "f"]);
  assert.equal(names("api/functions?file=2&sort=time&first=0&count=500"), undefined);
  assert.equal(names("api/functions?file=all&sort=native&first=0&count=500"), undefined);
});

test("a file is searched by itself", async () => {
  const found = await new EmbeddedSource(answers).get<{ places: { kind: string; text: string }[] }>("api/search?text=TEXT%203");
  assert.deepEqual(found.places, [{ file: 0, lineno: 4, kind: "line", text: "text 3", percent: 0 }]);
});

test("a file's search finds files of libraries by module and by path", async () => {
  const files = [
    { name: "/lib/numpy/core.py", short_name: "numpy.core", percent: 0 },
    { name: "/w/own.py", short_name: "own.py", percent: 0 },
  ];
  const source = new EmbeddedSource({ "api/overview": { files } });
  for (const [text, count] of [["numpy.core", 1], ["numpy/core", 1], ["/w", 0]] as const)
    assert.equal((await source.get<{ places: unknown[] }>(`api/search?text=${text}`)).places.length, count, text);
});

test("a file's search lists functions first, then by cost", async () => {
  const code = (text: string) => [["", text]];
  const source = new EmbeddedSource({
    "api/overview": { files: [{ name: "/a/sum.py", short_name: "sum.py", percent: 90 }] },
    "api/file?file=0&mode=hot&first=0&count=2": {
      row_count: 2,
      first: 0,
      rows: [
        { lineno: 1, code: code("sum([])"), cells: { python: 1 } },
        { lineno: 2, code: code("sum(all)"), cells: { python: 2, native: 30 } },
      ],
    },
    "api/functions?file=all&sort=time&first=0&count=9": {
      row_count: 2,
      first: 0,
      rows: [
        { name: "sum_few", file: 0, lineno: 1, cells: { python: 5 } },
        { name: "sum_all", file: 0, lineno: 2, cells: { system: 7 } },
      ],
    },
  });
  const found = await source.get<{ places: { text: string }[] }>("api/search?text=sum");
  assert.deepEqual(
    found.places.map((place) => place.text),
    ["sum_all", "sum_few", "sum.py", "sum(all)", "sum([])"],
  );
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

test("without a server the part that is nearest to the chosen one is taken, of its kind", () => {
  const held = [{ from: 0, to: 5 }, { from: 5, to: 10 }, { from: 2.5, to: 5 }, { thread: "1:2" }, { time: "cpu" as const }];
  assert.deepEqual(nearestPart(held, { from: 2.6, to: 4.9 }), { from: 2.5, to: 5 });
  assert.deepEqual(nearestPart(held, { from: 1, to: 5 }), { from: 0, to: 5 });
  assert.deepEqual(nearestPart(held, { thread: "1:2" }), { thread: "1:2" });
  assert.deepEqual(nearestPart(held, { time: "cpu" }), { time: "cpu" });
  for (const none of [{ from: 12, to: 13 }, { thread: "7" }, { time: "waiting" as const }, { time: "cpu" as const, from: 0, to: 5 }])
    assert.equal(nearestPart(held, none), undefined);
});

test("a part of the run is named by its kind of time, its seconds, its thread", () => {
  assert.equal(spanWords(12, 14.5, 60.2), "12.0–14.5 s of 60 s");
  assert.equal(spanWords(0.2, 99, 1.58), "0.2–1.6 s of 1.6 s");
  assert.equal(spanWords(0.1012, 0.1034, 0.2), "0.1012–0.1034 s of 0.20 s");
  const overview = { elapsed_s: 9, threads: [{ name: "worker", id: "1:2", pid: 1, tid: 2, cpu_s: 0, cpu_percent: 0, is_native: false, waits: [] }] };
  assert.equal(partWords(overview, { thread: "1:2" }), "thread worker");
  assert.equal(partWords(overview, { from: 1, to: 2, thread: "x" }), "1.0–2.0 s of 9.0 s, thread x");
  assert.equal(partQuery({ from: 1, to: 2, thread: "1:2" }), "&from_s=1&to_s=2&thread=1:2");
  assert.equal(partQuery({ from: 1 }), "");
  assert.equal(partWords(overview, { time: "cpu", from: 1, to: 2 }), "time on a CPU, 1.0–2.0 s of 9.0 s");
  assert.equal(partQuery({ time: "waiting" }), "&time=waiting");
});
