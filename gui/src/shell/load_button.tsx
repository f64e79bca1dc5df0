// gui/src/shell/load_button.tsx - picks another profile from disk.
//
// SPDX-License-Identifier: Apache-2.0
import { useRef } from "preact/hooks";

export function LoadButton({ load, isLarge = false }: { load: (file: File) => void; isLarge?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class={isLarge ? "button" : "button quiet"}
        title="Open another profile (or drop its file anywhere on the page)"
        onClick={() => input.current?.click()}
      >
        Open…
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label="Profile to open"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = ""; // the same file can be picked again
          if (file) load(file);
        }}
      />
    </>
  );
}
