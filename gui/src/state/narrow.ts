// gui/src/state/narrow.ts - whether the page is narrower than a width, followed as it changes.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useState } from "preact/hooks";

export function useNarrow(width_px: number): boolean {
  const query = useMemo(() => matchMedia(`(max-width: ${width_px - 1}px)`), [width_px]);
  const [isNarrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const changed = () => setNarrow(query.matches);
    query.addEventListener("change", changed);
    changed(); // changes between the first rendering and now were not heard
    return () => query.removeEventListener("change", changed);
  }, [query]);
  return isNarrow;
}
