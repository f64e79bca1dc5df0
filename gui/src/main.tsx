// gui/src/main.tsx - where the page begins: which source it has, and the root component.
//
// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import "./styles/page.css";
import { App } from "./app";
import { EmbeddedSource } from "./model/embedded";
import { HttpSource } from "./model/source";
import { forgetServices } from "./state/kept";

function sourceOfPage() {
  const block = document.getElementById("answers");
  if (block === null) return new HttpSource();
  return new EmbeddedSource(JSON.parse(block.textContent ?? "{}") as Record<string, unknown>);
}

forgetServices();
const root = document.getElementById("app");
root?.replaceChildren(); // removes what is shown until the script runs
if (root !== null) render(<App source={sourceOfPage()} />, root);
