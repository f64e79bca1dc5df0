// editor/src/ask.ts - asks the command, which does all that is computed, and keeps its answers.
//
// SPDX-License-Identifier: Apache-2.0
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Difference, FileReport, LineReport, Report } from "./answers";

const FORMAT = 1;
const ANSWER_BYTES_MAX = 256 << 20;

/** What a person can mend; the message says how. */
export class Problem extends Error {}

/** Standard output of the command. */
export function run(command: string, words: readonly string[], folder: string): Promise<string> {
  return new Promise((done, fail) => {
    execFile(command, words, { cwd: folder, maxBuffer: ANSWER_BYTES_MAX }, (error, output, said) => {
      if (error === null) done(output);
      else fail(new Problem(reason(command, folder, error, said)));
    });
  });
}

function reason(command: string, folder: string, error: { code?: unknown; message: string }, said: string): string {
  if (error.code === "ENOENT" && !isThere(folder)) return `There is no folder '${folder}'.`;
  if (error.code === "ENOENT" || error.code === "EACCES")
    return `There is no command '${command}'. Install Scalene in C, then 'scalene doctor' says whether it works; or set "scalene.command" to its path.`;
  if (/no such option|no such command|unrecognized argument|invalid choice/.test(said)) return wrongVersion(command);
  const own = said.split("\n").find((line) => line.startsWith("scalene: "));
  const mended = said.includes("is not a profile") ? "; 'Scalene: Profile this file' makes one" : "";
  return own?.replace(/^scalene: (view: |diff: )?/, "").concat(mended) ?? `'${command}' has failed: ${said.trim().split("\n").pop() || error.message}`;
}

const wrongVersion = (command: string) =>
  `'${command}' is another version of Scalene than this extension is made for ('${command} --version'). Install the one that the extension came with, or set "scalene.command".`;

function isThere(file: string): boolean {
  return stampOf(file) !== "";
}

/** Another one when the file was written anew; "" when there is none. */
export function stampOf(file: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(file);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return "";
  }
}

async function ask<Answer>(command: string, words: readonly string[], folder: string): Promise<Answer> {
  const text = await run(command, words, folder);
  try {
    const answer = JSON.parse(text) as Answer & { format?: unknown };
    if (answer.format === FORMAT) return answer;
  } catch {
    // said below
  }
  throw new Problem(wrongVersion(command));
}

/** A profile, and what was asked about it since it was written. */
export class Profile {
  private answers = new Map<string, Promise<unknown>>();
  private stamp: string;

  constructor(
    readonly command: string,
    readonly file: string,
  ) {
    this.stamp = stampOf(file);
  }

  private get folder(): string {
    return path.dirname(this.file);
  }

  private known<Answer>(...words: string[]): Promise<Answer> {
    const stamp = stampOf(this.file);
    if (stamp !== this.stamp) this.answers.clear();
    this.stamp = stamp;
    const key = words.join("\0");
    const made = this.answers.get(key) ?? ask<Answer>(this.command, ["view", "--json", ...words, this.file], this.folder);
    this.answers.set(key, made);
    return made as Promise<Answer>;
  }

  report(): Promise<Report> {
    return this.known();
  }

  line(file: string, line: number): Promise<LineReport> {
    return this.known("--line", `${file}:${line}`);
  }

  /** What it has of a file, under that name or the one behind its links; null: nothing. */
  async of(file: string): Promise<FileReport | null> {
    for (const name of new Set([file, realName(file)])) {
      try {
        const answer = await this.known<FileReport>("--file", name);
        if (answer.file === name) return answer;
      } catch (problem) {
        if (!(problem instanceof Problem && problem.message.includes("has no file"))) throw problem;
      }
    }
    return null;
  }

  since(before: string): Promise<Difference> {
    return ask(this.command, ["diff", "--json", before, this.file], this.folder);
  }

  /** The page, as one text that needs nothing else. */
  async page(): Promise<string> {
    const made = mkdtempSync(path.join(tmpdir(), "scalene-"));
    try {
      const file = path.join(made, "page.html");
      await run(this.command, ["view", "--html", "--outfile", file, this.file], this.folder);
      return readFileSync(file, "utf8");
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }
}

function realName(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
