// gui/src/lines/row_clicks.ts - a click on a row, on one of its numbers, or on what can be done with it.
//
// SPDX-License-Identifier: Apache-2.0
import type { CostBoxState } from "../parts/cost_hover";
import type { Go } from "../state/place_hook";

export function rowClicks(go: Go, box: CostBoxState): (event: MouseEvent) => void {
  return (event) => {
    const at = event.target as HTMLElement;
    const row = at.closest<HTMLElement>("[data-line]");
    if (!row) return;
    const file = Number(row.dataset["file"]);
    const line = Number(row.dataset["line"]);
    const act = at.closest<HTMLElement>("[data-act]");
    if (act?.dataset["act"] === "line") go({ view: "ai", file, line });
    else if (act) go({ view: "ai", file, line: Number(act.dataset["start"]), end: Number(act.dataset["end"]) });
    else if (at.closest("[data-column]")) box.toggleAt(at.closest<HTMLElement>("[data-column]") as HTMLElement);
    else if (!getSelection()?.toString()) go({ file, line }, true);
  };
}
