// gui/src/state/carried.ts - state that is brought over when a newer profile is shown in the place of the old one.
//
// SPDX-License-Identifier: Apache-2.0
import { createContext } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";
import type { FileSummary, Overview } from "../model/answers";
import { type NumberOf, numbering } from "../model/files";

/** The profile that is shown, for charts, which do not use it otherwise. */
export const Profile = createContext<Overview | null>(null);

/** State that names files by their numbers; carry gives it those of the newer profile. */
export function useFileState<T>(
  files: readonly FileSummary[],
  first: () => T,
  carry: (value: T, numberOf: NumberOf) => T,
): [T, (next: T | ((now: T) => T)) => void] {
  const held = useRef<{ files: readonly FileSummary[]; value: T } | null>(null);
  const [, redraw] = useState(0);
  held.current ??= { files, value: first() };
  if (held.current.files !== files)
    held.current = { files, value: carry(held.current.value, numbering(held.current.files, files)) };
  const set = useCallback((next: T | ((now: T) => T)) => {
    if (held.current === null) return;
    const value = typeof next === "function" ? (next as (now: T) => T)(held.current.value) : next;
    if (Object.is(value, held.current.value)) return;
    held.current = { files: held.current.files, value };
    redraw((n) => n + 1);
  }, []);
  return [held.current.value, set];
}
