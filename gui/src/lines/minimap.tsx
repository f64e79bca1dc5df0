// gui/src/lines/minimap.tsx - where the hot lines are in the whole list: a strip beside the scroll bar.
//
// It is for the pointer alone and repeats the rows: the keys j and k go to the same lines.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Heat } from "../model/answers";
import { finePercent } from "../model/number";
import type { Go } from "../state/place_hook";
import { rowTop } from "./layout";
import type { OpenRows } from "./open_rows";

/** The height of the headings, which are above the first file. */
const HEAD = 45;
/** How near to a mark a click goes to its line, in pixels. */
const NEAR = 5;

export interface MapMark {
  file: number;
  line: number;
  y: number;
  heat: Heat;
  isMemory: boolean;
  title: string;
}

/** The mark that a click at a height means, or null. */
export function nearestMark(marks: readonly MapMark[], y: number): MapMark | null {
  let best: MapMark | null = null;
  for (const mark of marks) {
    const away = Math.abs(mark.y - y);
    if (away <= NEAR && (!best || away < Math.abs(best.y - y))) best = mark;
  }
  return best;
}

/** marks of the open files whose rows are here; scale: pixels of the strip for a pixel of the list. */
export function marksOf(rows: OpenRows, names: readonly string[], scale: number): MapMark[] {
  const found: MapMark[] = [];
  if (rows.order.column !== "") return found;
  for (const file of rows.open) {
    for (const [row, line, share, time, memory] of rows.store.marks(file, rows.modeOf(file))) {
      const isMemory = time === "none" && memory !== "none";
      found.push({
        file,
        line,
        y: (HEAD + rowTop(rows.sections, rows.tops, file, row) + 11) * scale,
        heat: isMemory ? memory : time,
        isMemory,
        title: `${names[file] ?? ""}:${line}, ${isMemory ? "memory" : finePercent(share)}`,
      });
    }
  }
  return found;
}

interface Props {
  rows: OpenRows;
  names: readonly string[];
  scroll: number;
  height: number;
  scroller: RefObject<HTMLDivElement | null>;
  go: Go;
}

export function Minimap({ rows, names, scroll, height, scroller, go }: Props) {
  const isHeld = useRef(false);
  const whole = Math.max(HEAD + (rows.tops[rows.tops.length - 1] ?? 0), height, 1);
  const scale = height / whole;
  const marks = marksOf(rows, names, scale);
  const heightOf = (event: PointerEvent) => event.clientY - (event.currentTarget as HTMLElement).getBoundingClientRect().top;
  const scrollTo = (y: number) => {
    if (scroller.current) scroller.current.scrollTop = y / scale - height / 2;
  };
  return (
    <div
      class="minimap"
      aria-hidden="true"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const y = heightOf(event);
        const mark = nearestMark(marks, y);
        if (mark) go({ view: "lines", file: mark.file, line: mark.line });
        else {
          event.currentTarget.setPointerCapture(event.pointerId);
          isHeld.current = true;
          scrollTo(y);
        }
        event.preventDefault();
      }}
      onPointerMove={(event) => isHeld.current && scrollTo(heightOf(event))}
      onPointerUp={() => (isHeld.current = false)}
      onPointerCancel={() => (isHeld.current = false)}
    >
      {whole > height + 1 && <span class="minimap-view" style={{ top: `${scroll * scale}px`, height: `${height * scale}px` }} />}
      {marks.map((mark) => (
        <span
          key={`${mark.file}:${mark.line}`}
          class={`minimap-mark ${mark.isMemory ? "memory" : "time"} ${mark.heat}`}
          style={{ top: `${mark.y.toFixed(1)}px` }}
          title={mark.title}
        />
      ))}
    </div>
  );
}
