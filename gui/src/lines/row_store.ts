// gui/src/lines/row_store.ts - rows of files' tables, asked for in pieces as they come into view.
//
// SPDX-License-Identifier: Apache-2.0
import { type FileAnswer, isGap, type Mode, type Row, type RowMark } from "../model/answers";
import { fileQuestion, PIECE } from "../model/questions";
import type { Source } from "../model/source";

interface Table {
  rowCount: number | undefined;
  pieces: Map<number, Row[]>;
  asked: Set<number>;
  error: string | undefined;
  /** The page holds only the table's lines that have numbers. */
  isShort: boolean;
  marks: readonly RowMark[];
  /** Rows in another order than the source's. */
  sorted: { key: string; rows: Row[] } | undefined;
}

export class RowStore {
  private readonly tables = new Map<string, Table>();

  /** part: of the run, as in questions; changed is called whenever there is more to show. */
  constructor(
    private readonly source: Source,
    private readonly part: string,
    private readonly changed: () => void,
  ) {}

  /** How many rows a table has; undefined until its first piece is here. */
  rowCount(file: number, mode: Mode): number | undefined {
    const table = this.table(file, mode);
    if (table.rowCount === undefined) void this.piece(file, mode, 0);
    return table.rowCount;
  }

  /** The same without asking. */
  knownCount(file: number, mode: Mode): number | undefined {
    return this.knownPiece(file, mode, 0) && this.table(file, mode).rowCount;
  }

  /** The index of a line's row among the rows that are known; -1: it is not among them. */
  indexOf(file: number, mode: Mode, lineno: number): number {
    const rowCount = this.knownCount(file, mode) ?? 0;
    for (let piece = 0; piece * PIECE < rowCount; piece += 1) {
      const index = this.knownPiece(file, mode, piece)?.findIndex((row) => !isGap(row) && row.lineno === lineno) ?? -1;
      if (index >= 0) return piece * PIECE + index;
    }
    return -1;
  }

  /** The rows that cost something, once the first rows are here. */
  marks(file: number, mode: Mode): readonly RowMark[] {
    return this.table(file, mode).marks;
  }

  error(file: number, mode: Mode): string | undefined {
    return this.table(file, mode).error;
  }

  /** Whether a page without a server holds fewer lines than the mode has. */
  isShort(file: number, mode: Mode): boolean {
    return this.table(file, mode).isShort;
  }

  /** A row, or undefined while it is on its way. */
  row(file: number, mode: Mode, index: number): Row | undefined {
    const piece = Math.floor(index / PIECE);
    const { pieces } = this.table(file, mode);
    if (!pieces.has(piece)) void this.piece(file, mode, piece); // at once, where the answer is known
    return pieces.get(piece)?.[index - piece * PIECE];
  }

  /** All rows sorted by a column, highest first unless isUp, without gaps; undefined until all have arrived. */
  sorted(file: number, mode: Mode, key: string, value: (row: Row) => number, isUp: boolean): Row[] | undefined {
    const table = this.table(file, mode);
    const name = `${key}${isUp ? "+" : "-"}`;
    if (table.sorted?.key === name) return table.sorted.rows;
    const rowCount = this.rowCount(file, mode);
    if (rowCount === undefined) return undefined;
    const rows: Row[] = [];
    for (let piece = 0; piece * PIECE < rowCount; piece += 1) {
      if (!table.pieces.has(piece)) void this.piece(file, mode, piece);
      rows.push(...(table.pieces.get(piece) ?? []));
    }
    if (rows.length < rowCount) return undefined;
    const order = isUp ? 1 : -1;
    const lines = rows.filter((row) => !isGap(row)).map((row) => ({ row, value: value(row) }));
    lines.sort((a, b) => order * (a.value - b.value));
    table.sorted = { key: name, rows: lines.map((line) => line.row) };
    return table.sorted.rows;
  }

  /** The index of a line's row; null when the table does not show the line. */
  async find(file: number, mode: Mode, lineno: number): Promise<number | null> {
    const first = await this.piece(file, mode, 0);
    const rowCount = this.table(file, mode).rowCount ?? 0;
    if (first === undefined) return null;
    let low = 0;
    let high = Math.max(Math.ceil(rowCount / PIECE) - 1, 0);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const begin = firstLine(await this.piece(file, mode, middle));
      if (begin !== undefined && begin <= lineno) low = middle;
      else high = middle - 1;
    }
    const rows = (await this.piece(file, mode, low)) ?? [];
    const index = rows.findIndex((row) => !isGap(row) && row.lineno === lineno);
    return index < 0 ? null : low * PIECE + index;
  }

  private table(file: number, mode: Mode): Table {
    const key = `${mode}:${file}`;
    let table = this.tables.get(key);
    if (table === undefined) {
      table = { rowCount: undefined, pieces: new Map(), asked: new Set(), error: undefined, isShort: false, marks: [], sorted: undefined };
      this.tables.set(key, table);
    }
    return table;
  }

  private knownPiece(file: number, mode: Mode, piece: number): Row[] | undefined {
    const table = this.table(file, mode);
    const rows = table.pieces.get(piece);
    if (rows !== undefined) return rows;
    const known = this.source.known<FileAnswer>(fileQuestion(file, mode, piece * PIECE, this.part));
    return known && this.take(table, piece, known, mode);
  }

  private async piece(file: number, mode: Mode, piece: number): Promise<Row[] | undefined> {
    const known = this.knownPiece(file, mode, piece);
    if (known !== undefined) return known;
    const table = this.table(file, mode);
    const question = fileQuestion(file, mode, piece * PIECE, this.part);
    const isFirst = !table.asked.has(piece);
    table.asked.add(piece);
    try {
      const answer = await this.source.get<FileAnswer>(question);
      const taken = this.take(table, piece, answer, mode);
      if (isFirst) this.changed();
      return taken;
    } catch (error) {
      table.error = (error as Error).message;
      table.rowCount ??= 0;
      if (isFirst) this.changed();
      return undefined;
    }
  }

  private take(table: Table, piece: number, answer: FileAnswer, mode: Mode): Row[] {
    table.rowCount = answer.row_count;
    table.isShort = answer.mode !== mode;
    table.pieces.set(piece, answer.rows);
    if (piece === 0) table.marks = answer.marks ?? [];
    table.asked.delete(piece);
    return answer.rows;
  }
}

function firstLine(rows: Row[] | undefined): number | undefined {
  const row = rows?.find((one) => !isGap(one));
  return row && !isGap(row) ? row.lineno : undefined;
}
