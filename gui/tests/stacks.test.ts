// gui/tests/stacks.test.ts - trees of stacks made into others: imports folded, callers below what they call.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, StacksAnswer } from "../src/flame/answer";
import { inverted } from "../src/flame/inverted";
import { shownTree } from "../src/flame/shown";
import { type FlameTree, layOut } from "../src/flame/tree";
import { functionSums, sorted, type SumOrder } from "../src/flame/sums";
import { said, sentence } from "../src/flame/words";

const LIBRARY = { kind: "python", role: "library" } as const;
const FRAMES: Frame[] = [
  { name: "<module>", kind: "python", path: "/p/a.py", module: "a", file: 0 },
  { name: "PyImport_Import", kind: "native", path: "/bin/python" },
  { ...LIBRARY, name: "_find_and_load", path: "<frozen importlib._bootstrap>" },
  { ...LIBRARY, name: "_load_unlocked", path: "<frozen importlib._bootstrap>" },
  { ...LIBRARY, name: "exec_module", path: "<frozen importlib._bootstrap_external>" },
  { ...LIBRARY, name: "exec_module", path: "/lib/rewrite.py" },
  { name: "r_object", kind: "native", path: "/bin/python" },
  { ...LIBRARY, name: "<module>", path: "/lib/numpy/__init__.py", module: "numpy" },
  { name: "<module>", kind: "python", path: "/p/b.py", module: "b", file: 1 },
  { name: "work", kind: "python", path: "/p/b.py", file: 1 },
];

/** a imports numpy, which imports b by a loader of its own; b calls work. Reading files takes 2 s. */
const ANSWER: StacksAnswer = {
  kind: "time",
  by: "function",
  unit: "s",
  is_part: false,
  total: 17,
  count: 6,
  folded: 0,
  is_cut: false,
  frames: FRAMES,
  parents: [0, 0, 1, 2, 3, 4, 5, 5, 7, 8, 9, 10, 11],
  node_frames: [-1, 0, 1, 2, 3, 4, 6, 7, 2, 5, 8, 9, 2],
  lines: [0, 1, 0, 90, 91, 92, 0, 3, 90, 7, 1, 5, 90],
  selves: [0, 1, 0, 0.5, 0, 0, 2, 4, 0, 0.5, 3, 5, 1],
  totals: [17, 17, 16, 16, 15.5, 15.5, 2, 13.5, 9.5, 9.5, 9, 6, 1],
};

const sum = (list: ArrayLike<number>) => Array.from(list).reduce((all, one) => all + one, 0);

/** "outer/inner": seconds, of the nodes of a tree. */
function paths(answer: StacksAnswer): Record<string, number> {
  const names: string[] = [];
  const found: Record<string, number> = {};
  answer.parents.forEach((parent, n) => {
    const name = answer.frames[answer.node_frames[n] as number]?.name ?? "";
    names.push(n === 0 ? "" : `${names[parent]}/${name}`);
    found[names[n] as string] = answer.totals[n] as number;
  });
  return found;
}

test("an import is one frame with the module's name", () => {
  const tree = shownTree(ANSWER, "libraries");
  assert.deepEqual(paths(tree), {
    "": 17,
    "/<module>": 17,
    "/<module>/import machinery": 2.5,
    "/<module>/import numpy": 13.5,
    "/<module>/import numpy/import machinery": 0.5,
    "/<module>/import numpy/import machinery/exec_module": 0.5,
    "/<module>/import numpy/import b": 9,
    "/<module>/import numpy/import b/work": 6,
    "/<module>/import numpy/import b/work/import machinery": 1,
  });
  assert.equal(sum(tree.selves), 17);
  const module = tree.frames[tree.node_frames[tree.node_frames.length - 3] as number];
  assert.equal(module?.path, "/p/b.py");
});

test("what is read by an import stays below its machinery, and plumbing has it all", () => {
  const tree = shownTree(ANSWER, "native");
  assert.equal(paths(tree)["/<module>/import machinery/r_object"], 2);
  assert.equal(paths(tree)["/<module>/PyImport_Import"], undefined);
  assert.equal(shownTree(ANSWER, "all"), ANSWER);
});

test("modules of one's own are named without libraries, too", () => {
  const tree = shownTree(ANSWER, "mine");
  assert.deepEqual(paths(tree), { "": 17, "/<module>": 17, "/<module>/import b": 9, "/<module>/import b/work": 6 });
});

