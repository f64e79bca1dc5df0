// gui/src/lines/regions.ts - which rows offer to ask an AI service: a single line, or a whole region.
//
// A region is offered once, at its first listed line, when it takes a share worth asking about and is
// short enough for an answer to be read.
//
// SPDX-License-Identifier: Apache-2.0
import { isGap, type LineRow, type Row } from "../model/answers";
import { timeOf } from "./columns";

export const LINE_MIN_PERCENT = 1;
export const REGION_MAX_LINES = 50;

export interface Offer {
  line: boolean;
  /** First and last line. */
  region?: [number, number];
}

const none: Offer = { line: false };

function spanOf(row: LineRow): [number, number] | undefined {
  const { region } = row;
  return region && region[1] > region[0] ? region : undefined;
}

/** rowAt gives the rows around, undefined beyond the ends and for those that are not here yet. */
export function offerOf(row: LineRow, index: number, rowAt: (index: number) => Row | undefined): Offer {
  if (row.cells === undefined && row.region === undefined) return none;
  const line = timeOf(row.cells) >= LINE_MIN_PERCENT;
  const region = spanOf(row);
  if (!region || region[1] - region[0] >= REGION_MAX_LINES || !isFirst(row, region, index, rowAt)) return { line };
  let percent = 0;
  for (let at = index; at < index + REGION_MAX_LINES; at += 1) {
    const other = rowAt(at);
    if (other === undefined) break;
    if (isGap(other)) continue;
    if (other.lineno > region[1]) break;
    percent += timeOf(other.cells);
  }
  return percent >= LINE_MIN_PERCENT ? { line, region } : { line };
}

function isFirst(row: LineRow, region: [number, number], index: number, rowAt: (index: number) => Row | undefined) {
  if (row.lineno === region[0]) return true;
  for (let at = index - 1; at >= Math.max(index - REGION_MAX_LINES, 0); at -= 1) {
    const other = rowAt(at);
    if (other === undefined) return true;
    if (isGap(other)) continue;
    if (other.lineno < region[0]) return true;
    const span = spanOf(other);
    if (span && span[0] === region[0] && span[1] === region[1]) return false;
  }
  return true;
}
