// gui/src/overview/kind_panel.tsx - Python, native and system time, and what each of them is made of.
//
// SPDX-License-Identifier: Apache-2.0
import type { Kind, Overview, Share } from "../model/answers";
import { duration, percent } from "../model/number";
import { KindBar, KINDS } from "../parts/share_bar";

const TITLES: Record<Kind, [string, string]> = {
  python: ["P", "Python"],
  native: ["N", "native"],
  system: ["S", "system"],
};

/** Less time without a CPU is not worth a sentence. */
const NO_CPU_MIN = 1;

const shareText = (share: Share) => `${share.name} ${percent(share.percent)}`;

export function KindPanel({ overview }: { overview: Overview }) {
  const { kinds, kind_parts: parts, marks } = overview;
  return (
    <div class="kinds">
      <KindBar kinds={kinds} whole={Math.max(kinds.python + kinds.native + kinds.system, 100)} />
      <dl>
        {KINDS.map((kind) => (
          <div key={kind} class="kind-row">
            <dt>
              <span class={`swatch ${kind}`} aria-hidden="true">
                {TITLES[kind][0]}
              </span>
              {TITLES[kind][1]}
            </dt>
            <dd class="kind-number" title={duration((kinds[kind] / 100) * overview.total_s)}>
              {percent(kinds[kind])}
            </dd>
            <dd class="soft">{(parts[kind] ?? []).map(shareText).join(", ")}</dd>
          </div>
        ))}
      </dl>
      {marks.length > 0 && <p class="soft">Part of this: {marks.map(shareText).join(", ")}.</p>}
      {(overview.no_cpu_percent ?? 0) >= NO_CPU_MIN && (
        <p class="soft">{percent(overview.no_cpu_percent ?? 0)} of this was spent waiting for a CPU: the machine was busy.</p>
      )}
    </div>
  );
}
