// gui/src/flame/around_view.tsx - one function: who calls it, and what it calls, over the whole tree.
//
// SPDX-License-Identifier: Apache-2.0
import { useMemo } from "preact/hooks";
import type { StackUnit } from "./answer";
import { around } from "./around";
import { useNode } from "./carry";
import { FlameChart } from "./flame_chart";
import type { FlameTree } from "./tree";
import { amount, share } from "./words";

interface Props {
  tree: FlameTree;
  frame: number;
  unit: StackUnit;
  open: (tree: FlameTree, node: number) => void;
  /** Absent where there is no chart to go back to. */
  close?: () => void;
}

export function AroundView({ tree, frame, unit, open, close }: Props) {
  const both = useMemo(() => around(tree, frame), [tree, frame]);
  const [callers, setCallers] = useNode(both.callers);
  const [callees, setCallees] = useNode(both.callees);
  const name = tree.frames[frame]?.name ?? "";
  const chart = (side: "callers" | "callees", label: string) => (
    <FlameChart
      tree={both[side]}
      measure={{ unit, root: name, whole: tree.total }}
      label={label}
      marks={null}
      isSnug
      chosen={undefined}
      focused={side === "callers" ? callers : callees}
      setFocused={(node) => {
        setCallers(side === "callers" ? node : -1);
        setCallees(side === "callees" ? node : -1);
      }}
      open={(node) => open(both[side], node)}
    />
  );
  return (
    <section class="around" aria-label={`Callers and callees of ${name}`}>
      <p class="around-head">
        {close && (
          <button type="button" onClick={close}>
            Back to the chart
          </button>
        )}
        <strong>{name}</strong>
        <span>
          total {share(tree.total, both.total)}, {amount(unit, both.total)} · self {share(tree.total, both.self)}, {amount(unit, both.self)}
        </span>
      </p>
      <h3>Called by</h3>
      {chart("callers", `Flame chart of what calls ${name}: the function above, its callers below`)}
      <h3>Calls</h3>
      {chart("callees", `Flame chart of what ${name} calls`)}
    </section>
  );
}
