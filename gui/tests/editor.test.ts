// gui/tests/editor.test.ts - addresses of lines in editors, and those that are not followed.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { CUSTOM, EDITORS, editorAddress, isTemplate, USUAL } from "../src/model/editor";

const custom = (template: string) => ({ id: CUSTOM, template });

test("each editor has its address, and paths are escaped", () => {
  assert.equal(editorAddress(USUAL, "/w/a b/#1?.py", 7), "vscode://file/w/a%20b/%231%3F.py:7");
  assert.equal(editorAddress({ id: "cursor", template: "" }, "/w/a.py", 7), "cursor://file/w/a.py:7");
  assert.equal(editorAddress({ id: "pycharm", template: "" }, "/w/a&b.py", 7), "pycharm://open?file=/w/a%26b.py&line=7");
  assert.equal(editorAddress({ id: "idea", template: "" }, "/w/a.py", 7), "idea://open?file=/w/a.py&line=7");
  assert(EDITORS.every((editor) => isTemplate(editor.template)));
});

test("an own template is filled in, whatever the path holds", () => {
  assert.equal(editorAddress(custom("txmt://open?url=file://{path}&line={line}"), "/w/$&{line}.py", 3), "txmt://open?url=file:///w/%24%26%7Bline%7D.py&line=3");
  assert.equal(editorAddress(custom("http://localhost:63342/api/file{path}:{line}"), "/a.py", 3), "http://localhost:63342/api/file/a.py:3");
});

test("what runs scripts, reaches other machines or names no file is not followed", () => {
  for (const template of [
    "javascript:alert('{path}')",
    "JavaScript:{path}",
    "data:text/html,{path}",
    "https://example.org/{path}",
    "http://localhost.example.org/{path}",
    "http://localhost@example.org/{path}",
    "file://{path}",
    "{path}",
    "//example.org/{path}",
    " javascript:{path}",
    "vscode://file/",
    "",
  ])
    assert.equal(editorAddress(custom(template), "/a.py", 1), null, template);
});

test("only full paths are files of an editor", () => {
  assert.equal(editorAddress(USUAL, "<string>", 1), null);
  assert.equal(editorAddress(USUAL, "a.py", 1), null);
  assert.equal(editorAddress({ id: "unknown", template: "" }, "/a.py", 1), null);
});
