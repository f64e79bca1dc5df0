// gui/build.mjs FOLDER - makes app.js, app.css and index.html, the whole page, in the folder.
//
// One script without imports and one sheet of styles: the server gives them as files, the standalone
// file has them inside itself.
//
// SPDX-License-Identifier: Apache-2.0
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { themePlugin } from "./theme.mjs";

const source = path.join(path.dirname(fileURLToPath(import.meta.url)), "src");
const target = process.argv[2];
if (target === undefined) {
  console.error("usage: node build.mjs FOLDER");
  process.exit(2);
}
mkdirSync(target, { recursive: true });
try {
  await build({
    entryPoints: { app: path.join(source, "main.tsx") },
    outdir: target,
    bundle: true,
    format: "iife",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    charset: "ascii",
    legalComments: "inline",
    logLevel: "warning",
    plugins: [themePlugin],
  });
} catch {
  process.exit(1); // esbuild has said what is wrong
}
copyFileSync(path.join(source, "index.html"), path.join(target, "index.html"));
