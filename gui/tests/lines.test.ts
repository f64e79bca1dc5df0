// gui/tests/lines.test.ts - the list of lines: what is in sight, which columns have room, what can be asked.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column, FileAnswer, Overview, Row } from "../src/model/answers";
import type { Source } from "../src/model/source";
import { beside } from "../src/model/hot_lines";
import { columnSet, isHidden, isThin, timeOf, toggled } from "../src/lines/columns";
import { HEAD_HEIGHT, inSight, ROW_HEIGHT, rowTop, type Section, sectionTops } from "../src/lines/layout";
import { type MapMark, nearestMark } from "../src/lines/minimap";
import { offerOf } from "../src/lines/regions";
import { RowStore } from "../src/lines/row_store";
import { asTree } from "../src/processes/processes_view";
import { splitAtPlace } from "../src/overview/findings";

const column = (id: string, group: string, unit: Column["unit"]): Column => ({ id, group, group_title: group, title: id, unit });
const COLUMNS = [
  column("self", "time", "percent"),
  column("total", "time", "percent"),
  column("python", "time", "percent"),
  column("native", "time", "percent"),
  column("system", "time", "percent"),
  column("gpu", "gpu", "percent"),
  column("await", "await", "percent"),
  column("memory_python", "memory", "percent"),
  column("memory_peak", "memory", "megabytes"),
  column("memory_timeline", "memory", "curve"),
  column("memory_usage", "memory", "percent"),
  column("copy", "copy", "mb_per_second"),
];
const overview = { columns: COLUMNS } as Overview;

test("only what is in sight is drawn, of 2,000 files and 200,000 lines", () => {
  const sections: Section[] = Array.from({ length: 2000 }, () => ({ isOpen: true, rows: 100, notes: 0 }));
  const tops = sectionTops(sections);
  const height = tops[2000] as number;
  for (const y of [0, 12_345, height / 2, height - 800]) {
    const placed = inSight(sections, tops, y, y + 800, 12);
    const rows = placed.reduce((sum, one) => sum + one.end - one.first, 0);
    assert(rows >= 20 && rows <= 800 / ROW_HEIGHT + 26, `${rows} rows at ${y}`);
    const first = placed.find((one) => one.end > one.first);
    assert(first && rowTop(sections, tops, first.index, first.first) <= Math.max(y, HEAD_HEIGHT));
  }
});

test("closed files have a head alone", () => {
  const sections: Section[] = [
    { isOpen: false, rows: 0, notes: 0 },
    { isOpen: true, rows: 3, notes: 1 },
  ];
  const placed = inSight(sections, sectionTops(sections), 0, 500);
  assert.deepEqual(
    placed.map((one) => [one.top, one.first, one.end]),
    [
      [0, 0, 0],
      [HEAD_HEIGHT, 0, 3],
    ],
  );
});

test("columns give way to the source, times last", () => {
  const wide = columnSet(overview, [], 2000, 4, true);
  const shown = (set: ReturnType<typeof columnSet>) => set.columns.map((one) => one.id);
  const optional = ["python", "native", "system", "memory_python", "memory_usage"];
  assert.deepEqual(
    shown(wide),
    COLUMNS.map((one) => one.id).filter((id) => !optional.includes(id)),
  );
  assert.deepEqual(wide.leftOut, []);
  for (const room of [1032, 1672, 900, 700]) {
    const set = columnSet(overview, [], room, 4, true);
    assert(set.width <= room * 0.4, `${set.width} of ${room}`);
    assert(shown(set).includes("self"));
  }
  const plain = { columns: COLUMNS.filter((one) => !["gpu", "await"].includes(one.id)) };
  assert(shown(columnSet(plain, [], 1032, 4, true)).includes("memory_timeline"));
  // What was chosen stays beside the others, as long as there is room.
  const chosen = columnSet(overview, ["+python", "+memory_usage"], 1032, 4, true);
  assert(["self", "total", "python", "memory_peak", "memory_usage"].every((id) => shown(chosen).includes(id)));
  const crowded = columnSet(overview, optional.map((id) => `+${id}`), 640, 4, true);
  assert(crowded.width <= 640 * 0.7 && crowded.leftOut.includes("memory_python") && shown(crowded).includes("self"));
  const narrow = columnSet(overview, [], 360, 4, true);
  assert.deepEqual(
    narrow.columns.map((one) => one.id),
    ["self"],
  );
  assert.deepEqual(columnSet(overview, ["copy"], 2000, 4, true).leftOut, []);
  assert(!shown(columnSet(overview, ["copy"], 2000, 4, true)).includes("copy"));
});

const line = (lineno: number, percent: number, region?: [number, number]): Row => ({
  lineno,
  code: [["", "x"]],
  ...(percent > 0 ? { cells: { self: percent, python: percent } } : {}),
  ...(region ? { region } : {}),
});

test("a click beside a mark of the strip goes to it, one far from all to none", () => {
  const mark = (line: number, y: number): MapMark => ({ file: 0, line, y, heat: "hot", isMemory: false, title: "" });
  const marks = [mark(1, 10), mark(2, 14), mark(3, 100)];
  assert.equal(nearestMark(marks, 13)?.line, 2);
  assert.equal(nearestMark(marks, 8)?.line, 1);
  assert.equal(nearestMark(marks, 50), null);
});

