// gui/src/shell/drop_zone.tsx - the whole page takes a dropped profile, and says why one was refused.
//
// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Source } from "../model/source";

interface Props {
  source: Source;
  load: (file: File) => void;
  loading: string | null;
  refused: string | null;
  dismiss: () => void;
  children: ComponentChildren;
}

const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

export function DropZone({ source, load, loading, refused, dismiss, children }: Props) {
  const [isOver, setOver] = useState(false);
  const depth = useRef(0); // elements entered and not left
  const enter = (event: DragEvent) => {
    if (!hasFile(event)) return;
    depth.current += 1;
    setOver(true);
  };
  const leave = (event: DragEvent) => {
    if (!hasFile(event)) return;
    depth.current = Math.max(depth.current - 1, 0);
    if (depth.current === 0) setOver(false);
  };
  const drop = (event: DragEvent) => {
    if (!hasFile(event)) return;
    event.preventDefault(); // otherwise the browser would show the file instead of the page
    depth.current = 0;
    setOver(false);
    const file = event.dataTransfer?.files[0];
    if (file && source.served) load(file);
  };
  return (
    <div
      class="drop-zone"
      onDragEnter={enter}
      onDragLeave={leave}
      onDragOver={(event) => hasFile(event) && event.preventDefault()}
      onDrop={drop}
    >
      {children}
      {isOver && (
        <div class="drop-veil" aria-hidden="true">
          <p>{source.served ? "Drop a profile to open it" : "This file has no profiler behind it: use scalene view"}</p>
        </div>
      )}
      {loading !== null && (
        <div class="toast" role="status">
          Reading {loading}
        </div>
      )}
      {refused !== null && (
        <div class="toast bad" role="alert">
          <span>{refused}</span>
          <button type="button" class="icon" aria-label="Close this message" onClick={dismiss}>
            ×
          </button>
        </div>
      )}
    </div>
  );
}
