// gui/src/memory/leak_table.tsx - lines whose memory grows and is not given back.
//
// SPDX-License-Identifier: Apache-2.0
import type { Leak, Overview } from "../model/answers";
import { megabytes, percent } from "../model/number";
import { PathText } from "../parts/path_text";
import { type Heading, TableHead } from "../parts/table_head";
import type { Go } from "../state/place_hook";

const HEADINGS: readonly Heading[] = [
  { title: "line" },
  { title: "likelihood", kind: "number" },
  { title: "grows by", kind: "number" },
];

export function LeakTable({ overview, leaks, go }: { overview: Overview; leaks: readonly Leak[]; go: Go }) {
  if (leaks.length === 0) return <p class="soft">No line keeps growing.</p>;
  return (
    <table class="table">
      <TableHead headings={HEADINGS} />
      <tbody>
        {leaks.map((leak) => (
          <tr key={`${leak.file}:${leak.lineno}`}>
            <td>
              <button type="button" class="link" onClick={() => go({ view: "lines", file: leak.file, line: leak.lineno })}>
                <PathText text={`${overview.files[leak.file]?.short_name ?? ""}:${leak.lineno}`} />
              </button>
            </td>
            <td class="number">{percent(100 * leak.likelihood)}</td>
            <td class="number">{megabytes(leak.velocity_mb_s)}/s</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
