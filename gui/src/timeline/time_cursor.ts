// gui/src/timeline/time_cursor.ts - the time that the keyboard is at, and the span that it extends.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";
import type { Camera } from "../flame/camera";
import type { Range } from "../flame/tree";

const REST_MS = 200;

export interface TimeCursor {
  time: number | undefined;
  set: (time: number | null) => void;
  /** Moves by step times the range in sight; extends: a span is drawn from the time where the cursor was. */
  move: (step: number, extends_: boolean) => void;
}

export function useTimeCursor(
  camera: Camera,
  end_s: number,
  setDrawnSpan: (span: Range | null) => void,
  setSpan: (span: Range) => void,
): TimeCursor {
  const [cursor, setCursor] = useState<{ time: number; anchor: number } | null>(null);
  const rest = useRef(0);
  const latest = useRef(setSpan);
  latest.current = setSpan;
  useEffect(() => () => clearTimeout(rest.current), []);
  return {
    time: cursor?.time,
    set: (time) => setCursor(time === null ? null : { time, anchor: time }),
    move: (step, extends_) => {
      const length = camera.range.to - camera.range.from;
      const old = cursor ?? { time: (camera.range.from + camera.range.to) / 2, anchor: 0 };
      const time = Math.min(Math.max(old.time + step * length, 0), end_s);
      const anchor = extends_ && cursor ? old.anchor : extends_ ? old.time : time;
      setCursor({ time, anchor });
      if (time < camera.range.from || time > camera.range.to) camera.pan(time - (camera.range.from + camera.range.to) / 2);
      if (!extends_ || time === anchor) return;
      const made = { from: Math.min(time, anchor), to: Math.max(time, anchor) };
      setDrawnSpan(made);
      clearTimeout(rest.current); // the span is selected after REST_MS without a key
      rest.current = setTimeout(() => {
        setDrawnSpan(null);
        latest.current(made);
      }, REST_MS);
    },
  };
}
