// gui/src/state/editor_hook.ts - the editor that lines are opened in, and opening them.
//
// Within a view of an editor, the page asks the extension that shows it: the message is the one that Scalene's
// extension takes.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import { editorAddress, type EditorChoice, USUAL } from "../model/editor";
import { isText, keep, readKept } from "./kept";

interface EditorApi {
  postMessage: (message: unknown) => void;
}

// It may be acquired once.
let api: EditorApi | null | undefined;

function editorApi(): EditorApi | null {
  if (api === undefined) {
    const acquire = (window as { acquireVsCodeApi?: () => EditorApi }).acquireVsCodeApi;
    try {
      api = typeof acquire === "function" ? acquire() : null;
    } catch {
      api = null; // another script has it
    }
  }
  return api;
}

export const isInEditor = () => editorApi() !== null;

const isChoice = (value: unknown): value is EditorChoice =>
  typeof value === "object" && value !== null && "id" in value && "template" in value && isText(value.id) && isText(value.template);

let chosen: EditorChoice | undefined;
const listeners = new Set<(choice: EditorChoice) => void>();

export function editorChoice(): EditorChoice {
  chosen ??= readKept("editor", USUAL, isChoice);
  return chosen;
}

export function chooseEditor(choice: EditorChoice): void {
  chosen = choice;
  keep("editor", choice);
  for (const listener of listeners) listener(choice);
}

export function useEditor(): EditorChoice {
  const [choice, setChoice] = useState(editorChoice);
  useEffect(() => {
    listeners.add(setChoice);
    return () => void listeners.delete(setChoice);
  }, []);
  return choice;
}

/** Whether the editor around the page can open a file: what has no full path ("<string>") is no file. */
export const canJump = (path: string) => isInEditor() && path.startsWith("/");

/** Opens a line where the page is within an editor; false elsewhere. */
export function jumpInEditor(path: string, line: number): boolean {
  if (!canJump(path)) return false;
  editorApi()?.postMessage({ command: "jumpToLine", filePath: path, lineNumber: line });
  return true;
}

/** An editor that listens at an address of its own answers with a page, which must not replace this one. */
export const isPage = (address: string) => /^https?:/i.test(address);

export function openInEditor(path: string, line: number): void {
  if (jumpInEditor(path, line)) return;
  const address = editorAddress(editorChoice(), path, line);
  if (address === null) return;
  if (isPage(address)) window.open(address, "_blank", "noopener");
  else location.assign(address);
}
