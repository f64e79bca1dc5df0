// gui/src/parts/table_box.tsx - what a table scrolls in, sideways, where it is wider than its panel; also by keys.
//
// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";

export function TableBox({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={name}>
      {children}
    </div>
  );
}
