// gui/tests/number.test.ts - numbers read as in the terminal view, whatever they are.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText, count, countOf, duration, finePercent, fullText, megabytes, percent } from "../src/model/number";
import { axisText } from "../src/parts/curve_chart";

test("durations change their unit where the shorter one would round up to it", () => {
  const cases: [number, string][] = [
    [0, "0 s"],
    [0.0000062, "7 us"],
    [0.0042, "4.2 ms"],
    [0.43, "430 ms"],
    [0.9996, "1.00 s"],
    [12.345, "12.35 s"],
    [59.996, "1m:00.00s"],
    [754.5, "12m:34.50s"],
    [3599.999, "1h:00m:00s"],
    [7325, "2h:02m:05s"],
  ];
  for (const [seconds, text] of cases) assert.equal(duration(seconds), text);
});

test("shares never read as nothing when there was something", () => {
  assert.equal(percent(0.2), "<1%");
  assert.equal(percent(0), "0%");
  assert.equal(percent(99.6), "100%");
  assert.equal(finePercent(0.01), "<0.1%");
  assert.equal(finePercent(4.26), "4.3%");
  assert.equal(finePercent(42.4), "42%");
});

test("cells keep to a few characters", () => {
  assert.equal(cellText("megabytes", 0.2), "<1M");
  assert.equal(cellText("megabytes", 812.4), "812M");
  assert.equal(cellText("megabytes", 2201), "2.15G");
  assert.equal(cellText("megabytes", 1e12), "999T");
  assert.equal(cellText("mb_per_second", 3100.4), "3100");
  assert.equal(cellText("mb_per_second", 123456), "123k");
  assert.equal(cellText("percent", 31.4), "31%");
  assert.equal(cellText("seconds", 0.0123), "12ms");
  assert.equal(cellText("seconds", 0.9996), "1.0s");
  assert.equal(cellText("seconds", 99.96), "100s");
  assert.equal(cellText("seconds", 36_000), "600m");
  assert.equal(fullText("seconds", 4.6123), "4.61 s");
  for (const value of [1e300, -1e300, Number.NaN, Number.POSITIVE_INFINITY, 1e-300])
    for (const unit of ["percent", "megabytes", "mb_per_second", "seconds"] as const)
      assert(cellText(unit, value).length <= 6, `${unit} ${value}`);
});

test("hostile numbers are shown as numbers", () => {
  for (const text of [duration(Number.NaN), megabytes(Number.NaN), percent(Number.NaN), count(Number.NaN)])
    assert(/^0/.test(text), text);
  assert.equal(duration(-4), "0 s");
});

test("boxes have all digits and the unit", () => {
  assert.equal(fullText("percent", 31.412), "31.41 %");
  assert.equal(fullText("mb_per_second", 3100), "3.03 GB/s");
  assert.equal(megabytes(0.002), "2.0 KB");
  assert.equal(megabytes(1023.99), "1.00 GB");
  assert.equal(count(1234567), "1,234,567");
  assert.equal(countOf(1, "sample"), "1 sample");
  assert.equal(countOf(1152, "sample"), "1,152 samples");
});

test("an axis of memory has a unit in which its ticks differ", () => {
  assert.deepEqual([0, 20, 40].map((kb) => axisText(kb / 1024, 40 / 1024)), ["0 KB", "20 KB", "40 KB"]);
  assert.deepEqual([0, 2.5, 5].map((mb) => axisText(mb, 5)), ["0 MB", "2.5 MB", "5 MB"]);
  assert.deepEqual([512, 2048].map((mb) => axisText(mb, 3000)), ["0.5 GB", "2 GB"]);
});
