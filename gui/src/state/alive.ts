// gui/src/state/alive.ts - reports to the server that a page is open, and when it closes.
//
// The server ends when all its pages have closed.
//
// SPDX-License-Identifier: Apache-2.0
import type { Source } from "../model/source";

const EVERY_MS = 10_000;

/** Identifies this page, so that the server knows when the last of them has closed. */
const name = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Calls onAnswer after each message: true if the server accepted it. Our server always does; another program at its port does not. */
export function stayAlive(source: Source, onAnswer: (isThere: boolean) => void): () => void {
  if (!source.served) return () => undefined;
  const say = () => {
    source.post("api/alive", name).then(
      () => onAnswer(true),
      () => onAnswer(false),
    );
  };
  const bye = () => {
    navigator.sendBeacon("api/bye", name);
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
