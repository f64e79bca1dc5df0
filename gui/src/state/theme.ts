// gui/src/state/theme.ts - light or dark: as the system has it, unless one of them was chosen.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect } from "preact/hooks";
import { isText, useKept } from "./kept";

export type Theme = "system" | "light" | "dark";

export const THEME_TITLES: Record<Theme, string> = {
  system: "Theme: as the system (t)",
  light: "Theme: light (t)",
  dark: "Theme: dark (t)",
};

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const isTheme = (value: unknown): value is Theme => isText(value) && value in NEXT;

export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useKept<Theme>("theme", "system", isTheme);
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return [theme, useCallback(() => setTheme(NEXT[theme]), [theme])];
}