test("groups have borders between them, and copies are of memory", () => {
  const set = columnSet(overview, [], 2000, 4, true);
  assert.deepEqual(
    set.columns.filter((one) => one.isFirst).map((one) => one.id),
    ["gpu", "await", "memory_peak"],
  );
  assert.equal(set.columns.find((one) => one.id === "copy")?.group, "memory");
});

test("columns are hidden and shown by choices that are remembered", () => {
  assert(isHidden("python", []) && !isHidden("total", []));
  assert.deepEqual(toggled("python", ["copy"]), ["copy", "+python"]);
  assert.deepEqual(toggled("copy", ["copy", "+python"]), ["+python"]);
  assert(!isHidden("python", ["+python"]) && isHidden("python", ["python"]));
});

test("a region is offered once, at its first line, when it is worth it and short enough", () => {
  const rows = [line(3, 0, [3, 6]), line(4, 30, [3, 6]), line(6, 20, [3, 6]), line(9, 0.5), line(10, 2)];
  const at = (index: number) => rows[index];
  const offers = rows.map((row, index) => offerOf(row as never, index, at));
  assert.deepEqual(offers[0], { line: false, region: [3, 6] });
  assert.deepEqual(offers[1], { line: true });
  assert.deepEqual(offers[3], { line: false });
  assert.deepEqual(offers[4], { line: true });
  const long = [line(1, 40, [1, 200])];
  assert.deepEqual(offerOf(long[0] as never, 0, (index) => long[index]), { line: true });
  const cold = [line(1, 0.3, [1, 2]), line(2, 0.3, [1, 2])];
  assert.deepEqual(offerOf(cold[0] as never, 0, (index) => cold[index]), { line: false });
});

test("a share on few samples is known as such", () => {
  assert.equal(isThin(1, 100), true);
  assert.equal(isThin(1, 100_000), false);
  assert.equal(isThin(1, undefined), false);
  assert.equal(timeOf({ self: 3, total: 7, python: 1, native: 2, copy: 9 }), 3);
});

test("hot lines are walked both ways", () => {
  assert.equal(beside([3, 8, 20], 8, 1), 20);
  assert.equal(beside([3, 8, 20], 8, -1), 3);
  assert.equal(beside([3, 8, 20], 20, 1), undefined);
  assert.equal(beside([3, 8, 20], undefined, -1), 20);
});

test("a line is found among 100,000 with few questions", async () => {
  let asked = 0;
  const source: Source = {
    served: true,
    known: () => undefined,
    post: () => Promise.reject(new Error("not asked")),
    get: <T>(question: string) => {
      asked += 1;
      const first = Number(/first=(\d+)/.exec(question)?.[1]);
      const rows = Array.from({ length: 500 }, (_, index) => line((first + index) * 2 + 1, 1));
      const answer: FileAnswer = { file: 0, mode: "all", row_count: 100_000, first, rows };
      return Promise.resolve(answer as T);
    },
  };
  const store = new RowStore(source, "", () => undefined);
  assert.equal(await store.find(0, "all", 77_777), 38_888);
  assert.equal(await store.find(0, "all", 77_778), null);
  assert(asked <= 12, `${asked} questions`);
  assert.equal(store.rowCount(0, "all"), 100_000);
});

test("a sentence is split at the place it names, and only there", () => {
  assert.deepEqual(splitAtPlace("the loop at a.py:4-9 is hot", "a.py", 4), ["the loop at ", "a.py:4-9", " is hot"]);
  assert.deepEqual(splitAtPlace("a.py:42 is hot", "a.py", 4), null);
  assert.equal(splitAtPlace("nothing", "a.py", 4), null);
});

test("processes are a tree, even where their parents go in a circle", () => {
  const process = (pid: number, parent_pid: number) => ({ pid, parent_pid, command: "", cpu_s: 0, cpu_percent: 0, max_rss_mb: 0 });
  const depths = asTree([process(1, 0), process(3, 2), process(2, 1), process(8, 9), process(9, 8)]).map((one) => [
    one.process.pid,
    one.depth,
  ]);
  assert.deepEqual(depths, [
    [1, 0],
    [2, 1],
    [3, 2],
    [8, 0],
    [9, 1],
  ]);
});

test("what a device has reported exactly stays longer than what its driver was asked", () => {
  const ids = ["gpu", "gpu_time", "gpu_idle", "gpu_memory", "gpu_allocated"];
  const units = ["percent", "seconds", "seconds", "megabytes", "megabytes"] as const;
  const devices = ids.map((id, at) => column(id, "gpu", units[at] as Column["unit"]));
  const all = { columns: [...COLUMNS, ...devices.slice(1)] } as Overview;
  const wide = columnSet(all, [], 2400, 4, true);
  assert.deepEqual(wide.leftOut, []);
  const close = columnSet(all, [], 1032, 4, true);
  const shown = close.columns.map((one) => one.id);
  assert(shown.includes("gpu_time") && !shown.includes("gpu_memory") && !shown.includes("gpu_allocated"));
});
