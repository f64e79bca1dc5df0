// editor/src/align.ts - which line of a text is which line of the text that was profiled.
//
// By the shortest edit script (Myers, "An O(ND) difference algorithm and its variations", 1986), so numbers stay at lines
// that have moved and leave those that were changed. It is made anew for each text: an edit that is undone is none.
//
// SPDX-License-Identifier: Apache-2.0

/** Beyond so many edits only what comes before the first and behind the last of them is the same. */
const EDITS_MAX = 500;

/** Blanks at the end do not count, nor does a mark of byte order, which an editor does not show. */
const bare = (text: string) => text.replace(/^\uFEFF/, "").trimEnd();

/** For each line of `now`, counted from 0, the line of `then` that it is; -1: none. */
export function align(then: readonly string[], now: readonly string[]): Int32Array {
  const [a, b] = [then.map(bare), now.map(bare)];
  const where = new Int32Array(b.length).fill(-1);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) where[start] = start++;
  let [aEnd, bEnd] = [a.length, b.length];
  while (aEnd > start && bEnd > start && a[aEnd - 1] === b[bEnd - 1]) where[--bEnd] = --aEnd;
  alignMiddle(a.slice(start, aEnd), b.slice(start, bEnd), (x, y) => (where[start + y] = start + x));
  return where;
}

function alignMiddle(a: readonly string[], b: readonly string[], same: (x: number, y: number) => void): void {
  const most = Math.min(a.length + b.length, EDITS_MAX);
  let reach = new Int32Array(2 * most + 3); // by diagonal x - y, with an offset: how far x comes with so many edits
  const before: Int32Array[] = [];
  const at = (diagonal: number) => diagonal + most + 1;
  const isDown = (from: Int32Array, k: number, edits: number) => k === -edits || (k !== edits && from[at(k - 1)]! < from[at(k + 1)]!);
  for (let edits = 0; edits <= most; edits++) {
    before.push(reach);
    reach = reach.slice();
    for (let k = -edits; k <= edits; k += 2) {
      let x = isDown(reach, k, edits) ? reach[at(k + 1)]! : reach[at(k - 1)]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[at(k)] = x;
      if (x < a.length || x - k < b.length) continue;
      let y = x - k;
      for (let left = edits; left >= 0; left--) {
        const from = before[left]!;
        const previous = isDown(from, x - y, left) ? x - y + 1 : x - y - 1;
        const fromX = left === 0 ? 0 : from[at(previous)]!;
        const fromY = left === 0 ? 0 : fromX - previous;
        while (x > fromX && y > fromY && a[x - 1] === b[y - 1]) same(--x, --y);
        [x, y] = [fromX, fromY];
      }
      return;
    }
  }
}

/** The lines of a text, without their ends; what comes behind the last end is a line only where there is something. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}
