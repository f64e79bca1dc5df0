// gui/src/parts/pie.tsx - a share of a whole as a small circle, clockwise from the top, in wedges of one colour each.
//
// It stands beside a number and repeats it, so it has no accessible name of its own.
//
// SPDX-License-Identifier: Apache-2.0

export interface Wedge {
  /** The name of one of the theme's colours. */
  tone: string;
  /** Of the whole circle. */
  percent: number;
}

/** The narrowest wedge in %, so that any share can be seen. */
const LEAST = 3;

/** The colour stops of a conic gradient; the rest of the circle is empty. */
export function stopsOf(wedges: readonly Wedge[]): string {
  let end = 0;
  const stops: string[] = [];
  for (const { tone, percent } of wedges) {
    if (!(percent > 0)) continue;
    const from = end;
    end = Math.min(end + Math.max(percent, LEAST), 100);
    stops.push(`var(--${tone}) ${from.toFixed(1)}% ${end.toFixed(1)}%`);
  }
  return [...stops, `var(--pie-rest) ${end.toFixed(1)}%`].join(", ");
}

export function Pie({ wedges }: { wedges: readonly Wedge[] }) {
  return <span class="pie" aria-hidden="true" style={{ backgroundImage: `conic-gradient(${stopsOf(wedges)})` }} />;
}

/** The wedges of a share of memory: Python's own objects and the rest, if that is known. */
export function memoryWedges(percent: number, pythonPercent: number | undefined): Wedge[] {
  if (pythonPercent === undefined) return [{ tone: "memory", percent }];
  const python = (percent * Math.min(Math.max(pythonPercent, 0), 100)) / 100;
  return [
    { tone: "memory-python", percent: python },
    { tone: "memory-native", percent: percent - python },
  ];
}
