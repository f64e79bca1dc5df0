// gui/src/state/kept.ts - choices that are remembered in the browser: theme, hidden columns, modes.
//
// What is stored belongs to the page's address, and the next page that is served there, perhaps another user's, can
// read and write it. So it is never a key, an address or the name of a service.
//
// A browser that stores nothing (some do so for a file opened from disk) forgets the choices with the page.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useState } from "preact/hooks";

const PREFIX = "scalene.";

export function readKept<T>(name: string, fallback: T, isFit: (value: unknown) => value is T): T {
  try {
    const text = localStorage.getItem(PREFIX + name);
    if (text === null) return fallback;
    const value: unknown = JSON.parse(text);
    return isFit(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

export function keep(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // cannot be stored: remembered as long as the page is open
  }
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
export const isTruth = (value: unknown): value is boolean => typeof value === "boolean";

export function useKept<T>(name: string, fallback: T, isFit: (value: unknown) => value is T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => readKept(name, fallback, isFit));
  const change = useCallback(
    (next: T) => {
      keep(name, next);
      setValue(next);
    },
    [name],
  );
  return [value, change];
}

/** Removes what earlier pages have stored about AI services. */
export function forgetServices(): void {
  try {
    const old = ["ai.field.", "ai.keep-keys", "ai.provider", "ai.model."].map((name) => PREFIX + name);
    for (const name of Object.keys(localStorage)) if (old.some((start) => name.startsWith(start))) localStorage.removeItem(name);
  } catch {
    // this browser stores nothing
  }
}
