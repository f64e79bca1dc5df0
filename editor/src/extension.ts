// editor/src/extension.ts - commands, numbers beside the lines, and what is said about them.
//
// What is computed comes from the command (ask.ts); which line it belongs to now is decided by texts (align.ts).
//
// SPDX-License-Identifier: Apache-2.0
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { linesOf } from "./align";
import type { FileReport } from "./answers";
import { Problem, Profile, run, stampOf } from "./ask";
import { besides, changes, changeWords, details, hottest, type Row, show, type Shown, status } from "./words";

const DEFAULT_PROFILE = "scalene-profile.json";
const HEATS = [undefined, "scalene.mild", "scalene.warm", "scalene.hot"];
const NOTHING: Shown = { at: new Map(), now: () => -1, left: 0, isChanged: false };

let profile: Profile | undefined;
let marks: vscode.TextEditorDecorationType[] = []; // by heat
let bar: vscode.StatusBarItem;
const running = new Map<string, string>(); // the file that each profile is being made of

export function activate(context: vscode.ExtensionContext): void {
  marks = HEATS.map((color) =>
    vscode.window.createTextEditorDecorationType({
      after: { margin: "0 0 0 3em", color: new vscode.ThemeColor(color ?? "editorCodeLens.foreground") },
      ...(color === undefined ? {} : { overviewRulerColor: new vscode.ThemeColor(color), overviewRulerLane: vscode.OverviewRulerLane.Right }),
    }),
  );
  bar = vscode.window.createStatusBarItem("scalene", vscode.StatusBarAlignment.Left);
  bar.name = "Scalene";
  bar.command = "scalene.hottest";
  const command = (name: string, what: (uri?: vscode.Uri) => Promise<void>) =>
    vscode.commands.registerCommand(`scalene.${name}`, (uri?: vscode.Uri) => saying(() => what(uri instanceof vscode.Uri ? uri : undefined)));
  context.subscriptions.push(
    ...marks,
    bar,
    command("profileFile", profileFile),
    command("showProfile", showProfile),
    command("hottest", goToHottest),
    command("openPage", openPage),
    command("compare", compare),
    command("clear", () => use(undefined)),
    vscode.window.onDidChangeVisibleTextEditors(() => saying(refresh)),
    vscode.window.onDidChangeActiveTextEditor(() => saying(refresh)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => isShown(document) && saying(refresh)),
    vscode.languages.registerHoverProvider({ language: "python", scheme: "file" }, { provideHover }),
  );
}

export function deactivate(): void {
  profile = undefined;
}

/** Does it, and shows in one message why that was not possible. */
async function saying(what: () => Promise<void>): Promise<void> {
  try {
    await what();
  } catch (problem) {
    const choice = await vscode.window.showErrorMessage(`Scalene: ${problem instanceof Error ? problem.message : problem}`, ...(problem instanceof Problem ? ["Settings"] : []));
    if (choice === "Settings") await vscode.commands.executeCommand("workbench.action.openSettings", "scalene.");
  }
}

// -------- what is run --------

const settings = (uri?: vscode.Uri) => vscode.workspace.getConfiguration("scalene", uri ?? null);
const folderOf = (uri?: vscode.Uri) => (uri && vscode.workspace.getWorkspaceFolder(uri)) ?? (uri ? undefined : vscode.workspace.workspaceFolders?.[0]);
const directoryOf = (uri: vscode.Uri) => folderOf(uri)?.uri.fsPath ?? path.dirname(uri.fsPath);
const inFolder = (text: string, folder: string) => text.replaceAll("${workspaceFolder}", () => folder);

/** A program as settings name it: one without a slash is searched in PATH, a relative one is in the folder. */
function programOf(text: string, uri: vscode.Uri): string {
  const named = inFolder(text, directoryOf(uri)).replace(/^~(?=\/)/, homedir());
  return named.includes("/") ? path.resolve(directoryOf(uri), named) : named;
}

/** The interpreter that settings or the Python extension name. */
async function interpreterFor(uri: vscode.Uri): Promise<string | undefined> {
  const own = settings(uri).get<string>("python");
  if (own) return programOf(own, uri);
  try {
    const python = (await vscode.extensions.getExtension("ms-python.python")?.activate())?.environments;
    const chosen = python && (await python.resolveEnvironment(python.getActiveEnvironmentPath(uri)));
    if (chosen?.executable?.uri) return chosen.executable.uri.fsPath;
  } catch {
    // it is not known then
  }
  const usual = vscode.workspace.getConfiguration("python", uri).get<string>("defaultInterpreterPath");
  return usual && usual !== "python" ? programOf(usual, uri) : undefined;
}

