// gui/src/state/keys.ts - the keys that work anywhere on the page, except where text is typed.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Overview } from "../model/answers";
import { nextHot } from "../model/hot_lines";
import type { Source } from "../model/source";
import type { View } from "../views";
import type { Place } from "./place";
import type { Go } from "./place_hook";

interface Keys {
  source: Source;
  overview: Overview;
  place: Place;
  go: Go;
  views: readonly View[];
  search: RefObject<HTMLInputElement | null>;
  help: () => void;
  theme: () => void;
  side: () => void;
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));
}

/** Keys that are pressed with one of these are the browser's: Alt and an arrow goes back or forth. */
export function isBrowsers(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey;
}

async function hotLine(keys: Keys, step: 1 | -1): Promise<void> {
  const { source, overview, place, go } = keys;
  const found = await nextHot(source, overview, place, step).catch(() => null);
  if (found) go({ view: "lines", file: found.file, line: found.line });
}

function press(event: KeyboardEvent, keys: Keys): boolean {
  const view = keys.views.find((one) => one.key === event.key);
  if (view) keys.go({ view: view.id });
  else if (event.key === "/") keys.search.current?.select();
  else if (event.key === "j") void hotLine(keys, 1);
  else if (event.key === "k") void hotLine(keys, -1);
  else if (event.key === "t") keys.theme();
  else if (event.key === "b") keys.side();
  else if (event.key === "?") keys.help();
  else return false;
  return true;
}

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isBrowsers(event) || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      if (press(event, latest.current)) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
