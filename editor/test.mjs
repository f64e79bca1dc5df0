// editor/test.mjs - bundles the tests, with a stand-in for the editor, and runs them with node's own test runner.
//
// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const tests = readdirSync(path.join(here, "tests")).filter((name) => name.endsWith(".test.ts"));
const made = mkdtempSync(path.join(here, "node_modules", ".tests-"));
try {
  await build({
    entryPoints: tests.map((name) => path.join(here, "tests", name)),
    outdir: made,
    bundle: true,
    platform: "node",
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    alias: { vscode: path.join(here, "tests", "vscode.ts") },
    logLevel: "warning",
  });
  const files = tests.map((name) => path.join(made, name.replace(/\.ts$/, ".cjs")));
  process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}
