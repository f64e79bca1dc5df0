// gui/src/flame/frame_bar.tsx - the frame that is chosen, with its numbers and what can be done with it.
//
// The bar takes its room also while no frame is chosen, so that the layout does not jump.
//
// SPDX-License-Identifier: Apache-2.0
import { fillOf } from "./colours";
import { type FlameTree, frameOf } from "./tree";
import { type Measure, said } from "./words";

interface Props {
  tree: FlameTree;
  node: number;
  measure: Measure;
  open: ((node: number) => void) | undefined;
  around: ((node: number) => void) | undefined;
}

export function FrameBar({ tree, node, measure, open, around }: Props) {
  if (node < 0 || node >= tree.count)
    return (
      <p class="frame-bar is-empty">
        Click a frame, or press Enter on it, to zoom; arrows move from frame to frame, Esc shows all again. Ctrl and the wheel zoom at
        the pointer.
      </p>
    );
  const words = said(tree, node, measure);
  const frame = frameOf(tree, node);
  const line = tree.line[node] as number;
  return (
    <div class="frame-bar">
      <span class="frame-name">
        {frame && <span class={`frame-sign ${fillOf(frame)}`} aria-hidden="true" />}
        <strong>{words.name}</strong> <span class="frame-path">{words.path}</span>
      </span>
      <span class="frame-numbers">
        {words.numbers.map(([title, number]) => `${title} ${number}`).join(" · ")}
      </span>
      <span class="frame-actions">
        {open && frame?.file !== undefined && line > 0 && (
          <button type="button" onClick={() => open(node)}>
            Go to line {line}
          </button>
        )}
        {around && frame && (
          <button type="button" onClick={() => around(node)}>
            Callers and callees
          </button>
        )}
      </span>
    </div>
  );
}
