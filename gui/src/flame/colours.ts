// gui/src/flame/colours.ts - the colours of charts on a canvas, as the styles of the page have them.
//
// A canvas does not follow styles by itself: they are read anew when the theme changes.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import type { Frame, FrameKind } from "./answer";

export interface Colours {
  /** Four shades of one hue per kind, so that neighbours can be distinguished. */
  fills: Record<FrameKind | "library", string[]>;
  /** What marks frames that are not Python's: a stripe below, and lines across the kernel's. */
  stripes: Record<FrameKind, string>;
  /** Solid, for thin bars without text. */
  strips: Record<FrameKind, string>;
  text: string;
  faint: string;
  root: string;
  ground: string;
  found: string;
  focus: string;
  grid: string;
  curve: string;
  tracks: Record<string, string>;
  /** Of calls that cost much less than before, less, the same, more, much more. */
  changes: string[];
}

/** The channels of "#rrggbb" or "#rgb". */
export function channels(hex: string): [number, number, number] {
  const digits = hex.trim().replace("#", "");
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  const value = Number.parseInt(full.slice(0, 6), 16);
  return Number.isNaN(value) ? [128, 128, 128] : [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** A colour on the way from one to another: 0 is the one, 1 the other. */
export function mix(from: string, to: string, part: number): string {
  const [a, b] = [channels(from), channels(to)];
  const mixed = a.map((value, i) => Math.round(value + ((b[i] as number) - value) * part));
  return `rgb(${mixed.join(" ")})`;
}

export function readColours(element: Element): Colours {
  const styles = getComputedStyle(element);
  const one = (name: string) => styles.getPropertyValue(`--${name}`).trim();
  const shades = (name: string) => [0, 0.08, 0.16, 0.24].map((part) => mix(one(`${name}-soft`), one(name), part));
  const native = shades("native");
  return {
    fills: { python: shades("python"), library: shades("library"), native, kernel: native },
    stripes: { python: "", native: one("native"), kernel: one("native-ink") },
    strips: { python: one("python"), native: one("native"), kernel: one("native-ink") },
    text: one("ink"),
    faint: one("ink-soft"),
    root: one("rule"),
    ground: one("surface"),
    found: mix(one("system-soft"), one("system"), 0.4),
    focus: one("focus"),
    grid: one("rule"),
    curve: one("memory"),
    tracks: { gc: one("heat-mark"), io: one("system"), gil: one("copy"), gpu: one("gpu") },
    changes: ["much-less", "less", "even", "more", "much-more"].map((name) => one(`change-${name}`)),
  };
}

/** A number that changes when the colours may have changed, with the system's theme or the page's. */
export function useThemeChange(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const changed = () => setVersion((n) => n + 1);
    const query = matchMedia("(prefers-color-scheme: dark)");
    const observer = new MutationObserver(changed);
    query.addEventListener("change", changed);
    observer.observe(document.documentElement, { attributes: true });
    return () => {
      query.removeEventListener("change", changed);
      observer.disconnect();
    };
  }, []);
  return version;
}

/** Frames of libraries are paler than one's own. */
export function fillOf(frame: Frame): FrameKind | "library" {
  return frame.role === "library" ? "library" : frame.kind;
}

/** Which of the shades: the same for the same name, in every view. */
export function shadeOf(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  return ((hash >>> 8) ^ (hash >>> 20)) & 3;
}
