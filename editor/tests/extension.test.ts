// editor/tests/extension.test.ts - the whole extension in a stand-in for the editor, with the real command.
//
// Numbers are those of a profile made by hand (tests/view/make_data.py): those of a run differ from one to the next.
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { activate } from "../src/extension";
import { Position, seen, Uri, workspace } from "./vscode";

const BUILD = path.resolve(process.env["SC_BUILD"] ?? "../build"); // npm starts the tests in editor/
const COMMAND = path.join(BUILD, "src", "cli", "scalene");
const PYTHON = "/usr/bin/python3";
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "scalene-editor-")));
const program = path.join(folder, "rows.py");
const profile = path.join(folder, "rows.json");
const made = readFileSync(path.join(BUILD, "tests", "view", "data", "full.json"), "utf8").replaceAll("/srv", folder);
const TEXT = (JSON.parse(made).files[program].lines as { line: string }[]).map(({ line }) => line).join("");

/** What stands behind the lines of that profile. */
const SHOWN = [
  "7 2 11% 660 ms · await 93%",
  "8 1 1.2% 72 ms · peak 96 MB",
  "13 1 4.4% 264 ms",
  "14 3 43% 2.60 s · peak 812 MB · copies 3.03 GB/s",
  "15 3 9.0% 540 ms · peak 2.15 GB · copies 120 MB/s",
  "19 0 await 6.8%",
  "20 2 30% 1.82 s · peak 61 MB",
];

