// gui/src/state/opened.ts - the profile that the page shows, and the newer one that takes its place.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Overview } from "../model/answers";
import { overviewQuestion } from "../model/questions";
import { HttpSource, type Source } from "../model/source";
import { type Served, stayAlive } from "./alive";

/** The number is another one for another profile, but not for a newer one of the same program. */
export interface Opened {
  source: Source;
  overview: Overview;
  number: number;
}

export interface Opening {
  opened: Opened | null;
  error: string | null;
  /** What the server says of itself; null when it does not answer. */
  served: Served | null | undefined;
  setServed: (served: Served) => void;
  /** Shows another profile, which the server has already. */
  open: () => Promise<void>;
}

/** A newer profile changes the order of lists, and an element that is moved loses the focus. */
function useFocusKept(opened: Opened | null): { current: Element | null } {
  const focused = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const element = focused.current;
    focused.current = null;
    if (element instanceof HTMLElement && element.isConnected && document.activeElement !== element)
      element.focus({ preventScroll: true });
  }, [opened]);
  return focused;
}

export function useOpened(first: Source): Opening {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [served, setServed] = useState<Served | null | undefined>(undefined);
  const latest = useRef(opened);
  latest.current = opened;
  const focused = useFocusKept(opened);
  const isBusy = useRef(false);
  const isSlow = useRef(false);

  /** Shows the profile that the server has now. When that is replaced meanwhile, the next message brings it, and from then on the
   * server is told to wait: over a slow connection a profile would be outdated each time before it is read. */
  const renew = useCallback(async () => {
    const before = latest.current;
    if (isBusy.current || !(before?.source instanceof HttpSource)) return;
    isBusy.current = true;
    const isHeld = isSlow.current;
    try {
      if (isHeld) await before.source.post("api/hold", "1");
      const next = await before.source.successor(before.overview);
      if (latest.current !== before) return;
      focused.current = document.activeElement;
      setOpened({ ...next, number: before.number });
    } catch {
      isSlow.current = true; // or the server has ended, which its next message says
    } finally {
      if (isHeld) before.source.post("api/hold", "0").catch(() => undefined);
      isBusy.current = false;
    }
  }, []);

  const begin = useCallback(() => {
    first.get<Overview>(overviewQuestion).then(
      (overview) => {
        setError(null);
        setOpened((now) => now ?? { source: first, overview, number: 0 });
      },
      (reason: Error) => setError(reason.message),
    );
  }, [first]);
  useEffect(() => {
    begin();
    return stayAlive(first, setServed);
  }, [first]);
  useEffect(() => {
    const source = opened ? opened.source : first;
    if (!(source instanceof HttpSource)) return;
    source.outdated = () => void renew();
    if (!served) return;
    // The server is reached: what had no answer while it was not is asked again.
    if (opened === null && source.isCut) begin();
    else if (source.isCut || (source.version !== null && source.version !== `${served.version}`)) void renew();
  }, [opened, served]);

  const open = useCallback(async () => {
    const source = new HttpSource();
    const overview = await source.get<Overview>(overviewQuestion);
    history.replaceState(null, "", "#/overview");
    setError(null);
    setOpened((last) => ({ source, overview, number: (last?.number ?? 0) + 1 }));
  }, []);
  return { opened, error, served, setServed, open };
}
