// gui/src/main.tsx - where the page begins.
//
// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";

import "./app.css";
import { ask } from "./ask";

interface Overview {
  title: string;
}

function App() {
  const [text, setText] = useState("loading the profile");
  useEffect(() => {
    ask<Overview>("api/overview").then(
      (overview) => setText(overview.title),
      (why: unknown) => setText(why instanceof Error ? why.message : String(why)),
    );
  }, []);
  return <h1>{text}</h1>;
}

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
