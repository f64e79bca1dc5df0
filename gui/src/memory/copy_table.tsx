// gui/src/memory/copy_table.tsx - the functions that copy most memory.
//
// SPDX-License-Identifier: Apache-2.0
import type { FunctionsAnswer, Overview } from "../model/answers";
import { megabytes } from "../model/number";
import { functionsQuestion } from "../model/questions";
import type { Source } from "../model/source";
import { Waiting } from "../parts/waiting";
import { PathText } from "../parts/path_text";
import { type Heading, TableHead } from "../parts/table_head";
import { useAnswer } from "../state/answer_hook";
import type { Go } from "../state/place_hook";

const SHOWN = 8;

const HEADINGS: readonly Heading[] = [
  { title: "function" },
  { title: "line" },
  { title: "copies", kind: "number" },
];

export function CopyTable({ source, overview, go }: { source: Source; overview: Overview; go: Go }) {
  const answer = useAnswer<FunctionsAnswer>(source, functionsQuestion("all", "copy", 0));
  const rows = (answer.value?.rows ?? []).filter((row) => (row.cells?.["copy"] ?? 0) > 0).slice(0, SHOWN);
  if (!answer.value) return <Waiting answer={answer} text="Asking for copies" />;
  if (rows.length === 0) return <p class="soft">No function copies enough to be shown; single lines are in the Lines view.</p>;
  return (
    <table class="table">
      <TableHead headings={HEADINGS} />
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.file}:${row.lineno}:${row.name}`}>
            <td class="code">{row.name}</td>
            <td>
              <button type="button" class="link" onClick={() => go({ view: "lines", file: row.file, line: row.lineno })}>
                <PathText text={`${overview.files[row.file]?.short_name ?? ""}:${row.lineno}`} />
              </button>
            </td>
            <td class="number">{megabytes(row.cells?.["copy"] ?? 0)}/s</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