const py = (name: string): Frame => ({ name, kind: "python", path: "/p/a.py", file: 0 });
/** main (10) calls f (3) and g (6); g calls copy (2) and f (1). */
const TREE: FlameTree = layOut({
  frames: [py("main"), py("f"), py("g"), { name: "copy", kind: "native" }],
  parents: [0, 0, 1, 1, 3, 3],
  node_frames: [-1, 0, 1, 2, 3, 1],
  lines: [0, 5, 9, 20, 0, 11],
  selves: [0, 1, 3, 3, 2, 1],
  totals: [10, 10, 3, 6, 2, 1],
});

test("a function has its self cost of all places, and its total once however deep it calls itself", () => {
  const [main, f, g, copy] = functionSums(TREE).map((sum) => [sum.of.name, sum.self, sum.total]);
  assert.deepEqual([main, f, g, copy], [["main", 1, 10], ["f", 4, 4], ["g", 3, 6], ["copy", 2, 2]]);
  const recursive = layOut({ ...answerOf(TREE), node_frames: [-1, 0, 1, 2, 3, 2], selves: TREE.self, totals: TREE.totals });
  const again = functionSums(recursive).find((sum) => sum.of.name === "g");
  assert.deepEqual([again?.self, again?.total], [4, 6]);
});

test("functions are sorted by what they cost or by name, both ways", () => {
  const names = (order: SumOrder, isTurned = false) => sorted(functionSums(TREE), order, isTurned).map((sum) => sum.of.name);
  assert.deepEqual(names("self"), ["f", "g", "copy", "main"]);
  assert.deepEqual(names("total"), ["main", "g", "f", "copy"]);
  assert.deepEqual(names("total", true), ["copy", "f", "g", "main"]);
  assert.deepEqual(names("name"), ["copy", "f", "g", "main"]);
});

test("bottom up, functions are as wide as their self time, with their callers below", () => {
  const up = inverted(TREE);
  const name = (node: number): string => (node === 0 ? "" : `${name(up.parent[node] as number)}/${TREE.frames[up.frame[node] as number]?.name}`);
  const found: Record<string, number> = {};
  for (let node = 0; node < up.count; node += 1) found[name(node)] = up.totals[node] as number;
  assert.deepEqual(found, {
    "": 10,
    "/main": 1,
    "/f": 4,
    "/f/main": 3,
    "/f/g": 1,
    "/f/g/main": 1,
    "/g": 3,
    "/g/main": 3,
    "/copy": 2,
    "/copy/g": 2,
    "/copy/g/main": 2,
  });
  const widest = up.children[up.childStart[0] as number] as number;
  assert.equal(name(widest), "/f");
  assert.equal(up.line[widest], 9); // where more of it is
  assert.equal(up.start[widest], 0);
});

test("bottom up, a number is called what it is", () => {
  const up = inverted(TREE);
  const measure = { unit: "s", root: "all", whole: 10 } as const;
  const node = (frame: number, row: number) => up.frame.findIndex((one, n) => one === frame && up.row[n] === row);
  assert.deepEqual(said(up, node(1, 1), measure).numbers, [["self", "40%, 4.00 s"]]);
  const caller = up.children[up.childStart[node(1, 1)] as number] as number;
  assert.deepEqual(said(up, caller, measure).numbers, [["self of f, called from here", "30%, 3.00 s"]]);
  assert(sentence(up, node(1, 1), measure).endsWith("row 2, called by 2."));
  assert.deepEqual(said(up, 0, measure).numbers, [["total", "100%, 10.00 s"]]);
});

test("bottom up, what is too small is not divided among callers", () => {
  const small = layOut({ ...answerOf(TREE), selves: [0, 1, 3, 3, 2, 0.001], totals: [9.001, 9.001, 3, 5.001, 2, 0.001] });
  const up = inverted(small);
  assert.equal(sum(up.self), sum(small.self));
  for (let node = 1; node < up.count; node += 1) assert((up.totals[node] as number) >= small.total / 4000);
});

function answerOf(tree: FlameTree) {
  return { frames: tree.frames, parents: tree.parent, node_frames: tree.frame, lines: tree.line };
}

test("a tree of many stacks is not much larger when it is turned around", () => {
  const count = 20000;
  const depth = 100;
  const parents = [0];
  for (let n = 1; n < count; n += 1) parents.push(n % depth === 1 ? 0 : n - 1);
  const tree = layOut({
    frames: TREE.frames,
    parents,
    node_frames: parents.map((_, n) => (n === 0 ? -1 : n % 4)),
    lines: parents.map(() => 1),
    selves: parents.map((_, n) => (n === 0 ? 0 : 1)),
    totals: parents.map((_, n) => (n === 0 ? count - 1 : ((count - 1 - n) % depth) + 1)),
  });
  assert(inverted(tree).count < 200000);
});
