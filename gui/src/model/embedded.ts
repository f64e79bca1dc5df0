// gui/src/model/embedded.ts - the answers a standalone file carries.
//
// They are keyed by the question's text. Rows are also found if the file has them in pieces of
// another size: the piece that is asked for is put together from all pieces of the table.
//
// SPDX-License-Identifier: Apache-2.0
import type { Cells, FunctionRow, Overview, SearchAnswer } from "./answers";
import { isPartTime, nearestPart, type PartPlace } from "./part_words";
import { AnswerError, type Source } from "./source";

interface Piece {
  row_count: number;
  first: number;
  rows: unknown[];
}

/** Of each kind. */
const SEARCH_PLACES = 30;

/** "api/file?file=1&first=0&count=5" as its table ("api/file?file=1") and where the piece lies in it. */
export function tableOf(question: string): { table: string; first: number; count: number } | null {
  const [path, query] = question.split("?", 2);
  if (path !== "api/file" && path !== "api/functions") return null;
  const words = new URLSearchParams(query ?? "");
  const first = Number(words.get("first") ?? 0);
  const count = Number(words.get("count") ?? 0);
  words.delete("first");
  words.delete("count");
  words.sort();
  return { table: `${path}?${words.toString()}`, first, count };
}

/** A part of the timeline. */
interface Part {
  question: string;
  from: number;
  to: number;
}

function partOf(question: string): Part | null {
  const [path, query] = question.split("?", 2);
  const words = new URLSearchParams(query ?? "");
  if (path !== "api/timeline" || !words.has("from_s")) return null;
  return { question, from: Number(words.get("from_s")), to: Number(words.get("to_s")) };
}

/** "api/part?thread=7" as the part of the run that it asks for. */
function placeOf(question: string): PartPlace | null {
  const [path, query] = question.split("?", 2);
  if (path !== "api/part") return null;
  const words = new URLSearchParams(query ?? "");
  const place: PartPlace = {};
  if (words.has("from_s")) [place.from, place.to] = [Number(words.get("from_s")), Number(words.get("to_s"))];
  if (words.has("thread")) place.thread = words.get("thread") ?? "";
  if (words.has("unit")) place.unit = words.get("unit") ?? "";
  const time = words.get("time");
  if (isPartTime(time)) place.time = time;
  return place;
}

/** Whether a table has shares of a part of the run. */
const isOfPart = (table: string) => /[?&](from_s|thread|unit|time)=/.test(table);

interface Table {
  row_count: number;
  head: Piece;
  rows: Map<number, unknown>;
}

/** The rows of a table up to the first that was left out. */
function heldRows(table: Table): number {
  if (table.rows.size >= table.row_count) return table.row_count;
  let count = 0;
  while (table.rows.has(count)) count += 1;
  return count;
}

export class EmbeddedSource implements Source {
  readonly served = false;
  private readonly tables = new Map<string, Table>();
  private readonly parts: Part[] = [];
  private readonly places: PartPlace[] = [];

  constructor(private readonly answers: Record<string, unknown>) {
    for (const [question, answer] of Object.entries(answers)) {
      const part = partOf(question);
      if (part) this.parts.push(part);
      const ofRun = placeOf(question);
      if (ofRun) this.places.push(ofRun);
      const place = tableOf(question);
      if (!place) continue;
      const piece = answer as Piece;
      let table = this.tables.get(place.table);
      if (!table) {
        table = { row_count: piece.row_count, head: piece, rows: new Map() };
        this.tables.set(place.table, table);
      }
      piece.rows.forEach((row, index) => table.rows.set(piece.first + index, row));
    }
  }

  known<T>(question: string): T | undefined {
    if (Object.hasOwn(this.answers, question)) return this.answers[question] as T;
    if (question.startsWith("api/search?")) return this.search(question) as T;
    return this.piece(question) as T | undefined;
  }

  get<T>(question: string): Promise<T> {
    const known = this.known<T>(question);
    if (known !== undefined) return Promise.resolve(known);
    return Promise.reject(
      new AnswerError("This file does not hold that: open the profile with scalene view to see it.", 404),
    );
  }

  post<T>(): Promise<T> {
    return Promise.reject(new AnswerError("This file has no profiler behind it: use scalene view for that.", 404));
  }

  heldPart(from_s: number, to_s: number): string | undefined {
    let found: Part | undefined;
    for (const part of this.parts) {
      const slack = (part.to - part.from) * 1e-6; // the question's numbers are rounded
      const hasAll = part.from <= from_s + slack && part.to >= to_s - slack;
      if (hasAll && (!found || part.to - part.from < found.to - found.from)) found = part;
    }
    return found?.question;
  }

