// gui/src/flame/legend.tsx - what the colours and stripes of frames stand for.
//
// SPDX-License-Identifier: Apache-2.0
export function FrameLegend() {
  return (
    <ul class="frame-legend" aria-label="Kinds of frames">
      <li>
        <span class="frame-sign python" aria-hidden="true" /> Python
      </li>
      <li>
        <span class="frame-sign library" aria-hidden="true" /> library
      </li>
      <li>
        <span class="frame-sign native" aria-hidden="true" title="with a stripe below" /> native
      </li>
      <li>
        <span class="frame-sign kernel" aria-hidden="true" title="hatched" /> kernel
      </li>
    </ul>
  );
}
