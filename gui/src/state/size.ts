// gui/src/state/size.ts - the size of an element, followed as it changes.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

export interface Size {
  width: number;
  height: number;
  /** Of the screen's dots to those of the page: bitmaps are made anew when it changes. */
  ratio: number;
}

export function useSize(element: RefObject<Element | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0, ratio: 1 });
  useLayoutEffect(() => {
    const now = element.current;
    if (!now) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = now;
      const ratio = devicePixelRatio || 1;
      setSize((last) => (last.width === width && last.height === height && last.ratio === ratio ? last : { width, height, ratio }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(now);
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, [element]);
  return size;
}
