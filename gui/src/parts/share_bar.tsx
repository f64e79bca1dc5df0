// gui/src/parts/share_bar.tsx - bars: a share of a whole, alone or made up of kinds.
//
// They stand beside or behind a number and repeat it, so they have no accessible name of their own.
//
// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../model/answers";

const width = (percent: number) => `${Math.min(Math.max(Number.isFinite(percent) ? percent : 0, 0), 100)}%`;

export function ShareBar({ percent, tone = "plain" }: { percent: number; tone?: string }) {
  return (
    <span class="share-bar" aria-hidden="true">
      <span class={`fill ${tone}`} style={{ width: width(percent) }} />
    </span>
  );
}

export const KINDS: readonly Kind[] = ["python", "native", "system"];

/** Python, native and system time of 100 % of the run, or of `whole`. */
export function KindBar({ kinds, whole = 100 }: { kinds: Record<Kind, number>; whole?: number }) {
  return (
    <span class="share-bar kind-bar" aria-hidden="true">
      {KINDS.map((kind) => (
        <span key={kind} class={`fill ${kind}`} style={{ width: width((100 * kinds[kind]) / (whole || 1)) }} />
      ))}
    </span>
  );
}
