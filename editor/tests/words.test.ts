// editor/tests/words.test.ts - what is said about a line, a file and a change.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert";
import { test } from "node:test";
import type { Cost, Difference, FileReport, LineReport } from "../src/answers";
import { besides, changes, details, plain, seconds, show, status } from "../src/words";

const COST: Cost = { percent: 0, seconds: 0, python_percent: 0, native_percent: 0, system_percent: 0, await_percent: 0, gpu_s: 0, peak_mb: 0, copy_mb_s: 0, heat: 0 };

const TEXT = ["one", "two", "three"];

const file = (more: Partial<FileReport> = {}): FileReport => ({
  file: "/p/shop.py",
  source_changed: false,
  summary: { program: "shop.py", total_s: 4.5, peak_mb: null },
  source: TEXT,
  lines: [2, 3].map((line) => ({ ...COST, file: "/p/shop.py", line, source: TEXT[line - 1]!, percent: 20, seconds: 0.9 })),
  ...more,
});

const said = (made: FileReport | null, text = TEXT) => status("shop.py", made, show(made ?? file(), text));

test("a number below the least of the tables is not shown", () => {
  assert.equal(besides({ ...COST, percent: 45.4, seconds: 4.5, peak_mb: 2048, copy_mb_s: 30, await_percent: 2, gpu_s: 0.01 }), "45% 4.50 s · peak 2.00 GB · copies 30 MB/s · await 2.0% · GPU 10 ms");
  assert.equal(besides({ ...COST, percent: 0.9, seconds: 4.5, peak_mb: 0.9, copy_mb_s: 0.4, await_percent: 0.9, gpu_s: 0.0004 }), "");
});

test("seconds have three digits, or are milliseconds", () => assert.deepEqual([0.0005, 0.25, 0.9999, 12.34, 250].map(seconds), ["0.5 ms", "250 ms", "1.00 s", "12.3 s", "250 s"]));

test("numbers are at lines that are still the same, and the status says so", () => {
  assert.deepEqual(said(file()), ["shop.py 40% of 4.50 s", false]);
  const shown = show(file(), ["new", "one", "two", "three!"]);
  assert.deepEqual([...shown.at].map(([now, line]) => [now, line.line]), [[2, 2]]);
  assert.deepEqual([shown.now(2), shown.now(3), shown.left], [2, -1, 1]);
  assert.deepEqual(said(file(), ["new", "one", "two", "three!"]), ["shop.py has changed since the profile: 1 line has no numbers any more", true]);
  assert.deepEqual(said(file(), ["new", ...TEXT]), ["shop.py has changed since the profile", true]);
  assert.deepEqual(said(file(), TEXT.slice(0, 1)), ["shop.py has changed since the profile: 2 lines have no numbers any more", true]);
});

test("what the profile does not know is said", () => {
  assert.deepEqual(said(null), ["shop.py is not in the profile", false]);
  assert.deepEqual(said(file({ source_changed: true })), ["shop.py was changed while it ran: numbers may be at wrong lines", true]);
  assert.deepEqual(said(file({ source: null })), ["the profile has no text of shop.py: no numbers are shown", true]);
  assert.equal(show(file({ source: null }), TEXT).at.size, 0);
});

const LINE: LineReport = {
  file: "/p/shop.py",
  line: 2,
  cost: { ...COST, percent: 45, seconds: 2, total_percent: 80, percent_error: 1.5, time_s: { python: 1.5, preempted_native: 0.5 }, wait_s: { io: 0.25 }, peak_mb: 120, average_mb: 0.04, live_at_exit_mb: 8, gc_s: 0.1 },
  function: { ...COST, name: "load", line: 1, percent: 50, total_percent: 90 },
  callers: [{ name: "<module>", file: "/p/shop.py", line: 9, percent: 45 }],
  callees: [],
  findings: [{ file: "/p/shop.py", line: 2, percent: 45, text: "a list is searched", why: "90 samples" }],
};

test("the details have what there is, and nothing else", () => {
  assert.deepEqual(details(LINE).split("\n\n"), [
    "**45%** ± 1.5 of the run, 2.00 s, 80% with what it calls",
    "Time: python 1.50 s, native, ready without a CPU 500 ms, of it garbage collection 100 ms",
    "Waits: input and output 250 ms",
    "Memory: peak 120 MB, live at exit 8.0 MB",
    "In load (line 1): 50%, with what it calls 90%",
    "Called by: \\<module\\> (shop\\.py\\:9, 45%)",
    "→ a list is searched *(90 samples)*",
  ]);
});

test("texts of a program are no Markdown", () => {
  assert.equal(plain("[x](command:run) <b> *a*\n# `b` http://c"), "\\[x\\]\\(command\\:run\\) \\<b\\> \\*a\\* \\# \\`b\\` http\\://c");
});

test("a change is shown by what is certain of it, and where it is now", () => {
  const number = { before: 1, after: 3, change: 2, error: 0.25, verdict: "certain" };
  const place = { file: "shop.py", path: "/p/shop.py", line: 2 };
  const difference: Difference = {
    notes: [],
    numbers: {},
    lines: [
      { before: null, after: { ...place, source: "two" }, numbers: { time_s: number, wait_s: { ...number, verdict: "not certain" }, peak_mb: { ...number, change: -2 } } },
      { before: place, after: place, numbers: { time_s: { ...number, verdict: "equal" } } },
    ],
    functions: [{ before: { ...place, name: "load" }, after: null, numbers: { total_s: number } }],
  };
  assert.deepEqual(changes(difference), [
    ["Lines", [{ label: "time +2.00 s ± 250 ms (1.00 s → 3.00 s), peak −2.0 MB ± 0.3 MB (1.0 MB → 3.0 MB)", description: "shop.py:2 (new)  two", file: "/p/shop.py", line: 2 }]],
    ["Functions", [{ label: "total +2.00 s ± 250 ms (1.00 s → 3.00 s)", description: "shop.py:2 (gone)  load", file: "", line: 0 }]],
  ]);
});
