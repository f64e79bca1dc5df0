// gui/src/lines/columns_menu.tsx - hides columns and brings them back; the choice is remembered.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "preact/hooks";
import type { Column } from "../model/answers";
import { grouped, isHidden, toggled } from "./columns";

interface Props {
  columns: readonly Column[];
  /** What was chosen, as columns.ts has it. */
  choices: readonly string[];
  leftOut: readonly string[];
  change: (choices: string[]) => void;
}

export function ColumnsMenu({ columns, choices, leftOut, change }: Props) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const outside = (event: Event) => {
      if (box.current?.open && !box.current.contains(event.target as Node)) box.current.open = false;
    };
    addEventListener("pointerdown", outside);
    addEventListener("focusin", outside);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("focusin", outside);
    };
  }, []);
  return (
    <details
      class="menu"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !box.current?.open) return;
        box.current.open = false;
        box.current.querySelector("summary")?.focus();
        event.stopPropagation();
      }}
    >
      <summary class="button quiet">Columns</summary>
      {/* takes the focus where the words are pressed: else the view around would, which closes the menu */}
      <div class="menu-body" role="group" aria-label="Columns to show" tabIndex={-1}>
        {grouped(columns).map((column) => (
          <label key={column.id}>
            <input type="checkbox" checked={!isHidden(column.id, choices)} onChange={() => change(toggled(column.id, choices))} />
            <span>
              {column.group_title} {column.title}
            </span>
            {leftOut.includes(column.id) && <span class="soft">no room</span>}
          </label>
        ))}
      </div>
    </details>
  );
}
