// gui/src/state/alive.ts - tells the server that a page is open, and when it closes.
//
// The server ends when all its pages have closed.
//
// SPDX-License-Identifier: Apache-2.0
import type { Source } from "../model/source";

const EVERY_MS = 10_000;

export function stayAlive(source: Source): () => void {
  if (!source.served) return () => undefined;
  const say = () => {
    source.post("api/alive", "").catch(() => undefined); // views say it when the server has ended
  };
  const bye = () => {
    navigator.sendBeacon("api/bye");
  };
  const back = (event: PageTransitionEvent) => {
    if (event.persisted) say();
  };
  say();
  const timer = setInterval(say, EVERY_MS);
  addEventListener("pagehide", bye);
  addEventListener("pageshow", back);
  return () => {
    clearInterval(timer);
    removeEventListener("pagehide", bye);
    removeEventListener("pageshow", back);
  };
}
