// gui/src/flame/carry.ts - nodes and ranges of a tree in the tree of a newer profile.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useContext, useRef, useState } from "preact/hooks";
import { Profile } from "../state/carried";
import type { Frame } from "./answer";
import { type FlameTree, frameOf, pathOf, type Range, rangeOf } from "./tree";

/** What a frame is, in any profile. */
export const frameKey = (frame: Frame | undefined) => `${frame?.kind} ${frame?.path ?? ""} ${frame?.module ?? ""} ${frame?.name}`;

const at = (list: ArrayLike<number>, index: number) => list[index] as number;

function childrenOf(tree: FlameTree, node: number): number[] {
  return Array.from(tree.children.subarray(at(tree.childStart, node), at(tree.childStart, node + 1)));
}

/** The node with the same callers; -1: the newer tree has none. */
export function sameNode(before: FlameTree, node: number, now: FlameTree): number {
  if (node <= 0 || node >= before.count) return node === 0 ? 0 : -1;
  let found = 0;
  for (const step of pathOf(before, node)) {
    const key = frameKey(frameOf(before, step));
    const alike = childrenOf(now, found).filter((child) => frameKey(frameOf(now, child)) === key);
    const next = alike.find((child) => at(now.line, child) === at(before.line, step)) ?? alike[0];
    if (next === undefined) return -1;
    found = next;
  }
  return found;
}

/** What is in sight, relative to the innermost node around it. */
export function sameRange(before: FlameTree, range: Range, now: FlameTree): Range {
  const slack = before.total * 1e-9;
  const holds = (node: number) => {
    const own = rangeOf(before, node);
    return own.from <= range.from + slack && own.to >= range.to - slack;
  };
  let node = 0;
  for (let inner: number | undefined = 0; inner !== undefined; inner = childrenOf(before, node).find(holds)) node = inner;
  let same = sameNode(before, node, now);
  while (same < 0) {
    node = at(before.parent, node);
    same = sameNode(before, node, now);
  }
  const [old, own] = [rangeOf(before, node), rangeOf(now, same)];
  const scale = (own.to - own.from) / (old.to - old.from || 1);
  return { from: own.from + (range.from - old.from) * scale, to: own.from + (range.to - old.from) * scale };
}

/** A node or a frame that is chosen in a tree: in that of a newer profile the same one, in any other tree none (-1). */
function useHeld(
  tree: FlameTree | null,
  same: (before: FlameTree, held: number, now: FlameTree) => number,
): [number, (next: number) => void] {
  const overview = useContext(Profile);
  const [, redraw] = useState(0);
  const held = useRef({ tree, overview, value: -1 });
  const was = held.current;
  if (was.tree !== tree) {
    const isNewer = was.overview !== overview && was.tree !== null && tree !== null && was.value >= 0;
    held.current = { tree, overview, value: isNewer ? same(was.tree as FlameTree, was.value, tree as FlameTree) : -1 };
  }
  const set = useCallback((value: number) => {
    held.current = { ...held.current, value };
    redraw((n) => n + 1);
  }, []);
  return [held.current.value, set];
}

export const useNode = (tree: FlameTree | null) => useHeld(tree, sameNode);

export const useFrame = (tree: FlameTree | null) =>
  useHeld(tree, (before, frame, now) => {
    const key = frameKey(before.frames[frame]);
    return now.frames.findIndex((one) => frameKey(one) === key);
  });
