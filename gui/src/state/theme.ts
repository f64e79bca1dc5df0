// gui/src/state/theme.ts - light or dark: as the system, or the notebook or editor around, has it, unless one of them was chosen.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isText, useKept } from "./kept";

export type Theme = "system" | "light" | "dark";

export const THEME_TITLES: Record<Theme, string> = {
  system: "Theme: as the system (t)",
  light: "Theme: light (t)",
  dark: "Theme: dark (t)",
};

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const isTheme = (value: unknown): value is Theme => isText(value) && value in NEXT;

type Shown = "light" | "dark";

// The theme that a notebook around the page reports, since a page in a frame cannot see it. The message comes
// once, when the page has been loaded, which may be before anything is drawn.
let around: Shown | null = null;
let hear: (shown: Shown) => void = () => undefined;

// VS Code takes `parent` away from the pages of its extensions, and writes its theme into them.
const outer = typeof window === "undefined" ? undefined : (window.parent as Window | undefined);
const editors = typeof document === "undefined" ? undefined : document.body.dataset["vscodeThemeKind"];
if (editors !== undefined) around = editors.endsWith("light") ? "light" : "dark";

if (outer !== undefined && outer !== window)
  addEventListener("message", (event) => {
    if (event.source !== outer) return;
    if (event.data !== "scalene:light" && event.data !== "scalene:dark") return;
    around = event.data === "scalene:dark" ? "dark" : "light";
    hear(around);
  });

function useThemeAround(): Shown | null {
  const [shown, setShown] = useState(around);
  useEffect(() => {
    hear = setShown;
    setShown(around);
  }, []);
  return shown;
}

export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useKept<Theme>("theme", "system", isTheme);
  const outside = useThemeAround();
  useEffect(() => {
    const shown = theme === "system" ? outside : theme;
    if (shown === null) delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = shown;
  }, [theme, outside]);
  // Two presses may come before the page is drawn anew.
  const latest = useRef(theme);
  latest.current = theme;
  const next = useCallback(() => {
    latest.current = NEXT[latest.current];
    setTheme(latest.current);
  }, [setTheme]);
  return [theme, next];
}