/** A command that says something and ends so. */
function fake(name: string, script: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

before(() => {
  writeFileSync(program, TEXT);
  writeFileSync(profile, made);
  activate({ subscriptions: [] } as never);
  workspace.workspaceFolders = [{ uri: Uri.file(folder) }];
});

beforeEach(async () => {
  Object.assign(seen, { errors: [], others: [], picks: [], panels: [], shownAt: [], tasks: [], opened: undefined, pick: () => false, python: PYTHON });
  seen.settings = { "scalene.command": COMMAND };
  workspace.isTrusted = true;
  await seen.command("showProfile", Uri.file(profile));
});

after(() => rmSync(folder, { recursive: true }));

test("a file is profiled in a terminal by the interpreter that was chosen, and is shown then", async () => {
  const real = path.join(folder, "real.py");
  writeFileSync(real, "data = bytearray(64 << 20)  # a block that is always noticed\n");
  Object.assign(seen.settings, { "scalene.profile": "real.json", "scalene.arguments": ["--cpu-percent-threshold", "0"], "scalene.programArguments": ["--its", "own"] });
  await seen.open(real);
  assert.equal(seen.bar.text, "$(flame) real.py is not in the profile");
  await seen.command("profileFile");
  assert.deepEqual(seen.errors, []);
  assert.equal(seen.tasks[0]!.options.cwd, folder);
  assert.deepEqual(seen.tasks[0]!.args, ["run", "--outfile-as-is", "--outfile", path.join(folder, "real.json"), "--python", PYTHON, "--cpu-percent-threshold", "0", real, "---", "--its", "own"]);
  assert.match(seen.bar.text, /^\$\(flame\) real\.py \d/);
});

test("the interpreter of the settings comes first, and what is beside it is the command", async () => {
  const bin = path.join(folder, "venv");
  mkdirSync(bin);
  symlinkSync(PYTHON, path.join(bin, "python"));
  symlinkSync(fake("notes", `echo "$0 $*" >> ${folder}/notes.txt; exit 1`), path.join(bin, "scalene"));
  for (const [settings, python] of [[{ "scalene.python": "${workspaceFolder}/venv/python" }, PYTHON], [{ "python.defaultInterpreterPath": path.join(bin, "python") }, undefined], [{ "python.defaultInterpreterPath": "venv/python" }, undefined], [{ "scalene.python": "venv/python" }, PYTHON]] as const) {
    seen.settings = { ...settings };
    seen.python = python;
    await seen.command("profileFile", Uri.file(program));
    assert.match(seen.errors.pop()!, /venv\/scalene' has failed/);
  }
});

test("numbers go with their lines, leave those that are edited, and come back", async () => {
  const editor = await seen.open(program);
  assert.deepEqual(editor.shown, SHOWN);
  assert.equal(seen.bar.text, "$(flame) rows.py 100% of 6.00 s");
  await editor.document.edit((text) => `import sys\n${text}`);
  const moved = SHOWN.map((text) => text.replace(/^\d+/, (line) => String(Number(line) + 1)));
  assert.deepEqual(editor.shown, moved);
  assert.equal(seen.bar.text, "$(warning) rows.py has changed since the profile");
  await editor.document.edit((text) => text.replace("for row in rows", "for row in reversed(rows)"));
  assert.deepEqual(editor.shown, moved.filter((_, index) => index !== 2));
  assert.match(seen.bar.text, /1 line has no numbers any more$/);
  await editor.document.edit(() => TEXT);
  assert.deepEqual(editor.shown, SHOWN);
  await seen.command("clear");
  assert.deepEqual([editor.shown, seen.bar.isShown], [[], false]);
});

test("an answer that comes when the numbers have been taken away is not shown", async () => {
  writeFileSync(profile, made); // so that it is asked anew
  const opening = seen.open(program);
  await seen.command("clear");
  assert.deepEqual([(await opening).shown, seen.bar.isShown], [[], false]);
});

test("of several folders, that of the file counts", async () => {
  const other = path.join(folder, "other");
  mkdirSync(other);
  writeFileSync(path.join(other, "prog.py"), "");
  workspace.workspaceFolders = [{ uri: Uri.file(path.join(folder, "first")) }, { uri: Uri.file(other) }];
  seen.settings["scalene.command"] = fake("none-written", "exit 0");
  await seen.command("profileFile", Uri.file(path.join(other, "prog.py")));
  assert.deepEqual([seen.tasks[0]!.options.cwd, seen.tasks[0]!.args[3]], [other, path.join(other, "scalene-profile.json")]);
  workspace.workspaceFolders = [{ uri: Uri.file(folder) }];
});

test("a link leads to the file that was profiled", async () => {
  const link = path.join(folder, "link.py");
  symlinkSync(program, link);
  assert.deepEqual((await seen.open(link)).shown, SHOWN);
});

test("a file that the profile does not have gets no numbers", async () => {
  writeFileSync(path.join(folder, "strange.py"), TEXT);
  const editor = await seen.open(path.join(folder, "strange.py"));
  assert.deepEqual([editor.shown, seen.errors, seen.bar.text], [[], [], "$(flame) strange.py is not in the profile"]);
});

test("the details of a line are shown over it, as text that runs nothing", async () => {
  const editor = await seen.open(program);
  const hover = async (line: number) => seen.hover.provideHover(editor.document, new Position(line - 1, 0));
  const { contents } = (await hover(14))!;
  assert.match(contents.value, /^\*\*43%\*\* of the run, 2\.60 s\n\nTime: python 2\.2%, native 41%\n\nMemory: peak 812 MB\n\n[^]*→ rows\\\.py\\:14 /);
  assert.equal(contents.isTrusted, false);
  assert.equal(await hover(12), undefined);
});

test("the hottest places are a list, and the chosen one is shown where it is now", async () => {
  const editor = await seen.open(program);
  await editor.document.edit((text) => `\n${text}`);
  seen.pick = (row) => row.description?.startsWith("rows.py:15 ") ?? false;
  await seen.command("hottest");
  assert.ok(seen.picks[0]!.texts.includes("rows.py:14  out.append(np.array(row, dtype=np.float64).copy())"));
  assert.deepEqual([seen.shownAt, seen.others], [["rows.py:16"], []]);
  await editor.document.edit((text) => text.replace("vstack", "hstack"));
  await seen.command("hottest");
  assert.match(seen.others[0]!, /line 15 has changed since the profile/);
});

test("the page is shown, and obeyed where it asks for a line", async () => {
  await seen.open(program);
  await seen.command("openPage");
  const [panel] = seen.panels;
  assert.ok(panel!.html.includes("Content-Security-Policy") && panel!.html.includes(program));
  assert.deepEqual([panel!.options["enableScripts"], panel!.options["localResourceRoots"]], [true, []]);
  for (const wrong of [null, "jumpToLine", { command: "other", filePath: program, lineNumber: 2 }, { command: "jumpToLine", filePath: "rows.py", lineNumber: 2 }, { command: "jumpToLine", filePath: program }])
    await panel!.send(wrong);
  assert.deepEqual(seen.shownAt, []);
  await panel!.send({ command: "jumpToLine", filePath: program, lineNumber: 6 });
  assert.deepEqual(seen.shownAt, ["rows.py:6"]);
  await panel!.send({ command: "jumpToLine", filePath: path.join(folder, "gone.py"), lineNumber: 6 });
  assert.match(seen.errors[0]!, /gone\.py/);
});

test("a profile is compared with one before it", async () => {
  seen.opened = path.join(folder, "before.json");
  writeFileSync(seen.opened, made.replaceAll("2201.0", "9201.0"));
  seen.pick = (row) => row.description === "rows.py:15  return np.vstack(out)";
  await seen.command("compare");
  assert.match(seen.picks[0]!.labels.join("\n"), /^peak −6\.84 GB ± \S+ MB \(8\.99 GB → 2\.15 GB\)$/m);
  assert.deepEqual(seen.shownAt, ["rows.py:15"]);
  seen.opened = profile;
  await seen.command("compare");
  assert.match(seen.others[0]!, /no line or function has changed for certain/);
});

test("a profile that is written again is the one that is shown", async () => {
  await seen.open(program);
  writeFileSync(profile, made.replaceAll("2201.0", "3201.0"));
  assert.equal((await seen.open(program)).shown[4], "15 3 9.0% 540 ms · peak 3.13 GB · copies 120 MB/s");
  writeFileSync(profile, made);
  assert.deepEqual((await seen.open(program)).shown, SHOWN);
});

test("what is missing or wrong is one message that says what mends it", async () => {
  const editor = await seen.open(program);
  writeFileSync(path.join(folder, "bad.json"), "[]");
  const cases: [string, string, RegExp][] = [
    [path.join(folder, "none"), profile, /There is no command '.*none'\. Install Scalene in C/],
    [fake("old", "echo 'usage: scalene\nscalene: error: unrecognized arguments: --json' >&2; exit 2"), profile, /another version of Scalene .*--version/],
    [fake("older", "echo \"scalene: view: no such option: '--file'\" >&2; exit 2"), profile, /another version of Scalene/],
    [fake("talks", "echo hello"), profile, /another version of Scalene/],
    [fake("fails", "echo oh no >&2; exit 3"), profile, /'.*fails' has failed: oh no/],
    [COMMAND, path.join(folder, "bad.json"), /bad\.json' is not a profile.*'Scalene: Profile this file' makes one/],
    [COMMAND, path.join(folder, "gone.json"), /gone\.json.*'scalene run program\.py' writes a profile/],
  ];
  for (const [command, file, expected] of cases) {
    seen.settings["scalene.command"] = command;
    await seen.command("showProfile", Uri.file(file));
    assert.equal(seen.errors.length, 1);
    assert.match(seen.errors.pop()!, expected);
    assert.deepEqual(editor.shown, SHOWN, "the numbers before stay");
  }
  await seen.command("clear");
  for (const name of ["hottest", "openPage", "compare"]) {
    await seen.command(name);
    assert.match(seen.errors.pop()!, /there is no profile yet/);
  }
});

test("a profile that goes away is missed once", async () => {
  const own = path.join(folder, "own.json");
  writeFileSync(own, made);
  await seen.command("showProfile", Uri.file(own));
  const editor = await seen.open(program);
  rmSync(own);
  for (let key = 0; key < 3; key++) await editor.document.edit((text) => text + "#");
  assert.equal(seen.errors.length, 1);
  assert.match(seen.errors[0]!, /own\.json/);
});

test("a run that writes no profile is no reason to show an old one as new", async () => {
  seen.settings["scalene.command"] = fake("silent", "exit 0");
  seen.settings["scalene.profile"] = "rows.json";
  await seen.command("profileFile", Uri.file(program));
  assert.match(seen.errors[0]!, /no profile was written to '.*rows\.json': the terminal says why/);
});

test("a second run does not take the first one's profile for its own", async () => {
  const go = path.join(folder, "go");
  const other = path.join(folder, "other.py");
  writeFileSync(other, "");
  seen.settings["scalene.command"] = fake("slow", `case "$1" in run) while [ ! -e ${go} ]; do sleep 0.02; done;; esac`);
  seen.settings["scalene.profile"] = "${workspaceFolder}/slow.json";
  const first = seen.command("profileFile", Uri.file(program));
  while (seen.tasks.length === 0) await new Promise((done) => setTimeout(done, 5));
  await seen.command("profileFile", Uri.file(other));
  assert.match(seen.errors.pop()!, /'rows\.py' is still being profiled into '.*\/slow\.json'/);
  assert.equal(seen.tasks.length, 1);
  assert.equal(seen.tasks[0]!.args[3], path.join(folder, "slow.json"));
  writeFileSync(go, "");
  await first;
  assert.match(seen.errors.pop()!, /no profile was written/);
  rmSync(go);
  seen.settings["scalene.command"] = fake("quick", "exit 0");
  await seen.command("profileFile", Uri.file(other));
  assert.match(seen.errors.pop()!, /no profile was written/);
});

test("nothing is run in a workspace that is not trusted", async () => {
  workspace.isTrusted = false;
  seen.settings["scalene.command"] = fake("evil", `touch ${folder}/ran`);
  await seen.command("profileFile", Uri.file(program));
  await seen.command("showProfile", Uri.file(profile));
  assert.ok(seen.errors.every((text) => text.includes("not trusted")) && seen.errors.length === 2);
  assert.ok(!existsSync(path.join(folder, "ran")));
});

test("the manifest has the commands, settings and colours that the sources use, and is off where nothing is trusted", () => {
  const { contributes, capabilities } = JSON.parse(readFileSync("package.json", "utf8"));
  const source = readFileSync("src/extension.ts", "utf8");
  assert.deepEqual(contributes.commands.map((one: { command: string }) => one.command).sort(), [...seen.commands.keys()].sort());
  for (const key of Object.keys(contributes.configuration.properties)) assert.match(source, new RegExp(`"${key.replace("scalene.", "")}"`));
  for (const { id } of contributes.colors) assert.ok(source.includes(`"${id}"`));
  assert.equal(capabilities.untrustedWorkspaces.supported, false);
});
