// gui/src/model/questions.ts - the texts of the questions, which are also their keys in a standalone file.
//
// SPDX-License-Identifier: Apache-2.0
import type { Mode } from "./answers";
import { type PartPlace, partQuery } from "./part_words";

/** Rows come in pieces of this size, each beginning at a multiple of it. */
export const PIECE = 500;

export const overviewQuestion = "api/overview";

/** part: of the run, as partQuery has it; "" is all of it. */
export function fileQuestion(file: number, mode: Mode, first: number, part = "", count = PIECE): string {
  return `api/file?file=${file}&mode=${mode}&first=${first}&count=${count}${part}`;
}

export function functionsQuestion(file: number | "all", sort: string, first: number, part = "", count = PIECE): string {
  return `api/functions?file=${file}&sort=${sort}&first=${first}&count=${count}${part}`;
}

export function partQuestion(place: PartPlace): string {
  return `api/part?${partQuery(place).slice(1)}`;
}

export function lineCostQuestion(file: number, line: number): string {
  return `api/cost?file=${file}&line=${line}`;
}

/** Functions of a file may share a name (a getter and its setter), not a name and a line. */
export function functionCostQuestion(file: number, name: string, line: number): string {
  const encoded = encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `api/cost?file=${file}&function=${encoded}&line=${line}`;
}

export function callsQuestion(file: number, line: number, part = ""): string {
  return `api/calls?file=${file}&line=${line}${part}`;
}

export function searchQuestion(text: string): string {
  return `api/search?text=${encodeURIComponent(text)}`;
}
