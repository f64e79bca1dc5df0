// gui/tests/flame.test.ts - trees of stacks: laid out, drawn, searched, turned around, written as text.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Frame, type StacksAnswer, stacksQuestion } from "../src/flame/answer";
import { around } from "../src/flame/around";
import { type ChartChoices, chartChoices, chartWord } from "../src/flame/chart_choices";
import { channels, mix, shadeOf } from "../src/flame/colours";
import { find, matcher, nextMark } from "../src/flame/find";
import { foldedText } from "../src/flame/folded";
import { stepBy } from "../src/flame/steps";
import { layOut, moved, nodeAt, pathOf, rangeOf, treeOf, visible, zoomed } from "../src/flame/tree";
import { notes, said, sentence } from "../src/flame/words";
import { formatPlace, parsePlace, stepFrom } from "../src/state/place";

const py = (name: string): Frame => ({ name, kind: "python", path: "/p/a.py", file: 0 });
const FRAMES: Frame[] = [py("main"), py("f"), py("g"), { name: "memcpy", kind: "native", path: "/lib/libc.so.6" }];

/** main (10) calls f (3, first) and g (6); g calls memcpy (2) and f (1), which is f again. */
const ANSWER: StacksAnswer = {
  kind: "time",
  by: "function",
  unit: "s",
  is_part: false,
  total: 10,
  count: 5,
  folded: 0,
  is_cut: false,
  frames: FRAMES,
  parents: [0, 0, 1, 1, 3, 3],
  node_frames: [-1, 0, 1, 2, 3, 1],
  lines: [0, 5, 9, 20, 0, 9],
  selves: [0, 1, 3, 3, 2, 1],
  totals: [10, 10, 3, 6, 2, 1],
  firsts_s: [0, 0, 0, 2, 3, 4],
};
const heavy = treeOf(ANSWER, "heavy");
const timely = treeOf(ANSWER, "time");

test("the heaviest child stands at the left, or the first one in time", () => {
  assert.deepEqual([...heavy.start], [0, 0, 6, 0, 0, 2]);
  assert.deepEqual([...timely.start], [0, 0, 0, 3, 3, 5]);
  assert.deepEqual([...heavy.row], [0, 1, 2, 2, 3, 3]);
  assert.equal(heavy.rows, 4);
  assert.deepEqual(pathOf(heavy, 5), [1, 3, 5]);
});

