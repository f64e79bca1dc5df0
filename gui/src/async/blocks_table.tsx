// gui/src/async/blocks_table.tsx - functions that block the event loop, with their lines and what these call.
//
// SPDX-License-Identifier: Apache-2.0
import { Fragment } from "preact";
import { count, duration, percent } from "../model/number";
import { PathText } from "../parts/path_text";
import { KindBar } from "../parts/share_bar";
import { TableBox } from "../parts/table_box";
import { type Heading, TableHead } from "../parts/table_head";
import type { Go } from "../state/place_hook";
import type { Block, BlockLine } from "./answer";
import { Where } from "./where";

const HEADINGS: readonly Heading[] = [
  { title: "time", kind: "number" },
  { title: "share", kind: "number" },
  { title: "kinds", kind: "bar" },
  { title: "function" },
  { title: "source" },
  { title: "calls" },
];

function Numbers({ of, top }: { of: Block | BlockLine; top: number }) {
  return (
    <>
      <td class="number">{duration(of.seconds)}</td>
      <td class="number">{percent(of.percent)}</td>
      <td class="bar-column">
        <KindBar kinds={of.kinds} whole={top} />
      </td>
    </>
  );
}

function Calls({ line }: { line: BlockLine }) {
  return (
    <>
      <td class="code" title={line.text}>
        {line.text}
      </td>
      <td class="async-call" title={line.call}>
        {line.call === undefined ? (
          <span class="soft">computes</span>
        ) : (
          <span class="code">
            <PathText text={line.call} />
          </span>
        )}
        {line.instead !== undefined && <span class="async-instead soft">Instead: {line.instead}</span>}
      </td>
    </>
  );
}

function Rows({ block, top, go }: { block: Block; top: number; go: Go }) {
  const { name, place, lines } = block;
  const file = block.file === undefined ? {} : { file: block.file };
  const remark = block.coroutine === undefined ? {} : { remark: `in ${block.coroutine}` };
  const only = lines.length === 1 ? lines[0] : undefined;
  return (
    <>
      <tr>
        <Numbers of={block} top={top} />
        <Where name={name} {...remark} place={place} {...file} lineno={only ? only.lineno : block.lineno} go={go} />
        {only ? <Calls line={only} /> : <td colSpan={2} />}
      </tr>
      {!only &&
        lines.map((line) => (
          <tr key={line.lineno} class="async-part">
            <Numbers of={line} top={top} />
            <Where place={place} {...file} lineno={line.lineno} go={go} />
            <Calls line={line} />
          </tr>
        ))}
      {block.lines_left_out > 0 && (
        <tr class="async-part">
          <td colSpan={2} />
          <td class="bar-column" />
          <td class="async-line soft">{count(block.lines_left_out)} more lines</td>
          <td colSpan={2} />
        </tr>
      )}
    </>
  );
}

export function BlocksTable({ blocks, go }: { blocks: readonly Block[]; go: Go }) {
  const top = Math.max(...blocks.map((block) => block.percent), 1e-9);
  return (
    <TableBox name="What blocks the event loop">
      <table class="table">
        <TableHead headings={HEADINGS} />
        <tbody>
          {blocks.map((block) => (
            <Fragment key={`${block.place}:${block.name}:${block.lineno}:${block.coroutine ?? ""}`}>
              <Rows block={block} top={top} go={go} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}
