// gui/tests/diff.test.ts - a comparison: which changes are listed, texts side by side, the tree of calls, the address.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { folded, type Lines, rising, type Row, sideBySide } from "../src/diff/align";
import type { CallsAnswer, Compared, Difference, SourceLine, Verdict } from "../src/diff/answers";
import { callNumbers, callsTree, nodeOfStack } from "../src/diff/calls_tree";
import { formatDiffPlace, parseDiffPlace } from "../src/diff/place";
import { changeText, historyText, listed, metricsOf, shortNames, toneOf } from "../src/diff/words";

const number = (before: number, after: number, verdict: Verdict = "certain"): Difference => ({
  before,
  after,
  change: after - before,
  error: 0.1,
  verdict,
});
const line = (at: number, one: Difference, wait = number(0, 0, "equal")): Compared => {
  const spot = { file: "a.py", path: "/p/a.py", line: at, source: "x" };
  return { before: spot, after: spot, numbers: { time_s: one, wait_s: wait } };
};
const linesOf = (rows: readonly Compared[]) => rows.map((row) => row.after?.line);

test("what changed most stands first, and what is not certain only where all is asked for", () => {
  const rows = [line(1, number(1, 2)), line(2, number(5, 2)), line(3, number(1, 1.1, "not certain")), line(4, number(0, 0.001, "small"))];
  assert.deepEqual(linesOf(listed(rows, "time_s", false)), [2, 1]);
  assert.deepEqual(linesOf(listed(rows, "time_s", true)), [2, 1, 3]);
  assert.deepEqual(linesOf(listed(rows, "time_s", true, "before")), [2, 1, 3]);
  assert.deepEqual(linesOf(listed(rows, "time_s", true, "after", true)), [3, 1, 2]);
  assert.deepEqual(linesOf(listed(rows, "time_s", true, "place", true)), [1, 2, 3]);
  assert.deepEqual(metricsOf(rows, true), ["time_s"]);
  assert.deepEqual(metricsOf([line(1, number(1, 1, "equal"), number(1, 3))], false), ["wait_s"]);
});

test("a change has its sign, and a colour only if it is certain", () => {
  assert.equal(changeText("time_s", -0.25), "−250 ms");
  assert.equal(changeText("peak_mb", 3), "+3.0 MB");
  assert.equal(changeText("time_s", 0), "0 s");
  assert.deepEqual([toneOf(number(1, 2)), toneOf(number(2, 1)), toneOf(number(1, 2, "not certain"))], ["more", "less", "even"]);
});

test("names of files have no folder that both are in", () => {
  assert.deepEqual(shortNames("/a/b/x.json", "/a/c/x.json"), ["b/x.json", "c/x.json"]);
  assert.deepEqual(shortNames("old.json", "old.json.2"), ["old.json", "old.json.2"]);
  assert.deepEqual(shortNames("/a/x", "/a/x"), ["/a/x", "/a/x"]);
});

test("a place says where it was", () => {
  const at = (file: string, lineno: number, name: string) => ({ file, path: file, line: lineno, name });
  const numbers = {};
  assert.deepEqual(historyText({ before: null, after: at("a.py", 1, "f"), numbers }), { text: "new", isOneSided: true });
  assert.deepEqual(historyText({ before: at("a.py", 1, "f"), after: null, numbers }), { text: "gone", isOneSided: true });
  assert.equal(historyText({ before: at("a.py", 1, "f"), after: at("b.py", 7, "g"), numbers }).text, "was a.py:1 f");
  assert.equal(historyText({ before: at("a.py", 1, "f"), after: at("a.py", 1, "f"), numbers }).text, "");
});

/** "text=3": a line that is line 3 of the other side; another pair stands before it, "text=1:3". */
function textOf(...words: string[]): Lines {
  const lines = words.map((word): SourceLine => {
    const [text = "", other = ""] = word.split("=");
    const [pair, at] = other.includes(":") ? other.split(":") : ["0", other];
    return { code: text === "" ? [] : [["", text]], ...(other === "" ? {} : { pair: Number(pair), line: Number(at) }) };
  });
  return { pair: 0, lines, start: 1, end: lines.length };
}
const shown = (rows: readonly Row[]) => rows.map(({ before, after, isSame }) => `${before ?? "."}${isSame ? "=" : "|"}${after ?? "."}`).join(" ");

