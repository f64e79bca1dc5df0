// gui/src/diff/calls_tree.ts - the calls of both versions as a flame chart's tree, as wide as one of the versions has them.
//
// SPDX-License-Identifier: Apache-2.0
import { type FlameTree, layOut, nameOf, frameOf } from "../flame/tree";
import type { CallsAnswer, Difference, Side } from "./answers";
import { amountText, changeText, errorText } from "./words";

export const ROOT = "all calls";

export function callsTree(answer: CallsAnswer, side: Side): FlameTree {
  const totals = answer.numbers.map((one) => one[side]);
  const selves = totals.slice();
  answer.parents.forEach((parent, node) => {
    if (node > 0) selves[parent] = (selves[parent] as number) - (totals[node] as number);
  });
  return layOut({ ...answer, lines: answer.parents.map(() => 0), totals, selves });
}

/** The numbers of a node, with their titles. */
export function callNumbers(answer: CallsAnswer, node: number): [string, string][] {
  const one = answer.numbers[node] as Partial<Difference>;
  const text = (value = 0) => amountText("total_s", value);
  const error = one.error === undefined ? "" : ` ${errorText("total_s", one.error)}`;
  const found: [string, string][] = [
    ["before", text(one.before)],
    ["after", text(one.after)],
    ["change", `${changeText("total_s", one.change ?? 0)}${error}`],
  ];
  if (one.verdict !== undefined) found.push(["certainty", one.verdict]);
  return found;
}

/** The node with these files and functions on its stack, outermost first; -1: it is too small to be in the chart. */
export function nodeOfStack(tree: FlameTree, stack: readonly (readonly [string, string])[]): number {
  let node = 0;
  for (const [file, name] of stack) {
    let found = -1;
    for (let k = tree.childStart[node] as number; k < (tree.childStart[node + 1] as number); k += 1) {
      const child = tree.children[k] as number;
      if (nameOf(tree, child, ROOT) === name && frameOf(tree, child)?.path === file) found = child;
    }
    if (found < 0) return -1;
    node = found;
  }
  return node;
}
