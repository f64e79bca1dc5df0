// gui/src/diff/place_hook.ts - the place one is at in a comparison, kept in the window's address.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useMemo } from "preact/hooks";
import { useHash } from "../state/place_hook";
import { type DiffGo, type DiffPlace, formatDiffPlace, parseDiffPlace } from "./place";

export function useDiffPlace(): [DiffPlace, DiffGo] {
  const [hash, change] = useHash();
  const place = useMemo(() => parseDiffPlace(hash), [hash]);
  const go = useCallback<DiffGo>(
    (step, replace = false) => change((now) => formatDiffPlace({ ...parseDiffPlace(now), ...step } as DiffPlace), replace),
    [change],
  );
  return [place, go];
}
