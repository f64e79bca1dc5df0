// gui/src/flame/inverted.ts - the tree turned around: functions by their own cost, with their callers below.
//
// The nodes of the first row are functions, as wide as their self time (or memory) at all places; below each
// are its callers, as wide as the part of that self time that they caused.
//
// SPDX-License-Identifier: Apache-2.0
import { type FlameTree, layOut } from "./tree";

/** What is smaller than this part of the whole is not divided further among callers, as in the answers. */
const LEAST = 1 / 4000;

/** Stacks that have the same frames from their inner ends outwards: where each of them is now. */
interface Group {
  node: number;
  places: number[];
  weights: number[];
}

export function inverted(tree: FlameTree): FlameTree {
  const parents = [0];
  const node_frames = [-1];
  const lines = [0];
  const selves = [0];
  const totals = [tree.total];
  const first: Group = { node: 0, places: [], weights: [] };
  for (let n = 1; n < tree.count; n += 1) {
    if (!((tree.self[n] as number) > 0)) continue;
    first.places.push(n);
    first.weights.push(tree.self[n] as number);
  }
  const open = [first];
  for (let group = open.pop(); group !== undefined; group = open.pop()) {
    const parts = new Map<number, Group & { total: number; heaviest: number }>();
    for (let i = 0; i < group.places.length; i += 1) {
      const place = group.places[i] as number;
      const weight = group.weights[i] as number;
      const frame = tree.frame[place] as number;
      const part = parts.get(frame) ?? { node: -1, places: [], weights: [], total: 0, heaviest: i };
      if (weight > (group.weights[part.heaviest] as number)) part.heaviest = i;
      part.total += weight;
      const caller = tree.parent[place] as number;
      if (caller > 0) {
        part.places.push(caller);
        part.weights.push(weight);
      }
      parts.set(frame, part);
    }
    let rest = totals[group.node] as number;
    for (const [frame, part] of parts) {
      if (part.total < LEAST * tree.total) continue;
      part.node = parents.length;
      parents.push(group.node);
      node_frames.push(frame);
      lines.push(tree.line[group.places[part.heaviest] as number] as number);
      selves.push(0);
      totals.push(part.total);
      rest -= part.total;
      open.push(part);
    }
    selves[group.node] = Math.max(rest, 0);
  }
  return { ...layOut({ frames: tree.frames, parents, node_frames, lines, selves, totals }), isInverted: true };
}
