// editor/tests/vscode.ts - stands in for the editor: as much of its module as the extension uses, and what a test sees and does.
//
// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

type Listener = (event: unknown) => unknown;

class Emitter {
  private listeners = new Set<Listener>();
  readonly event = (listener: Listener) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  /** Waits for what the listeners do. */
  readonly fire = (event: unknown) => Promise.all([...this.listeners].map((listener) => listener(event)));
}

export class Position {
  constructor(readonly line: number, readonly character: number) {}
}
export class Range {
  constructor(readonly start: Position, readonly end: Position) {}
}
export class ThemeColor {
  constructor(readonly id: string) {}
}
export class MarkdownString {
  isTrusted = false;
  constructor(readonly value: string) {}
}
export class Hover {
  constructor(readonly contents: MarkdownString) {}
}
export class Uri {
  private constructor(readonly scheme: string, readonly fsPath: string) {}
  static file = (name: string) => new Uri("file", path.resolve(name));
}
export class ProcessExecution {
  constructor(readonly process: string, readonly args: string[], readonly options: { cwd: string }) {}
}
export class Task {
  constructor(readonly definition: object, readonly scope: unknown, readonly name: string, readonly source: string, readonly execution: ProcessExecution) {}
}
export const OverviewRulerLane = { Right: 4 };
export const StatusBarAlignment = { Left: 1 };
export const QuickPickItemKind = { Separator: -1 };
export const TaskScope = { Workspace: 2 };
export const TaskRevealKind = { Always: 1 };
export const TaskPanelKind = { Dedicated: 2 };
export const ViewColumn = { One: 1, Beside: -2 };

export class Document {
  readonly uri: Uri;
  readonly languageId: string;
  isDirty = false;
  constructor(readonly fileName: string, private text = readFileSync(fileName, "utf8")) {
    this.uri = Uri.file(fileName);
    this.languageId = fileName.endsWith(".py") ? "python" : "plaintext";
  }
  getText = () => this.text;
  get lineCount(): number {
    return this.text.split(/\r\n|\r|\n/).length;
  }
  lineAt(line: number) {
    const text = this.text.split(/\r\n|\r|\n/)[line];
    if (text === undefined) throw new Error("Illegal value for `line`");
    return { text, range: new Range(new Position(line, 0), new Position(line, text.length)), firstNonWhitespaceCharacterIndex: text.length - text.trimStart().length };
  }
  /** As one types it. */
  async edit(change: (text: string) => string): Promise<void> {
    this.text = change(this.text);
    await seen.changed.fire({ document: this });
  }
}

export class Editor {
  /** What stands behind each line, from 1, by the heat of its mark: "line heat text". */
  readonly marks = new Map<object, { range: Range; renderOptions: { after: { contentText: string } } }[]>();
  constructor(readonly document: Document) {}
  setDecorations = (mark: object, ranges: never[]) => void this.marks.set(mark, ranges);
  get shown(): string[] {
    const texts = [...this.marks.values()].flatMap((ranges, heat) => ranges.map(({ range, renderOptions }) => [range.start.line + 1, heat, renderOptions.after.contentText] as const));
    return texts.sort((a, b) => a[0] - b[0]).map((text) => text.join(" "));
  }
}

/** What the test sees and says. */
export const seen = {
  changed: new Emitter(),
  ended: new Emitter(),
  active: new Emitter(),
  errors: [] as string[],
  others: [] as string[], // warnings and information
  picks: [] as { title: string; labels: string[]; texts: string[] }[],
  pick: (_: { label: string; description?: string }): boolean => false, // chooses a row
  opened: undefined as string | undefined, // in a dialog
  hover: undefined as unknown as { provideHover: (document: Document, position: Position) => Promise<Hover | undefined> },
  commands: new Map<string, (...words: unknown[]) => Promise<void>>(),
  settings: {} as Record<string, unknown>,
  python: undefined as string | undefined, // that of the Python extension
  tasks: [] as ProcessExecution[],
  panels: [] as { html: string; options: Record<string, unknown>; send: (message: unknown) => Promise<unknown> }[],
  shownAt: [] as string[], // FILE:LINE
  bar: { text: "", isShown: false },
  open: async (name: string) => {
    const editor = new Editor(new Document(name));
    window.visibleTextEditors = [editor];
    window.activeTextEditor = editor;
    await seen.active.fire(editor);
    return editor;
  },
  command: (name: string, ...words: unknown[]) => seen.commands.get(`scalene.${name}`)?.(...words),
};