  nearestPart(chosen: PartPlace): PartPlace | undefined {
    return nearestPart(this.places, chosen);
  }

  private piece(question: string): Piece | undefined {
    const place = tableOf(question);
    if (!place) return undefined;
    const table = this.tables.get(place.table);
    if (!table) return this.functions(question, place.table) ?? this.hotLines(question);
    const rows: unknown[] = [];
    const held = heldRows(table);
    const end = Math.min(place.first + place.count, held);
    for (let index = place.first; index < end; index += 1) rows.push(table.rows.get(index));
    return { ...table.head, row_count: held, first: place.first, rows };
  }

  /** The lines that cost something, of a file whose other lines were left out. */
  private hotLines(question: string): Piece | undefined {
    const hot = question.replace(/([?&])mode=(functions|all)(&|$)/, "$1mode=hot$3");
    return hot === question ? undefined : this.piece(hot);
  }

  /** Functions of one file, or in another order, from those of all files. Where not all of these are here, a file has some. */
  private functions(question: string, table: string): Piece | undefined {
    const words = new URLSearchParams(question.split("?", 2)[1]);
    const file = words.get("file");
    const sort = words.get("sort") ?? "time";
    const ofAll = (order: string) => {
      words.set("file", "all");
      words.set("sort", order);
      return this.tables.get(tableOf(`api/functions?${words}`)?.table ?? "");
    };
    const all = ofAll("time");
    if (!question.startsWith("api/functions?") || !all) return undefined;
    const isCut = all.rows.size < all.row_count;
    const key = (row: FunctionRow) => `${row.file}:${row.lineno}:${row.name}`;
    const byTime = [...all.rows.values()] as FunctionRow[];
    const known = new Set(byTime.map(key));
    const others = ([...(ofAll(sort)?.rows.values() ?? [])] as FunctionRow[]).filter((row) => !known.has(key(row)));
    const rows = [...byTime, ...others].filter((row) => file === "all" || row.file === Number(file));
    if (isCut && (file === "all" || rows.length === 0)) return undefined;
    const value = (row: FunctionRow) => row.cells?.[sort] ?? 0;
    if (sort !== "time") rows.sort((a, b) => value(b) - value(a));
    const head = { row_count: rows.length, first: 0, rows: [] };
    this.tables.set(table, { row_count: rows.length, head, rows: new Map(rows.entries()) });
    return this.piece(question);
  }

  /** Names of files and functions, and source, as far as the file holds them; ordered as the server's answer. */
  private search(question: string): SearchAnswer {
    const text = (new URLSearchParams(question.split("?", 2)[1]).get("text") ?? "").toLowerCase();
    if (text === "") return { places: [], left_out: 0 };
    const found = new Map<string, Place>();
    const add = (place: Place | null, name = place?.text ?? "") => {
      if (place && name.toLowerCase().includes(text)) found.set(`${place.kind}:${place.file}:${place.lineno}:${place.text}`, place);
    };
    const overview = this.answers["api/overview"] as Overview | undefined;
    overview?.files.forEach((file, index) => {
      const names = file.name.endsWith(file.short_name) ? file.short_name : `${file.short_name}\n${file.name}`; // as in search.c
      add({ file: index, lineno: 1, kind: "file", text: file.short_name, percent: file.percent }, names);
    });
    for (const [key, table] of this.tables) {
      if (isOfPart(key)) continue; // shares of something else
      const isFunctions = key.startsWith("api/functions");
      const file = Number(new URLSearchParams(key.split("?", 2)[1]).get("file"));
      for (const row of table.rows.values()) add(isFunctions ? functionPlace(row) : linePlace(row, file));
    }
    const all = [...found.values()].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.percent - a.percent);
    const places = KINDS.flatMap((kind) => all.filter((place) => place.kind === kind).slice(0, SEARCH_PLACES));
    return { places, left_out: all.length - places.length };
  }
}

type Place = SearchAnswer["places"][number];

const KINDS: readonly Place["kind"][] = ["function", "file", "line"];

const timeOf = (cells: Cells | undefined) => (cells?.python ?? 0) + (cells?.native ?? 0) + (cells?.system ?? 0);

function functionPlace(row: unknown): Place | null {
  const { file, lineno, name, cells } = row as FunctionRow;
  return { file, lineno, kind: "function", text: name, percent: timeOf(cells) };
}

function linePlace(row: unknown, file: number): Place | null {
  const { lineno, code, cells } = row as { lineno?: number; code?: [string, string][]; cells?: Cells };
  if (lineno === undefined || !code) return null;
  return { file, lineno, kind: "line", text: code.map((part) => part[1]).join("").trim(), percent: timeOf(cells) };
}
