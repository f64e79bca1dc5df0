// gui/src/flame/chart_box.tsx - the box with numbers beside the pointer, or beside what has the focus.
//
// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface BoxPlace {
  x: number;
  y: number;
}

const GAP = 14;

/** Stands where it fits: right below the point, else on the other side of it. */
export function ChartBox({ at, children }: { at: BoxPlace; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const { width, height } = element.getBoundingClientRect();
    const [right, bottom] = [window.innerWidth - 8, window.innerHeight - 8];
    const x = at.x + GAP + width > right ? Math.max(at.x - GAP - width, 8) : at.x + GAP;
    const y = at.y + GAP + height > bottom ? Math.max(at.y - GAP - height, 8) : at.y + GAP;
    element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  });
  return (
    <div class="chart-box" ref={box} aria-hidden="true">
      {children}
    </div>
  );
}
