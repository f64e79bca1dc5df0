// gui/src/state/alive.ts - reports to the server that a page is open, and when it closes; learns what it shows now.
//
// The server ends when all its pages have closed.
//
// SPDX-License-Identifier: Apache-2.0
import type { Source } from "../model/source";

const EVERY_MS = 10_000;
const GROWING_MS = 1_000;

/** A profile that is written again and again. */
export interface Live {
  /** A newer one may come. */
  is_growing: boolean;
  is_paused: boolean;
  /** How the program ended; null while that is not known. */
  ending: string | null;
  /** Why the newest one is not shown. */
  trouble: string | null;
}

export interface Served {
  /** Which profile the answers are from. */
  version: number;
  live?: Live;
}

/** Identifies this page, so that the server knows when the last of them has closed. */
const name = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Calls onAnswer after each message: null if the server did not accept it. Our server always does; another program at its port does not. */
export function stayAlive(source: Source, onAnswer: (served: Served | null) => void): () => void {
  if (!source.served) return () => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const say = () => {
    clearTimeout(timer);
    const heard = (served: Served | null) => {
      if (isOver) return;
      onAnswer(served);
      clearTimeout(timer);
      timer = setTimeout(say, served?.live?.is_growing ? GROWING_MS : EVERY_MS);
    };
    source.post<Served>("api/alive", name).then(heard, () => heard(null));
  };
  const bye = () => {
    navigator.sendBeacon("api/bye", name);
  };
  const back = (event: PageTransitionEvent) => {
    if (event.persisted) say();
  };
  say();
  addEventListener("pagehide", bye);
  addEventListener("pageshow", back);
  return () => {
    isOver = true;
    clearTimeout(timer);
    removeEventListener("pagehide", bye);
    removeEventListener("pageshow", back);
  };
}