test("the longest series that rises", () => {
  assert.deepEqual(rising([3, 1, 2, 5, 4]), [1, 2, 4]);
  assert.deepEqual(rising([]), []);
  assert.deepEqual(rising([2, 2, 2]).length, 1);
});

test("lines that are the same ones stand in one row", () => {
  const before = textOf("a=1", "b=2", "c", "d=4");
  const after = textOf("a=1", "B=2", "new", "d=4");
  assert.equal(shown(sideBySide(before, after)), "1=1 2|2 3|. .|3 4=4");
});

test("a line that was moved past others stands alone on both sides", () => {
  const before = textOf("a=3", "b=1", "c=2");
  const after = textOf("b=2", "c=3", "a=1");
  assert.equal(shown(sideBySide(before, after)), "1|. 2=1 3=2 .|3");
});

test("lines of other files and beyond the function do not stand beside each other", () => {
  const after = textOf("a=1:1", "b=2", "c=9");
  assert.equal(shown(sideBySide(textOf("a", "b=2"), after)), "1|. .|1 2=2 .|3");
  assert.equal(shown(sideBySide(undefined, after)), ".|1 .|2 .|3");
  assert.equal(shown(sideBySide({ ...textOf("a", "b=2", "c"), start: 2, end: 2 }, { ...after, start: 2 })), "2=2 .|3");
});

test("long stretches of equal lines are folded, but for those that are open", () => {
  const rows: Row[] = Array.from({ length: 20 }, (_, i) => ({ before: i + 1, after: i + 1, isSame: i !== 10 }));
  const none = new Set<number>();
  const text = (open: ReadonlySet<number>, isWorth = () => false) => folded(rows, isWorth, open).map((row) => ("gap" in row ? `${row.first}+${row.gap}` : row.before));
  assert.deepEqual(text(none), ["0+7", 8, 9, 10, 11, 12, 13, 14, "14+6"]);
  assert.deepEqual(text(new Set([14])), ["0+7", 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  assert.equal(text(none, () => true).length, 20);
});

/** main calls f, which is gone, and g, which is new. */
const CALLS: CallsAnswer = {
  frames: [
    { name: "main", kind: "python", path: "a.py" },
    { name: "f", kind: "python", path: "a.py" },
    { name: "g", kind: "python", path: "a.py" },
  ],
  parents: [0, 0, 1, 1],
  node_frames: [-1, 0, 1, 2],
  levels: [0, 1, -2, 2],
  numbers: [{ before: 3, after: 6, change: 3 }, number(3, 6), number(2, 0), number(0, 5)],
  folded: 0,
};

test("frames are as wide as the chosen side has them", () => {
  const after = callsTree(CALLS, "after");
  assert.deepEqual([...after.totals], [6, 6, 0, 5]);
  assert.deepEqual([...after.self], [0, 1, 0, 5]);
  assert.deepEqual([...callsTree(CALLS, "before").totals], [3, 3, 2, 0]);
  assert.equal(nodeOfStack(after, [["a.py", "main"], ["a.py", "g"]]), 3);
  assert.equal(nodeOfStack(after, [["b.py", "main"]]), -1);
});

test("a frame says its numbers", () => {
  assert.deepEqual(callNumbers(CALLS, 2), [["before", "2.00 s"], ["after", "0 s"], ["change", "−2.00 s ± 100 ms"], ["certainty", "certain"]]);
  assert.equal(callNumbers(CALLS, 0).length, 3);
});

test("an address leads back to its place", () => {
  for (const hash of ["#/changes", "#/changes?of=stacks&all=1&metric=total_s", "#/calls?width=before", "#/sources?before=a.py&after=b.py&line=3&at=before"])
    assert.equal(formatDiffPlace(parseDiffPlace(hash)), hash);
  assert.equal(formatDiffPlace(parseDiffPlace("#/nothing?of=x&line=-1&width=up")), "#/changes");
});
