// editor/build.mjs - makes dist/extension.js, the whole extension but what the editor itself gives.
//
// SPDX-License-Identifier: Apache-2.0
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
await build({
  entryPoints: [path.join(here, "src", "extension.ts")],
  outfile: path.join(here, "dist", "extension.js"),
  bundle: true,
  platform: "node",
  format: "cjs",
  target: ["node18"],
  external: ["vscode"],
  minify: true,
  logLevel: "warning",
});
