// gui/src/flame/flame_keys.ts - the keys of a flame chart that has the focus.
//
// SPDX-License-Identifier: Apache-2.0
import { type Drawing, ZOOM_STEP } from "./drawing";
import { stepBy } from "./steps";
import { type FlameTree, rangeOf } from "./tree";

const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home"];

interface Props {
  tree: FlameTree;
  drawing: Drawing;
  focused: number;
  setFocused: (node: number) => void;
  zoomTo: (node: number) => void;
  open: (node: number) => void;
}

/** Whether the key was one of the chart's. */
export function pressKey(event: KeyboardEvent, { tree, drawing, focused, setFocused, zoomTo, open }: Props): boolean {
  const { camera, width } = drawing;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const span = camera.range.to - camera.range.from;
  if (event.shiftKey && (event.key === "ArrowLeft" || event.key === "ArrowRight"))
    camera.pan(event.key === "ArrowLeft" ? -span / 5 : span / 5);
  else if (ARROWS.includes(event.key)) setFocused(stepBy(tree, focused, event.key, span / Math.max(width, 1)));
  else if (event.key === "Enter") zoomTo(focused);
  else if (event.key === "+" || event.key === "=" || event.key === "-") {
    const own = rangeOf(tree, Math.max(focused, 0));
    const middle = Math.min(Math.max((own.from + own.to) / 2, camera.range.from), camera.range.to);
    camera.zoom(event.key === "-" ? 1 / ZOOM_STEP : ZOOM_STEP, middle);
  } else if (event.key === "Escape" && !camera.isWhole) camera.home();
  else if (event.key === "Escape" && focused >= 0) setFocused(-1);
  else if (event.key === "g") open(focused);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
