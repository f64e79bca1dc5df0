// gui/tests/shown.test.ts - which frames charts show, and where the others' time goes.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, StacksAnswer } from "../src/flame/answer";
import { type Detail, isDetail, shownOf, shownTree } from "../src/flame/shown";
import { treeOf } from "../src/flame/tree";

const FRAMES: Frame[] = [
  { name: "main", kind: "python", path: "/p/a.py", file: 0 },
  { name: "call", kind: "native", role: "plumbing", path: "/bin/python" },
  { name: "strptime", kind: "python", role: "library", path: "/lib/s.py" },
  { name: "match", kind: "native", path: "/lib/re.so" },
  { name: "[kernel]", kind: "kernel" },
];

/** main (1 s) calls strptime (2 s) at two lines by way of call, and from there match (4 s) and the kernel (3 s);
 * call has 0.5 s of its own at the second. */
const ANSWER: StacksAnswer = {
  kind: "time",
  by: "function",
  unit: "s",
  is_part: false,
  total: 12.5,
  count: 6,
  folded: 0,
  is_cut: false,
  frames: FRAMES,
  parents: [0, 0, 1, 2, 3, 1, 5, 6, 6],
  node_frames: [-1, 0, 1, 2, 3, 2, 1, 4, 2],
  lines: [0, 5, 0, 20, 0, 21, 0, 0, 9],
  selves: [0, 1, 0, 2, 4, 0, 0.5, 3, 2],
  totals: [12.5, 12.5, 6, 6, 4, 5.5, 5.5, 3, 2],
  firsts_s: [0, 0, 3, 3, 4, 1, 1, 1, 2],
};

const sum = (list: readonly number[]) => list.reduce((all, one) => all + one, 0);
const names = (answer: StacksAnswer) => answer.node_frames.map((frame) => FRAMES[frame]?.name ?? "all");

test("everything is everything", () => {
  assert.equal(shownTree(ANSWER, "all"), ANSWER);
});

test("plumbing is left out, but not where time ends in it", () => {
  const tree = shownTree(ANSWER, "native");
  assert.deepEqual(names(tree), ["all", "main", "strptime", "match", "call", "[kernel]", "strptime"]);
  assert.deepEqual(tree.parents, [0, 0, 1, 2, 2, 2, 2]);
  assert.deepEqual(tree.totals, [12.5, 12.5, 11.5, 4, 0.5, 3, 2]);
  assert.deepEqual(tree.selves, [0, 1, 2, 4, 0.5, 3, 2]);
  assert.equal(tree.lines[2], 20); // where more of it is
  assert.equal(tree.firsts_s?.[2], 1); // the earlier of the two
});

test("native code is its caller's where it is not shown", () => {
  const tree = shownTree(ANSWER, "libraries");
  assert.deepEqual(names(tree), ["all", "main", "strptime", "strptime"]);
  assert.deepEqual(tree.selves, [0, 1, 9.5, 2]);
  assert.deepEqual(tree.totals, [12.5, 12.5, 11.5, 2]);
});

test("one's own code alone has all the time of what it calls", () => {
  const tree = shownTree(ANSWER, "mine");
  assert.deepEqual(names(tree), ["all", "main"]);
  assert.deepEqual(tree.selves, [0, 12.5]);
});

test("no time is lost, and nodes hold what they call", () => {
  for (const detail of ["mine", "libraries", "native", "all"] as Detail[]) {
    const answer = shownTree(ANSWER, detail);
    assert.equal(sum(answer.selves), 12.5, detail);
    const tree = treeOf(answer, "heavy");
    for (let node = 0; node < tree.count; node += 1) {
      const children = [...tree.children.slice(tree.childStart[node], tree.childStart[node + 1])];
      const inside = sum(children.map((child) => tree.totals[child] as number));
      assert.equal((tree.self[node] as number) + inside, tree.totals[node], `${detail} ${node}`);
    }
  }
});

test("a tree without own code is all of it", () => {
  const answer = { ...ANSWER, frames: FRAMES.map((frame) => ({ ...frame, kind: "native" as const })) };
  const tree = shownTree(answer, "mine");
  assert.deepEqual([tree.parents, tree.selves, tree.totals], [[0], [12.5], [12.5]]);
});

test("a stack of the timeline ends in what the time was spent on", () => {
  assert.deepEqual(shownOf([0, 1, 2, 3], FRAMES, "mine"), [0]);
  assert.deepEqual(shownOf([0, 1, 2, 3], FRAMES, "libraries"), [0, 2]);
  assert.deepEqual(shownOf([0, 1, 2, 3], FRAMES, "native"), [0, 2, 3]);
  assert.deepEqual(shownOf([0, 1], FRAMES, "native"), [0, 1]);
  assert.deepEqual(shownOf([0, 1, 2, 3], FRAMES, "all"), [0, 1, 2, 3]);
});

test("what was remembered is one of the choices", () => {
  assert(isDetail("native") && !isDetail("natives") && !isDetail(3) && !isDetail(undefined));
});
