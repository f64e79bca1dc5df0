// gui/src/parts/code_text.tsx - a line of source in its colours, as text nodes alone.
//
// SPDX-License-Identifier: Apache-2.0
import type { Code } from "../model/answers";

export function CodeText({ code }: { code: Code }) {
  return (
    <>
      {code.map(([style, text], index) =>
        style === "" ? (
          text
        ) : (
          <span key={index} class={`tok-${style}`}>
            {text}
          </span>
        ),
      )}
    </>
  );
}

/** The text of a line without colours. */
export function plain(code: Code): string {
  return code.map((part) => part[1]).join("");
}
