// gui/src/lines/curve_top.ts - what a full sparkline stands for.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";

/** The program's peak in MB, or the highest of its lines where the profile does not have it. */
export function curveTop(overview: Overview): number {
  const peak = overview.memory?.peak_mb ?? 0;
  return Math.max(peak, ...overview.memory_lines.map((line) => line.peak_mb ?? 0), 1e-6);
}
