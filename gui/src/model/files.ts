// gui/src/model/files.ts - files of a profile in another profile: they have other numbers there.
//
// SPDX-License-Identifier: Apache-2.0
import type { FileSummary } from "./answers";

export type NumberOf = (file: number) => number | undefined;

/** The number in `now` of a file of `before`. */
export function numbering(before: readonly FileSummary[], now: readonly FileSummary[]): NumberOf {
  const numbers = new Map(now.map((file, number) => [file.name, number]));
  return (file) => numbers.get(before[file]?.name ?? "");
}
