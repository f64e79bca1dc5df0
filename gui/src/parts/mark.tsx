// gui/src/parts/mark.tsx - how hot a place is, by more than colour: full, half or a thin block.
//
// SPDX-License-Identifier: Apache-2.0
import type { Heat } from "../model/answers";

export function Mark({ heat }: { heat: Heat | undefined }) {
  if (heat === undefined || heat === "none") return <span class="mark" />;
  return <span class={`mark mark-${heat}`} role="img" aria-label={heat} title={heat} />;
}

/** The mark as a cell of a row. */
export function MarkCell({ heat }: { heat: Heat | undefined }) {
  return (
    <span class="mark-cell" role="gridcell">
      <Mark heat={heat} />
    </span>
  );
}
