// gui/src/overview/kind_panel.tsx - Python, native and system time, and what each of them is made of.
//
// SPDX-License-Identifier: Apache-2.0
import type { Kind, Overview, PartAnswer, Share } from "../model/answers";
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

/** of: a part of the run, of whose kinds no more is known. */
export function KindPanel({ overview, of }: { overview: Overview; of: PartAnswer | undefined }) {
  const { kinds } = of ?? overview;
  const { kind_parts: parts, marks, no_cpu_percent: noCpu = 0 } = of ? { kind_parts: {}, marks: [] } : overview;
  const whole_s = of ? (of.unit === "s" ? of.total : undefined) : overview.total_s;
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
            <dd class="kind-number" title={whole_s === undefined ? undefined : duration((kinds[kind] / 100) * whole_s)}>
              {percent(kinds[kind])}
            </dd>
            <dd class="soft">{(parts[kind] ?? []).map(shareText).join(", ")}</dd>
          </div>
        ))}
      </dl>
      {marks.length > 0 && <p class="soft">Part of this: {marks.map(shareText).join(", ")}.</p>}
      {noCpu >= NO_CPU_MIN && (
        <p class="soft">{percent(noCpu)} of this was spent waiting for a CPU: the machine was busy.</p>
      )}
    </div>
  );
}