const silent = () => ({ dispose: () => {} });

export const window = {
  visibleTextEditors: [] as Editor[],
  activeTextEditor: undefined as Editor | undefined,
  createTextEditorDecorationType: (options: object) => ({ options, dispose: () => {} }),
  createStatusBarItem: () => ({ set text(text: string) { seen.bar.text = text; }, show: () => (seen.bar.isShown = true), hide: () => (seen.bar.isShown = false), dispose: () => {} }), // prettier-ignore
  onDidChangeVisibleTextEditors: silent,
  onDidChangeActiveTextEditor: seen.active.event,
  showErrorMessage: async (text: string) => void seen.errors.push(text),
  showWarningMessage: async (text: string) => void seen.others.push(text),
  showInformationMessage: async (text: string) => void seen.others.push(text),
  showOpenDialog: async () => (seen.opened === undefined ? undefined : [Uri.file(seen.opened)]),
  showQuickPick: async (rows: { label: string; description?: string; kind?: number }[], { title }: { title: string }) => {
    const real = rows.filter((row) => row.kind === undefined);
    seen.picks.push({ title, labels: real.map((row) => row.label), texts: real.map((row) => row.description ?? "") });
    return real.find((row) => seen.pick(row));
  },
  showTextDocument: async (document: Document, { selection }: { selection: Range }) => void seen.shownAt.push(`${path.basename(document.fileName)}:${selection.start.line + 1}`),
  createWebviewPanel: (_id: string, _title: string, _column: number, options: Record<string, unknown>) => {
    const messages = new Emitter();
    const panel = { html: "", options, send: messages.fire };
    seen.panels.push(panel);
    return { webview: { onDidReceiveMessage: messages.event, set html(html: string) { panel.html = html; } } }; // prettier-ignore
  },
};

export const workspace = {
  isTrusted: true,
  workspaceFolders: undefined as { uri: Uri }[] | undefined,
  get textDocuments() {
    return window.visibleTextEditors.map((editor) => editor.document);
  },
  getWorkspaceFolder: (uri: Uri) => workspace.workspaceFolders?.find((folder) => uri.fsPath.startsWith(folder.uri.fsPath + path.sep)),
  getConfiguration: (section: string) => ({ get: (key: string) => seen.settings[`${section}.${key}`] }),
  onDidChangeTextDocument: seen.changed.event,
  openTextDocument: async (uri: Uri) => workspace.textDocuments.find((one) => one.fileName === uri.fsPath) ?? new Document(uri.fsPath),
};

export const commands = {
  registerCommand: (name: string, what: (...words: unknown[]) => Promise<void>) => {
    seen.commands.set(name, what);
    return silent();
  },
  executeCommand: async () => {},
};

export const languages = {
  registerHoverProvider: (_: object, provider: typeof seen.hover) => {
    seen.hover = provider;
    return silent();
  },
};

export const extensions = {
  getExtension: () =>
    seen.python === undefined
      ? undefined
      : { activate: async () => ({ environments: { getActiveEnvironmentPath: () => ({ path: seen.python }), resolveEnvironment: async ({ path: name }: { path: string }) => ({ executable: { uri: Uri.file(name) } }) } }) },
};

export const tasks = {
  onDidEndTask: seen.ended.event,
  executeTask: async (task: Task) => {
    const { process: program, args, options } = task.execution;
    const execution = { task };
    seen.tasks.push(task.execution);
    spawn(program, args, { cwd: options.cwd, stdio: "ignore" }).on("close", () => seen.ended.fire({ execution })).on("error", () => {});
    return execution;
  },
};
