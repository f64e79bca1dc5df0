// gui/src/flame/size_hook.ts - the size of an element, also after it changes.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

export interface Size {
  width: number;
  height: number;
}

/** The inner size; it changes with the resolution of the screen too, which needs new bitmaps. */
export function useSize(element: RefObject<HTMLElement | null>): Size & { ratio: number } {
  const [size, setSize] = useState({ width: 0, height: 0, ratio: 1 });
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    const measure = () => {
      const [width, height, ratio] = [target.clientWidth, target.clientHeight, window.devicePixelRatio || 1];
      setSize((last) =>
        last.width === width && last.height === height && last.ratio === ratio ? last : { width, height, ratio },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    window.addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", measure);
    };
  }, [element]);
  return size;
}
