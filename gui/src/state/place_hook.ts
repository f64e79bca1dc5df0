// gui/src/state/place_hook.ts - the place one is at, kept in the window's address.
//
// A page inside another (the output of a notebook's cell) has no address of its own: there the place is
// kept as long as the page is open.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { FileSummary } from "../model/answers";
import { formatPlace, parsePlace, type Place, type Step, stepFrom } from "./place";

/** Goes to another place: adds an entry to the history, or replaces the current one. */
export type Go = (step: Step, replace?: boolean) => void;

/** The place of a page without an address; otherwise null. */
let own: string | null = location.protocol === "about:" ? "" : null;

const read = () => own ?? location.hash;

function write(address: string, replace: boolean): void {
  if (own !== null) own = address;
  else if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
}

/** The part of the address behind "#", what changes it, and how often one has gone to the address one was at. */
export function useHash(): [string, (next: (now: string) => string, replace: boolean, isVisit?: boolean) => void, number] {
  const [hash, setHash] = useState(read);
  const [visits, setVisits] = useState(0);
  useEffect(() => {
    const changed = () => setHash(read());
    addEventListener("hashchange", changed);
    addEventListener("popstate", changed);
    changed(); // changes between the first rendering and now were not heard
    return () => {
      removeEventListener("hashchange", changed);
      removeEventListener("popstate", changed);
    };
  }, []);
  const change = useCallback((next: (now: string) => string, replace: boolean, isVisit = false) => {
    const address = next(read());
    if (address !== read()) {
      write(address, replace);
      setHash(address);
    } else if (isVisit) setVisits((count) => count + 1);
  }, []);
  return [hash, change, visits];
}

/** The last is the address, which stays when a newer profile comes, while the place is made anew. */
export function usePlace(views: readonly string[], files: readonly FileSummary[]): [Place, Go, string] {
  const [hash, change, visits] = useHash();
  const place = useMemo(() => ({ ...parsePlace(hash, views, files), visits }), [hash, views, files, visits]);
  // What a view chooses a moment later than the user may come when the address has left that view.
  const go = useCallback<Go>(
    (step, replace = false) =>
      change((now) => {
        const at = parsePlace(now, views, files);
        return at.view === place.view || step.view !== undefined ? formatPlace(stepFrom(at, step), files) : now;
      }, replace, !replace && (step.file !== undefined || step.line !== undefined)),
    [views, files, change, place.view],
  );
  return [place, go, hash];
}
