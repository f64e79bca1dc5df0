// gui/src/flame/imports.ts - an import as one frame, in place of the ten that Python needs for it.
//
// Between the line with the import and the code of the module stand the functions of importlib, once more for
// each package around the module. They become one frame, "import machinery", which has the time of finding and
// reading files; the code of the module becomes a frame "import x" beside it.
//
// SPDX-License-Identifier: Apache-2.0
import type { Frame, StacksAnswer } from "./answer";
import { Taking } from "./taking";

const MACHINERY: Frame = { name: "import machinery", kind: "python", role: "library", path: "<frozen importlib>" };

const isMachinery = (frame: Frame | undefined) => frame?.kind === "python" && (frame.path ?? "").startsWith("<frozen importlib");

const isModule = (frame: Frame | undefined) => frame?.kind === "python" && frame.name === "<module>" && frame.module !== undefined;

/** What an import passes through on its way to the module: native code, and loaders that libraries bring. */
const isOnTheWay = (frame: Frame | undefined) => frame !== undefined && (frame.kind !== "python" || frame.role === "library");

export function foldImports(answer: StacksAnswer): StacksAnswer {
  if (!answer.frames.some(isMachinery)) return answer;
  const frames = [...answer.frames];
  const numbers = new Map<string, number>();
  const number = (key: string, frame: () => Frame) => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    frames.push(frame());
    numbers.set(key, frames.length - 1);
    return frames.length - 1;
  };
  const taking = new Taking();
  const to: number[] = []; // each node's place in the new tree
  const importers: number[] = []; // within an import: the place of the Python frame that imports; else -1
  const pythons: number[] = []; // the place of the innermost Python frame up to here
  answer.parents.forEach((parent, n) => {
    const old = answer.node_frames[n] as number;
    const frame = answer.frames[old];
    const caller = n === 0 ? 0 : (to[parent] as number);
    const importer = n === 0 ? -1 : (importers[parent] as number);
    let node: number;
    let within = -1;
    if (isMachinery(frame)) {
      within = importer >= 0 ? importer : n === 0 ? 0 : (pythons[parent] as number);
      node = taking.node(within, number("", () => MACHINERY));
    } else if (importer >= 0 && frame && isModule(frame)) {
      node = taking.node(importer, number(String(old), () => ({ ...frame, name: `import ${frame.module}` })));
    } else {
      node = taking.node(caller, old);
      if (isOnTheWay(frame)) within = importer;
    }
    to.push(node);
    importers.push(within);
    pythons.push(n === 0 || frame?.kind === "python" ? node : (pythons[parent] as number));
    taking.add(node, answer.totals[n] as number, isMachinery(frame) ? 0 : (answer.lines[n] as number), answer.firsts_s?.[n] ?? null);
    taking.spend(node, answer.selves[n] as number);
  });
  return taking.done(answer, frames);
}
