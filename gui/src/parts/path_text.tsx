// gui/src/parts/path_text.tsx - a path or place, cut at its beginning where there is no room: its end says what it is.
//
// SPDX-License-Identifier: Apache-2.0
export function PathText({ text }: { text: string }) {
  return (
    <span class="path-text">
      <bdi dir="ltr">{text}</bdi>
    </span>
  );
}