async function commandFor(uri: vscode.Uri): Promise<string> {
  if (!vscode.workspace.isTrusted) throw new Error("nothing is run in a workspace that is not trusted.");
  const own = settings(uri).get<string>("command");
  if (own) return programOf(own, uri);
  const python = await interpreterFor(uri);
  const beside = python && path.join(path.dirname(python), "scalene");
  return beside && existsSync(beside) ? beside : "scalene";
}

const profileOf = (uri: vscode.Uri) => path.resolve(directoryOf(uri), inFolder(settings(uri).get<string>("profile") || DEFAULT_PROFILE, directoryOf(uri)));

async function profileFile(given?: vscode.Uri): Promise<void> {
  const uri = given ?? vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== "file") throw new Error("open a Python file first.");
  const command = await commandFor(uri);
  const python = await interpreterFor(uri);
  await run(command, ["--version"], directoryOf(uri)); // says what is missing
  await vscode.workspace.textDocuments.find((one) => one.uri.fsPath === uri.fsPath && one.isDirty)?.save();
  const file = profileOf(uri);
  const list = (key: string) => settings(uri).get<string[]>(key) ?? [];
  const words = ["run", "--outfile-as-is", "--outfile", file, ...(python ? ["--python", python] : []), ...list("arguments"), uri.fsPath, "---", ...list("programArguments")];
  const before = stampOf(file);
  const other = running.get(file);
  if (other !== undefined) throw new Error(`'${path.basename(other)}' is still being profiled into '${file}': wait for its end, or stop it in its terminal.`);
  running.set(file, uri.fsPath);
  try {
    await execute(`Scalene: ${path.basename(uri.fsPath)}`, command, words, uri);
  } finally {
    running.delete(file);
  }
  if (stampOf(file) === before) throw new Error(`no profile was written to '${file}': the terminal says why.`);
  await use(new Profile(command, file));
}

/** Runs it in a terminal of its own, to its end. */
async function execute(name: string, command: string, words: string[], uri: vscode.Uri): Promise<void> {
  const process = new vscode.ProcessExecution(command, words, { cwd: directoryOf(uri) });
  const task = new vscode.Task({ type: "scalene", file: uri.fsPath }, /* two with one definition are one task */ folderOf(uri) ?? vscode.TaskScope.Workspace, name, "scalene", process, []);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
  const ended = new Set<vscode.TaskExecution>();
  let wake = () => {};
  const listener = vscode.tasks.onDidEndTask(({ execution }) => {
    ended.add(execution);
    wake();
  });
  try {
    const execution = await vscode.tasks.executeTask(task);
    while (!ended.has(execution)) await new Promise<void>((done) => (wake = done));
  } finally {
    listener.dispose();
  }
}

async function choose(title: string, near?: vscode.Uri): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({ title, filters: { Profiles: ["json"], "All files": ["*"] }, ...(near ? { defaultUri: near } : {}) });
  return chosen?.[0];
}

async function showProfile(given?: vscode.Uri): Promise<void> {
  const near = vscode.window.activeTextEditor?.document.uri ?? folderOf()?.uri;
  const usual = near?.scheme === "file" ? vscode.Uri.file(profileOf(near)) : undefined;
  const uri = given ?? (await choose("Show a profile", usual));
  if (uri !== undefined) await use(new Profile(await commandFor(uri), uri.fsPath));
}

async function use(next: Profile | undefined): Promise<void> {
  if (next !== undefined) await next.report(); // whatever is wrong with it is said once, and the one before stays
  profile = next;
  await refresh();
}

function needed(): Profile {
  if (profile === undefined) throw new Error("there is no profile yet: 'Scalene: Profile this file' makes one, 'Scalene: Show a profile' opens one.");
  return profile;
}

// -------- beside the lines --------

const isShown = (document: vscode.TextDocument) => profile !== undefined && document.languageId === "python" && document.uri.scheme === "file";

async function shownIn(document: vscode.TextDocument): Promise<[FileReport | null, Shown]> {
  const file = isShown(document) && profile ? await profile.of(document.uri.fsPath) : null;
  return [file, file === null ? NOTHING : show(file, linesOf(document.getText()))];
}

