// gui/src/lines/layout.ts - where files and rows stand in the one long list, and which of them are in sight.
//
// SPDX-License-Identifier: Apache-2.0

export const ROW_HEIGHT = 22;
export const HEAD_HEIGHT = 40;
export const NOTE_HEIGHT = 26;
const FOOT_HEIGHT = 14;

export interface Section {
  isOpen: boolean;
  /** Rows it has; those not known yet count as none. */
  rows: number;
  /** Lines of text below its head. */
  notes: number;
}

export interface Placed {
  index: number;
  top: number;
  height: number;
  /** Rows in sight: from first up to end. */
  first: number;
  end: number;
}

function heightOf(section: Section): number {
  if (!section.isOpen) return HEAD_HEIGHT;
  return HEAD_HEIGHT + section.notes * NOTE_HEIGHT + section.rows * ROW_HEIGHT + FOOT_HEIGHT;
}

/** tops[i] is where section i begins; the last one is the height of all. */
export function sectionTops(sections: readonly Section[]): Float64Array {
  const tops = new Float64Array(sections.length + 1);
  sections.forEach((section, index) => {
    tops[index + 1] = (tops[index] as number) + heightOf(section);
  });
  return tops;
}

function sectionAt(tops: Float64Array, y: number): number {
  let low = 0;
  let high = tops.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] as number) <= y) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

/** Where a row begins. */
export function rowTop(sections: readonly Section[], tops: Float64Array, index: number, row: number): number {
  const notes = sections[index]?.notes ?? 0;
  return (tops[index] ?? 0) + HEAD_HEIGHT + notes * NOTE_HEIGHT + row * ROW_HEIGHT;
}

/** What is in sight between two heights, with some rows more above and below. */
export function inSight(sections: readonly Section[], tops: Float64Array, from: number, to: number, more = 12): Placed[] {
  const found: Placed[] = [];
  if (sections.length === 0) return found;
  const low = from - more * ROW_HEIGHT;
  const high = to + more * ROW_HEIGHT;
  for (let index = sectionAt(tops, Math.max(low, 0)); index < sections.length; index += 1) {
    const section = sections[index] as Section;
    const top = tops[index] as number;
    if (top > high) break;
    const rowsTop = rowTop(sections, tops, index, 0);
    const rows = section.isOpen ? section.rows : 0;
    const first = Math.min(Math.max(Math.floor((low - rowsTop) / ROW_HEIGHT), 0), rows);
    const end = Math.min(Math.max(Math.ceil((high - rowsTop) / ROW_HEIGHT), first), rows);
    found.push({ index, top, height: (tops[index + 1] as number) - top, first, end });
  }
  return found;
}
