// gui/src/model/editor.ts - the address at which an editor opens a line of a file.
//
// SPDX-License-Identifier: Apache-2.0

export interface Editor {
  id: string;
  title: string;
  template: string;
}

/** {path} and {line} are replaced; a path keeps its slashes. */
export const EDITORS: readonly Editor[] = [
  { id: "vscode", title: "VS Code", template: "vscode://file{path}:{line}" },
  { id: "cursor", title: "Cursor", template: "cursor://file{path}:{line}" },
  { id: "pycharm", title: "PyCharm", template: "pycharm://open?file={path}&line={line}" },
  { id: "idea", title: "IntelliJ IDEA", template: "idea://open?file={path}&line={line}" },
];

export const CUSTOM = "custom";

/** What was chosen: one of the editors, or the user's own template. */
export interface EditorChoice {
  id: string;
  template: string;
}

export const USUAL: EditorChoice = { id: "vscode", template: "" };

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const REFUSED = ["javascript", "data", "vbscript", "blob", "file", "about", "http", "https"];
const LOCAL = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\//i;

/** Whether a template may be followed: it has a path, and no scheme that runs scripts or reaches other machines. */
export function isTemplate(template: string): boolean {
  const scheme = SCHEME.exec(template)?.[1]?.toLowerCase();
  if (scheme === undefined || !template.includes("{path}")) return false;
  return LOCAL.test(template) || !REFUSED.includes(scheme);
}

export function titleOf(choice: EditorChoice): string {
  return EDITORS.find((one) => one.id === choice.id)?.title ?? "the editor";
}

/** The address of a line; null for a file that has no full path, and without a fit template. */
export function editorAddress(choice: EditorChoice, path: string, line: number): string | null {
  const template = choice.id === CUSTOM ? choice.template : EDITORS.find((one) => one.id === choice.id)?.template;
  if (template === undefined || !isTemplate(template) || !path.startsWith("/")) return null;
  const written = path.split("/").map(encodeURIComponent).join("/");
  // functions, as a path may have a $, which means something in a replacement
  return template.replaceAll("{path}", () => written).replaceAll("{line}", () => String(line));
}