/** Shows what is known by now; a profile that can no longer be asked is left, so that this is said once. */
async function refresh(): Promise<void> {
  const asked = profile;
  try {
    for (const editor of vscode.window.visibleTextEditors) {
      const [, shown] = await shownIn(editor.document); // by the text as it is when the answer has come
      if (profile !== asked) return;
      decorate(editor, shown);
    }
    const active = vscode.window.activeTextEditor?.document;
    if (active === undefined || !isShown(active)) return bar.hide();
    const [text, isWarning] = status(path.basename(active.fileName), ...(await shownIn(active)));
    if (profile !== asked) return;
    bar.text = `${isWarning ? "$(warning)" : "$(flame)"} ${text}`;
    bar.tooltip = `Scalene: ${profile?.file ?? ""}`;
    bar.show();
  } catch (problem) {
    if (profile !== asked) return;
    await use(undefined);
    throw problem;
  }
}

function decorate(editor: vscode.TextEditor, shown: Shown): void {
  const ranges: vscode.DecorationOptions[][] = marks.map(() => []);
  for (const [line, cost] of shown.at) {
    const end = editor.document.lineAt(line).range.end;
    ranges[Math.min(cost.heat, marks.length - 1)]?.push({ range: new vscode.Range(end, end), renderOptions: { after: { contentText: besides(cost) } } });
  }
  marks.forEach((mark, heat) => editor.setDecorations(mark, ranges[heat] ?? []));
}

async function provideHover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
  try {
    const [file, shown] = await shownIn(document);
    const line = shown.at.get(position.line);
    if (file === null || line === undefined || profile === undefined) return undefined;
    return new vscode.Hover(new vscode.MarkdownString(details(await profile.line(file.file, line.line))));
  } catch {
    return undefined; // the numbers beside the line have said it
  }
}

// -------- going to places --------

async function goTo(file: string, line: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const [known, shown] = await shownIn(document);
  const now = shown.now(line);
  const at = Math.max(0, Math.min(now >= 0 ? now : line - 1, document.lineCount - 1));
  const start = new vscode.Position(at, document.lineAt(at).firstNonWhitespaceCharacterIndex);
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One, selection: new vscode.Range(start, start) });
  if (known !== null && now < 0) void vscode.window.showWarningMessage(`Scalene: line ${line} has changed since the profile, and may be elsewhere now.`);
}

async function pick(title: string, groups: [string, Row[]][]): Promise<void> {
  const items = groups.flatMap(([label, rows]) => (rows.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator, file: "", line: 0 }, ...rows]));
  const chosen = await vscode.window.showQuickPick<vscode.QuickPickItem & Row>(items as (vscode.QuickPickItem & Row)[], { title, matchOnDescription: true, matchOnDetail: true });
  if (chosen !== undefined && chosen.file !== "") await goTo(chosen.file, chosen.line);
}

async function goToHottest(): Promise<void> {
  const report = await needed().report();
  const groups = hottest(report);
  if (groups.every(([, rows]) => rows.length === 0)) throw new Error(["the profile has no numbers.", ...report.notes].join(" "));
  await pick(`${path.basename(report.summary.program)}: the hottest places`, groups);
}

async function compare(): Promise<void> {
  const now = needed();
  const before = await choose("The profile of the version before", vscode.Uri.file(now.file));
  if (before === undefined) return;
  const difference = await now.since(before.fsPath);
  const groups = changes(difference);
  const total = difference.numbers["time_s"];
  const title = total ? changeWords("time_s", total) : "Changes";
  if (groups.some(([, rows]) => rows.length > 0)) return pick(title, groups);
  void vscode.window.showInformationMessage(`Scalene: no line or function has changed for certain. ${[title, ...difference.notes].join(" ")}`);
}

async function openPage(): Promise<void> {
  const html = await needed().page(); // its policy allows no script but its own, and no request
  const panel = vscode.window.createWebviewPanel("scalene", "Scalene", vscode.ViewColumn.Beside, { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] });
  panel.webview.onDidReceiveMessage((message: unknown) => saying(() => obey(message)));
  panel.webview.html = html;
}

/** What the page asks for: { command: "jumpToLine", filePath, lineNumber }. */
async function obey(message: unknown): Promise<void> {
  const { command, filePath, lineNumber } = Object(message) as Record<string, unknown>;
  if (command === "jumpToLine" && typeof filePath === "string" && path.isAbsolute(filePath) && Number.isSafeInteger(lineNumber)) await goTo(filePath, lineNumber as number);
}
