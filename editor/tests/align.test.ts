// editor/tests/align.test.ts - lines that have moved are found, and those that were changed are not.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert";
import { test } from "node:test";
import { align, linesOf } from "../src/align";

const aligned = (then: string, now: string) => [...align([...then], [...now])];

test("an unchanged text has its lines where they were", () => assert.deepEqual(aligned("abc", "abc"), [0, 1, 2]));

test("lines below an inserted one have moved", () => assert.deepEqual(aligned("abc", "axbc"), [0, -1, 1, 2]));

test("a changed line is none, those between two changed ones stay", () => assert.deepEqual(aligned("abcdefg", "aXcdeYg"), [0, -1, 2, 3, 4, -1, 6]));

test("blanks at the end and the mark of byte order do not count", () => {
  assert.deepEqual([...align(["\uFEFFa", "b", "  c"], ["a  ", "b\t", "c"])], [0, 1, -1]);
});

test("beyond some hundred edits the beginning and the end still have their lines", () => {
  const then = Array.from({ length: 2000 }, (_, index) => `then ${index}`);
  const now = then.map((text, index) => (index > 2 && index < 1990 ? `now ${index}` : text));
  const where = align(then, now);
  assert.deepEqual([where[2], where[3], where[1000], where[1999]], [2, -1, -1, 1999]);
});

/** The longest common subsequence, the slow way. */
function common(a: string, b: string): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) row = row.reduce<number[]>((next, _, at) => [...next, at === 0 ? 0 : one === b[at - 1] ? row[at - 1]! + 1 : Math.max(row[at]!, next[at - 1]!)], []);
  return row[b.length]!;
}

test("as many lines as can be are found again, each once, in their order", () => {
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const text = () => Array.from({ length: random(9) }, () => "abc"[random(3)]).join("");
  for (let round = 0; round < 3000; round++) {
    const [then, now] = [text(), text()];
    const found = aligned(then, now).flatMap((from, to) => (from < 0 ? [] : [[from, to] as const]));
    assert.ok(found.every(([from, to], index) => then[from] === now[to] && (index === 0 || found[index - 1]![0] < from)), `${then} ${now}`);
    assert.equal(found.length, common(then, now), `${then} ${now}`);
  }
});

test("lines of a text end in whatever way", () => {
  assert.deepEqual(linesOf("a\r\nb\rc\n"), ["a", "b", "c"]);
  assert.deepEqual(linesOf("a\n\n"), ["a", ""]);
});
