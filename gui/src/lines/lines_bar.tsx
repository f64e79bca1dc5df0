// gui/src/lines/lines_bar.tsx - the controls above the lines: which of them, which columns, all files.
//
// SPDX-License-Identifier: Apache-2.0
import type { Mode } from "../model/answers";
import type { ViewProps } from "../view_props";
import { Choice } from "../parts/choice";
import { Legend } from "../parts/legend";
import { ColumnsMenu } from "./columns_menu";

interface Props extends ViewProps {
  mode: Mode;
  setMode: (mode: Mode) => void;
  openAll: () => void;
  closeAll: () => void;
  hidden: readonly string[];
  setHidden: (hidden: string[]) => void;
  leftOut: readonly string[];
}

const MODES: readonly { id: Mode; title: string; hint: string }[] = [
  { id: "hot", title: "Hot lines", hint: "Only lines with a number" },
  { id: "functions", title: "Functions", hint: "Lines with a number, and the functions and classes around them" },
  { id: "all", title: "All lines", hint: "Every line of the source" },
];

export function LinesBar(props: Props) {
  const { overview, mode, setMode, openAll, closeAll, hidden, setHidden, leftOut } = props;
  return (
    <div class="view-bar">
      <Choice name="Lines to show" options={MODES} chosen={mode} choose={setMode} />
      <ColumnsMenu columns={overview.columns} choices={hidden} leftOut={leftOut} change={setHidden} />
      {overview.files.length > 1 && (
        <span class="pair">
          <button type="button" class="button quiet" onClick={openAll}>
            Show all
          </button>
          <button type="button" class="button quiet" onClick={closeAll}>
            Hide all
          </button>
        </span>
      )}
      <Legend />
    </div>
  );
}
