// gui/src/parts/pie.tsx - a share of a whole as a small circle, clockwise from the top, in wedges of one colour each.
//
// It stands beside a number and repeats it, so it has no name of its own.
//
// SPDX-License-Identifier: Apache-2.0

export interface Wedge {
  /** The name of one of the theme's colours. */
  tone: string;
  /** Of the whole circle. */
  percent: number;
}

/** A share that is there is seen: no wedge is narrower. */
const LEAST = 3;

/** Where the colours end, as a gradient takes them; the rest of the circle is empty. */
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

/** Of memory: what of it is of Python's own objects, where that is known. */
export function memoryWedges(percent: number, pythonPercent: number | undefined): Wedge[] {
  if (pythonPercent === undefined) return [{ tone: "memory", percent }];
  const python = (percent * Math.min(Math.max(pythonPercent, 0), 100)) / 100;
  return [
    { tone: "memory-python", percent: python },
    { tone: "memory-native", percent: percent - python },
  ];
}
