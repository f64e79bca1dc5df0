// gui/theme.mjs - gives each theme its own block of colours, from a sheet in which every colour stands once.
//
// The sheet says light-dark(LIGHT, DARK) in the names of :root. Browsers would understand that, but the charts
// are drawn from the names' values, which are to be plain colours.
//
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";

const PAIR = /light-dark\(((?:[^(),]|\([^()]*\))+),\s*((?:[^(),]|\([^()]*\))+)\)/g;
const NAME = /^ {2}--[\w-]+:[^;]*light-dark\([^;]*;$/gm;

/** The sheet with a block for dark behind it: for a dark system, and for a page that is set to dark. */
export function expandTheme(sheet) {
  const dark = (sheet.match(NAME) ?? []).map((line) => line.replace(PAIR, "$2")).join("\n");
  const expanded = `${sheet.replace(PAIR, "$1")}
@media (prefers-color-scheme: dark) {
:root:not([data-theme="light"]) {
  color-scheme: dark;
${dark}
}
}
:root[data-theme="dark"] {
  color-scheme: dark;
${dark}
}
`;
  if (dark === "" || expanded.includes("light-dark(")) throw new Error("theme.css: a colour is not light-dark(LIGHT, DARK)");
  return expanded;
}

/** For esbuild: theme.css is read so. */
export const themePlugin = {
  name: "theme",
  setup(build) {
    build.onLoad({ filter: /[\\/]theme\.css$/ }, (file) => {
      try {
        return { contents: expandTheme(readFileSync(file.path, "utf8")), loader: "css" };
      } catch (error) {
        return { errors: [{ text: error.message }] };
      }
    });
  },
};
