// gui/src/model/span_costs.ts - what lines cost within a span, from the tree of stacks of that span.
//
// SPDX-License-Identifier: Apache-2.0

export interface StacksAnswer {
  unit: string;
  total: number;
  frames: { name: string; file?: number; line?: number; native?: boolean }[];
  parents: number[];
  node_frames: number[];
  selves: number[];
}

export function stacksQuestion(from_s: number, to_s: number): string {
  return `api/stacks?kind=time&from_s=${Number(from_s.toFixed(6))}&to_s=${Number(to_s.toFixed(6))}`;
}

export interface SpanCosts {
  /** % of the span's time that was the line's own. */
  line(file: number, lineno: number): number;
  /** The lines with any, most first. */
  readonly lines: readonly { file: number; lineno: number; percent: number }[];
}

/** The innermost frame of each node that lies in a listed file; nodes come after their parents. */
function owners(answer: StacksAnswer, fileCount: number): Int32Array {
  const own = new Int32Array(answer.parents.length).fill(-1);
  answer.node_frames.forEach((index, node) => {
    const frame = answer.frames[index];
    const file = frame?.file;
    const isListed = file !== undefined && file >= 0 && file < fileCount && (frame?.line ?? 0) > 0;
    const parent = answer.parents[node] ?? -1;
    own[node] = isListed ? index : parent >= 0 && parent < node ? (own[parent] as number) : -1;
  });
  return own;
}

export function spanCosts(answer: StacksAnswer, fileCount: number): SpanCosts {
  const own = owners(answer, fileCount);
  const sums = new Map<string, { file: number; lineno: number; percent: number }>();
  const whole = answer.total > 0 ? answer.total : 1;
  answer.selves.forEach((self, node) => {
    const frame = answer.frames[own[node] as number];
    if (!(self > 0) || !frame) return;
    const file = frame.file as number;
    const lineno = frame.line as number;
    const key = `${file}:${lineno}`;
    const line = sums.get(key) ?? { file, lineno, percent: 0 };
    line.percent += (100 * self) / whole;
    sums.set(key, line);
  });
  return {
    line: (file, lineno) => sums.get(`${file}:${lineno}`)?.percent ?? 0,
    lines: [...sums.values()].sort((a, b) => b.percent - a.percent),
  };
}
