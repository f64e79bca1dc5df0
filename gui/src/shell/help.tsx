// gui/src/shell/help.tsx - the keys, and what marks and colours mean.
//
// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Legend } from "../parts/legend";
import { EditorSetting } from "./editor_setting";
import type { Tab } from "./tabs";

/** A key, and what it does. */
export type KeyWords = readonly [string, string];

const KEYS: readonly KeyWords[] = [
  ["/", "search files, functions and source"],
  ["j  k", "next and previous hot line"],
  ["↑  ↓", "next and previous row of a table that has the focus"],
  ["Enter", "all numbers of the row"],
  ["c", "in the lines: callers and callees of the row; Esc goes back"],
  ["o", "in the lines: the row in the editor"],
  ["Esc", "close what is open, clear the search, show all of a chart"],
  ["←  →", "in a chart: frames beside one another, moments of the timeline; with Shift a span"],
  ["+  -", "zoom in and out of a chart; Enter zooms to the frame or the span"],
  ["g", "in a flame chart: the line of the frame"],
  ["b", "show or hide the side bar"],
  ["t", "theme: as the system, light, dark"],
  ["?", "this help"],
];

interface Props {
  views: readonly Tab[];
  keys: readonly KeyWords[];
  children: ComponentChildren;
  close: () => void;
}

export function HelpDialog({ views, keys, children, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-title"
      onClose={close}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="help-body">
        <h2 id="help-title">Keys</h2>
        <dl class="keys">
          {views.map((view) => (
            <div key={view.id}>
              <dt>
                <kbd>{view.key}</kbd>
              </dt>
              <dd>{view.title}</dd>
            </div>
          ))}
          {keys.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                {key.split("  ").map((one) => (
                  <kbd key={one}>{one}</kbd>
                ))}
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        {children}
        <div>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </div>
    </dialog>
  );
}

export function Help({ views, close }: { views: readonly Tab[]; close: () => void }) {
  return (
    <HelpDialog views={views} keys={KEYS} close={close}>
      <h2>Editor</h2>
      <EditorSetting />
      <h2>Marks</h2>
      <Legend />
      <p>
        <span class="mark mark-hot" /> from 33 % of the time (or of all allocated memory) on, <span class="mark mark-warm" /> from
        10 %, <span class="mark mark-mild" /> from 3 %. Grey numbers rest on few samples. Point at a number, or press Enter on its
        row, to see how it was measured.
      </p>
    </HelpDialog>
  );
}
