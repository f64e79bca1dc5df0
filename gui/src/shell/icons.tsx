// gui/src/shell/icons.tsx - the few pictures of the page, drawn in the colour of the text around them.
//
// SPDX-License-Identifier: Apache-2.0
import type { Theme } from "../state/theme";

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d="M10 2 2.5 17h4L10 9.4z" class="logo-a" />
      <path d="M10 2v15h7.5z" class="logo-b" />
    </svg>
  );
}

export function ThemeIcon({ theme }: { theme: Theme }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <circle cx="8" cy="8" r="5.5" fill={theme === "dark" ? "currentColor" : "none"} stroke="currentColor" stroke-width="1.5" />
      {theme === "system" && <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />}
    </svg>
  );
}

export function Lightning() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M9.5 1 3 9h4l-1 6 7-9H8.6z" fill="currentColor" />
    </svg>
  );
}

export function Explosion() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="m8 1 1.6 3.4L13 2.8l-1 3.6 3.5 1.3-3.3 1.8 1.3 3.6-3.6-1L8 15.4l-1.8-3.3-3.7 1 1.3-3.6L.5 7.7 4 6.4 3 2.8l3.4 1.6z" fill="currentColor" />
    </svg>
  );
}

/** An arrow out of a box: opens elsewhere. */
export function OpenIcon() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M9 2.5h4.5V7M13.5 2.5 7.5 8.5M6.5 3.5h-4v10h10v-4" fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  );
}

/** A window with a bar at its left. */
export function SideIcon() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M6.25 3v10" stroke="currentColor" stroke-width="1.5" />
    </svg>
  );
}

/** A triangle that points down when open. */
export function Caret({ isOpen }: { isOpen: boolean }) {
  return (
    <svg class={isOpen ? "caret open" : "caret"} viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      <path d="M3 1.5 7.5 5 3 8.5z" fill="currentColor" />
    </svg>
  );
}
