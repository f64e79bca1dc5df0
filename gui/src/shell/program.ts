// gui/src/shell/program.ts - which program a command runs, as one calls it.
//
// SPDX-License-Identifier: Apache-2.0
const baseOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** The program without its interpreter and folders, and its arguments. */
export function programOf(command: string, program: string | undefined): [string, string] {
  const words = command.split(" ");
  const at = program === undefined ? -1 : words.findIndex((word) => word !== "" && baseOf(word) === baseOf(program));
  let from = Math.max(at, 0);
  const next = words[from + 1];
  if (/^python[\d.]*t?$/.test(baseOf(words[from] ?? "")) && next !== undefined && !next.startsWith("-")) from += 1;
  return [baseOf(words[from] ?? ""), words.slice(from + 1).join(" ")];
}