test("what is out of sight or narrower than a pixel is not drawn", () => {
  const all = visible(heavy, { from: 0, to: 10 }, 100, 0, 9);
  assert.deepEqual([...all.nodes].sort(), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(visible(heavy, { from: 0, to: 10 }, 100, 2, 2).nodes.length, 2);
  assert.deepEqual([...visible(heavy, { from: 6.5, to: 8 }, 100, 0, 9).nodes].sort(), [0, 1, 2]);
  assert(!visible(heavy, { from: 0, to: 10 }, 9, 0, 9).nodes.includes(5));
  assert.equal(visible(heavy, { from: 3, to: 3 }, 100, 0, 9).nodes.length, 0);
});

test("a place of the chart is the frame that stands there", () => {
  assert.equal(nodeAt(heavy, 0, 0), 0);
  assert.equal(nodeAt(heavy, 7, 2), 2);
  assert.equal(nodeAt(heavy, 9.5, 2), -1); // main's own time
  assert.equal(nodeAt(heavy, 2.5, 3), 5);
  assert.equal(nodeAt(heavy, 2.5, 4), -1);
  assert.equal(nodeAt(heavy, 10, 0), -1);
  assert.equal(nodeAt(heavy, -1, 0), -1);
});

test("zooming keeps what is under the pointer, and never leaves the chart", () => {
  const whole = { from: 0, to: 10 };
  const near = zoomed(whole, 0.5, 2, whole);
  assert.deepEqual(near, { from: 1, to: 6 });
  assert.deepEqual(zoomed(near, 100, 2, whole), whole);
  assert.deepEqual(moved(near, 100, whole), { from: 5, to: 10 });
  assert.deepEqual(moved(near, -100, whole), { from: 0, to: 5 });
  assert(zoomed(near, 1e-30, 2, whole).to > zoomed(near, 1e-30, 2, whole).from);
  assert.deepEqual(rangeOf(heavy, 2), { from: 6, to: 9 });
});

test("a search counts each moment once, however often a match calls another", () => {
  const f = find(heavy, matcher("f") as (frame: Frame) => boolean);
  assert.equal(f.count, 2);
  assert.equal(f.amount, 4);
  assert.equal(find(heavy, matcher("a.py") as (frame: Frame) => boolean).amount, 10);
  assert.equal(find(heavy, matcher("F") as (frame: Frame) => boolean).count, 0);
  assert.equal(find(heavy, matcher("/^mem/") as (frame: Frame) => boolean).count, 1);
  assert.equal(find(heavy, matcher("/(/") as (frame: Frame) => boolean).count, 0);
  assert.equal(matcher("  "), null);
  assert.equal(nextMark(heavy, f.marks, -1, 1), 2);
  assert.equal(nextMark(heavy, f.marks, 2, 1), 5);
  assert.equal(nextMark(heavy, f.marks, 5, 1), 2);
  assert.equal(nextMark(heavy, f.marks, 2, -1), 5);
});

test("callers and callees are summed over all places of a function", () => {
  const both = around(heavy, 1); // f
  assert.equal(both.total, 4);
  assert.equal(both.self, 4);
  const callers = both.callers;
  assert.deepEqual([...callers.totals], [4, 3, 1, 1]); // f; main; g; main above g
  assert.deepEqual([...callers.frame], [1, 0, 2, 0]);
  assert.deepEqual([...callers.row], [0, 1, 1, 2]);
  assert.equal(callers.line[2], 20);
});

test("a function inside itself counts once, and is its own callee", () => {
  const recursive = layOut({
    frames: FRAMES,
    parents: [0, 0, 1, 2],
    node_frames: [-1, 1, 1, 3],
    lines: [0, 9, 9, 0],
    selves: [0, 1, 2, 4],
    totals: [7, 7, 6, 4],
  });
  const both = around(recursive, 1);
  assert.equal(both.total, 7);
  assert.equal(both.self, 3);
  assert.deepEqual([...both.callees.totals], [7, 6, 4]);
  assert.deepEqual([...both.callers.totals], [7]);
});

test("arrows lead to callers, callees and neighbours", () => {
  assert.equal(stepBy(heavy, -1, "ArrowDown", 0), 0);
  assert.equal(stepBy(heavy, 1, "ArrowDown", 0), 3); // the heaviest
  assert.equal(stepBy(heavy, 3, "ArrowRight", 0), 2);
  assert.equal(stepBy(heavy, 2, "ArrowLeft", 0), 3);
  assert.equal(stepBy(heavy, 2, "ArrowRight", 0), 2);
  assert.equal(stepBy(heavy, 4, "ArrowRight", 1.5), 4); // its neighbour is too small to be seen
  assert.equal(stepBy(heavy, 4, "ArrowUp", 0), 3);
  assert.equal(stepBy(heavy, 0, "ArrowUp", 0), 0);
  assert.equal(stepBy(heavy, 5, "Home", 0), 0);
});

test("text has a line per stack, in whole microseconds", () => {
  assert.equal(
    foldedText(heavy, "s"),
    "main 1000000\nmain;f 3000000\nmain;g 3000000\nmain;g;memcpy 2000000\nmain;g;f 1000000\n",
  );
  const hidden = { ...ANSWER, selves: [1, 0, 3, 3, 2, 1] };
  assert.equal(foldedText(treeOf(hidden, "heavy"), "s").split("\n")[0], "[not shown] 1000000");
  assert.equal(foldedText(heavy, "samples", 3), "main;g 3\nmain;g;memcpy 2\nmain;g;f 1\n");
  const odd = { ...ANSWER, frames: [{ name: "a;b\nc", kind: "python" } as Frame, ...FRAMES.slice(1)] };
  assert.equal(foldedText(treeOf(odd, "heavy"), "MB").split("\n")[0], "a:b c 1024");
});

test("a frame is described in words", () => {
  const measure = { unit: "s", root: "all", whole: 10 } as const;
  assert.deepEqual(said(heavy, 3, measure), {
    name: "g",
    kind: "Python",
    path: "/p/a.py:20",
    numbers: [
      ["total", "60%, 6.00 s"],
      ["self", "30%, 3.00 s"],
    ],
  });
  assert.equal(
    sentence(heavy, 4, measure),
    "memcpy, native, /lib/libc.so.6: total 20%, 2.00 s; self 20%, 2.00 s; row 4, calls 0.",
  );
  assert.equal(said(heavy, 0, measure).name, "all");
  assert.deepEqual(notes(ANSWER, false), []);
  assert.equal(notes({ ...ANSWER, kind: "memory", unit: "samples", is_cut: true, stacks_percent: 40 }, true).length, 4);
});

test("questions have one text for one thing", () => {
  assert.equal(stacksQuestion({ kind: "time", by: "function" }), "api/stacks?kind=time");
  assert.equal(stacksQuestion({ kind: "memory", by: "line" }), "api/stacks?kind=memory&by=line");
  assert.equal(
    stacksQuestion({ kind: "time", by: "function", from: 1, to: 2.5, thread: "7" }),
    "api/stacks?kind=time&from_s=1&to_s=2.5&thread=7",
  );
});

test("colours are mixed, and the same name has the same shade", () => {
  assert.deepEqual(channels("#0af"), [0, 170, 255]);
  assert.equal(mix("#000000", "#ffffff", 0.5), "rgb(128 128 128)");
  assert.equal(shadeOf("main"), shadeOf("main"));
  assert.deepEqual([...new Set(["a", "b", "c", "main", "run", "x1", "x2", "read"].map(shadeOf))].length > 1, true);
});

test("an empty tree is an empty chart", () => {
  const empty = layOut({ frames: [], parents: [], node_frames: [], lines: [], selves: [], totals: [] });
  assert.equal(visible(empty, { from: 0, to: 1 }, 100, 0, 9).nodes.length, 0);
  assert.equal(nodeAt(empty, 0, 0), -1);
  assert.equal(stepBy(empty, -1, "ArrowDown", 0), -1);
});

test("20,000 nodes are laid out and cut to what is visible in a frame's time many times over", () => {
  const count = 20001;
  const parents = [0];
  const totals = [20000 * 64];
  for (let n = 1; n < count; n += 1) {
    parents.push(n <= 200 ? 0 : Math.floor((n - 1) / 100));
    totals.push(n <= 200 ? 6400 : 64);
  }
  const tree = layOut({
    frames: FRAMES,
    parents,
    node_frames: parents.map((_, n) => (n === 0 ? -1 : n % 4)),
    lines: parents,
    selves: parents.map(() => 0),
    totals,
  });
  assert.equal(visible(tree, { from: 0, to: tree.total }, 1280, 0, 50).nodes.length, 201);
  assert.equal(visible(tree, { from: 0, to: 6400 * 2 }, 1280, 0, 50).nodes.length, 103);
});

test("how a chart is drawn is a word of the address, and back", () => {
  const usual = chartChoices("usual");
  assert.equal(chartWord(usual), "usual");
  const other: ChartChoices = { kind: "peak", isInverted: true, order: "time", grain: "line", detail: "mine" };
  assert.equal(chartWord(other), "peak.up.bytime.lines.mine");
  assert.deepEqual(chartChoices(chartWord(other)), other);
  assert.deepEqual(chartChoices("nonsense.up.<b>"), { ...usual, isInverted: true });
  const place = parsePlace("#/flame?chart=up", ["lines", "flame"], []);
  assert.equal(formatPlace(place, []), "#/flame?chart=up");
  assert.equal(formatPlace(stepFrom(place, { view: "lines" }), []), "#/lines");
});
