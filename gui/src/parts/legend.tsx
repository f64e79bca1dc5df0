// gui/src/parts/legend.tsx - the colours of the kinds of time, each with its letter and pattern.
//
// SPDX-License-Identifier: Apache-2.0
const ENTRIES: readonly [string, string, string][] = [
  ["python", "P", "Python"],
  ["native", "N", "native"],
  ["system", "S", "system"],
  ["waiting", "W", "waiting"],
];

export function Legend() {
  return (
    <ul class="legend" aria-label="Kinds of time">
      {ENTRIES.map(([kind, letter, title]) => (
        <li key={kind}>
          <span class={`swatch ${kind}`} aria-hidden="true">
            {letter}
          </span>
          {title}
        </li>
      ))}
    </ul>
  );
}
