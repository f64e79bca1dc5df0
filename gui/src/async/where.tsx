// gui/src/async/where.tsx - a function or one of its lines, as a link.
//
// SPDX-License-Identifier: Apache-2.0
import { PathText } from "../parts/path_text";
import type { Go } from "../state/place_hook";

interface Props {
  /** The name of a function; absent: a line of the one above. */
  name?: string;
  /** "in main" */
  remark?: string;
  place: string;
  /** Absent where the page does not have it. */
  file?: number;
  lineno: number;
  go: Go;
}

export function Where({ name, remark, place, file, lineno, go }: Props) {
  const text = lineno > 0 ? `${place}:${lineno}` : place;
  return (
    <td class={name === undefined ? "async-line" : "async-function"}>
      {name !== undefined && <span class="code">{name || "(no function)"} </span>}
      {file === undefined || lineno === 0 ? (
        <span class="soft">
          <PathText text={text} />
        </span>
      ) : (
        <button type="button" class="link" onClick={() => go({ view: "lines", file, line: lineno })}>
          <PathText text={text} />
        </button>
      )}
      {remark !== undefined && <span class="soft"> {remark}</span>}
    </td>
  );
}
