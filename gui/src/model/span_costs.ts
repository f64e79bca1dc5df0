// gui/src/model/span_costs.ts - what lines cost within a span, from the tree of stacks of that span.
//
// SPDX-License-Identifier: Apache-2.0

/** The part of an answer with by=line that is used here: node i is in line lines[i] of its frame's file. */
export interface LineStacks {
  total: number;
  frames: { name: string; file?: number }[];
  parents: number[];
  node_frames: number[];
  lines: number[];
  selves: number[];
}

export interface SpanCosts {
  /** % of the span's time that was the line's own. */
  line(file: number, lineno: number): number;
  /** The same of a function. */
  fn(file: number, name: string): number;
  /** The lines that cost anything, highest first. */
  readonly lines: readonly { file: number; lineno: number; percent: number }[];
}

/** For each node the innermost node in a listed file, itself or a caller, or -1; nodes come after their parents. */
function owners(answer: LineStacks, fileCount: number): Int32Array {
  const own = new Int32Array(answer.parents.length).fill(-1);
  answer.node_frames.forEach((index, node) => {
    const file = answer.frames[index]?.file;
    const isListed = file !== undefined && file >= 0 && file < fileCount && (answer.lines[node] ?? 0) > 0;
    const parent = answer.parents[node] ?? -1;
    own[node] = isListed ? node : parent >= 0 && parent < node ? (own[parent] as number) : -1;
  });
  return own;
}

export function spanCosts(answer: LineStacks, fileCount: number): SpanCosts {
  const own = owners(answer, fileCount);
  const sums = new Map<string, { file: number; lineno: number; percent: number }>();
  const functions = new Map<string, number>();
  const whole = answer.total > 0 ? answer.total : 1;
  answer.selves.forEach((self, node) => {
    const owner = own[node] as number;
    if (!(self > 0) || owner < 0) return;
    const frame = answer.frames[answer.node_frames[owner] as number];
    const file = frame?.file as number;
    const name = `${file}:${frame?.name}`;
    functions.set(name, (functions.get(name) ?? 0) + (100 * self) / whole);
    const lineno = answer.lines[owner] as number;
    const key = `${file}:${lineno}`;
    const line = sums.get(key) ?? { file, lineno, percent: 0 };
    line.percent += (100 * self) / whole;
    sums.set(key, line);
  });
  return {
    line: (file, lineno) => sums.get(`${file}:${lineno}`)?.percent ?? 0,
    fn: (file, name) => functions.get(`${file}:${name}`) ?? 0,
    lines: [...sums.values()].sort((a, b) => b.percent - a.percent),
  };
}
