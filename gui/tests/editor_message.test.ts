// gui/tests/editor_message.test.ts - what the extension gets that shows the page within an editor.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { isInEditor, jumpInEditor, openInEditor } from "../src/state/editor_hook";

const sent: unknown[] = [];
let acquired = 0;
Object.assign(globalThis, {
  window: {
    acquireVsCodeApi: () => {
      acquired += 1;
      if (acquired > 1) throw new Error("acquired twice");
      return { postMessage: (message: unknown) => sent.push(message) };
    },
  },
});

test("a line is opened by the message that Scalene's extension takes", () => {
  assert(isInEditor());
  assert(jumpInEditor("/w/a b.py", 7));
  openInEditor("/w/c.py", 1);
  assert.deepEqual(sent, [
    { command: "jumpToLine", filePath: "/w/a b.py", lineNumber: 7 },
    { command: "jumpToLine", filePath: "/w/c.py", lineNumber: 1 },
  ]);
  assert.equal(acquired, 1, "an editor gives its interface once");
});

test("what is no file is not asked for", () => {
  sent.length = 0;
  assert(!jumpInEditor("<string>", 3));
  assert(!jumpInEditor("a.py", 3));
  assert.deepEqual(sent, []);
});
