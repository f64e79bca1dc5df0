// gui/src/shell/side_edge.tsx - the edge of the side bar: it is dragged, or moved by keys, to change the bar's width.
//
// SPDX-License-Identifier: Apache-2.0
import { useRef } from "preact/hooks";
import { isBrowsers } from "../state/keys";
import { type Side, SIDE_LEAST, SIDE_MOST, SIDE_USUAL } from "../state/side";

const STEP = 16;

export function SideEdge({ side }: { side: Side }) {
  // Where the pointer is in relation to the edge; null while nothing is dragged.
  const grip = useRef<number | null>(null);
  const moves: Record<string, number> = {
    ArrowLeft: side.width - STEP,
    ArrowRight: side.width + STEP,
    Home: SIDE_LEAST,
    End: SIDE_MOST,
  };
  const drag = (event: PointerEvent, isEnd: boolean) => {
    if (grip.current === null) return;
    side.resize(event.clientX - grip.current, isEnd);
    if (isEnd) grip.current = null;
  };
  return (
    <div
      class="side-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-controls="side"
      aria-label="Width of the side bar"
      aria-valuemin={SIDE_LEAST}
      aria-valuemax={SIDE_MOST}
      aria-valuenow={side.width}
      aria-valuetext={`${side.width} pixels`}
      title="Drag to change the width; double-click for the usual one"
      onKeyDown={(event) => {
        if (isBrowsers(event)) return;
        const width = moves[event.key];
        if (width !== undefined) side.resize(width, true);
        else if (event.key === "Enter") {
          side.close();
          document.querySelector<HTMLElement>(".side-toggle")?.focus();
        } else return;
        event.preventDefault();
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = event.clientX - side.width;
        event.preventDefault();
        event.currentTarget.focus({ preventScroll: true });
      }}
      onPointerMove={(event) => drag(event, false)}
      onPointerUp={(event) => drag(event, true)}
      onPointerCancel={(event) => drag(event, true)}
      onDblClick={() => side.resize(SIDE_USUAL, true)}
    />
  );
}
