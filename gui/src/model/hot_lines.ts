// gui/src/model/hot_lines.ts - the next and the previous hot line: down a file, then on to the next one.
//
// SPDX-License-Identifier: Apache-2.0
import { type FileAnswer, isGap, type LineRow, type Overview } from "./answers";
import { fileQuestion } from "./questions";
import type { Source } from "./source";

const isHot = (row: LineRow) => (row.heat ?? "none") !== "none" || (row.memory_heat ?? "none") !== "none";

/** The marked lines of a file, else those with any number, in the order of the file. */
async function hotOf(source: Source, file: number): Promise<number[]> {
  const answer = await source.get<FileAnswer>(fileQuestion(file, "hot", 0));
  const rows = answer.rows.filter((row): row is LineRow => !isGap(row));
  const hot = rows.filter(isHot);
  return (hot.length > 0 ? hot : rows).map((row) => row.lineno);
}

/** The first of the lines behind one (or the last before it, for -1). */
export function beside(lines: readonly number[], line: number | undefined, step: 1 | -1): number | undefined {
  if (line === undefined) return step > 0 ? lines[0] : lines[lines.length - 1];
  return step > 0 ? lines.find((one) => one > line) : [...lines].reverse().find((one) => one < line);
}

export async function nextHot(
  source: Source,
  overview: Overview,
  from: { file?: number; line?: number },
  step: 1 | -1,
): Promise<{ file: number; line: number } | null> {
  let line = from.line;
  for (let file = from.file ?? 0; file >= 0 && file < overview.files.length; file += step) {
    const found = beside(await hotOf(source, file), line, step);
    if (found !== undefined) return { file, line: found };
    line = undefined;
  }
  return null;
}
