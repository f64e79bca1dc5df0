// gui/src/state/place_hook.ts - the place one is at, kept in the window's address.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { FileSummary } from "../model/answers";
import { formatPlace, parsePlace, type Place, type Step, stepFrom } from "./place";

/** Goes to another place: a new entry of the history, or in the stead of this one. */
export type Go = (step: Step, replace?: boolean) => void;

export function usePlace(views: readonly string[], files: readonly FileSummary[]): [Place, Go] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    addEventListener("popstate", changed);
    return () => {
      removeEventListener("hashchange", changed);
      removeEventListener("popstate", changed);
    };
  }, []);
  const place = useMemo(() => parsePlace(hash, views, files), [hash, views, files]);
  const go = useCallback<Go>(
    (step, replace = false) => {
      const now = parsePlace(location.hash, views, files);
      const address = formatPlace(stepFrom(now, step), files);
      if (address === location.hash) return;
      if (replace) history.replaceState(null, "", address);
      else history.pushState(null, "", address);
      setHash(address);
    },
    [views, files],
  );
  return [place, go];
}
