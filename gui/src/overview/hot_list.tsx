// gui/src/overview/hot_list.tsx - the most expensive lines or functions, each a link to its place.
//
// SPDX-License-Identifier: Apache-2.0
import type { Hot } from "../model/answers";
import { megabytes, percent } from "../model/number";
import { Mark } from "../parts/mark";
import { KindBar, ShareBar } from "../parts/share_bar";
import type { Go } from "../state/place_hook";

interface Props {
  title: string;
  hots: readonly Hot[];
  go: Go;
  isFunctions: boolean;
  /** What the number is: a share of the time, of await time, or a peak. */
  value?: "time" | "await" | "memory";
  topMb?: number;
}

function numberOf(hot: Hot, value: NonNullable<Props["value"]>): string {
  if (value === "memory") return megabytes(hot.peak_mb ?? 0);
  return percent(value === "await" ? (hot.await_percent ?? hot.percent) : hot.percent);
}

function Bar({ hot, value, topMb }: { hot: Hot; value: NonNullable<Props["value"]>; topMb: number }) {
  if (value === "time") return <KindBar kinds={hot.kinds} />;
  if (value === "await") return <ShareBar percent={hot.await_percent ?? hot.percent} tone="await" />;
  return <ShareBar percent={(100 * (hot.peak_mb ?? 0)) / topMb} tone="memory" />;
}

function detail(hot: Hot, value: NonNullable<Props["value"]>): string {
  if (value === "await" && hot.await_mean !== undefined) {
    const most = hot.await_peak === undefined ? "" : `, at most ${hot.await_peak}`;
    return `${hot.await_mean.toFixed(1)} at once${most}`;
  }
  if (hot.cumulative_percent !== undefined && hot.cumulative_percent >= hot.percent + 1)
    return `with calls ${percent(hot.cumulative_percent)}`;
  return "";
}

export function HotList({ title, hots, go, isFunctions, value = "time", topMb = 1 }: Props) {
  if (hots.length === 0) return null;
  return (
    <div class="hot-list">
      <h3>{title}</h3>
      <ol>
        {hots.map((hot) => (
          <li key={`${hot.file}:${hot.lineno}:${hot.text}`}>
            <button
              type="button"
              class={`hot heat-${value === "time" ? hot.heat : "none"}`}
              title={`${hot.place}  ${hot.text.trim()}`}
              onClick={() => go({ view: "lines", file: hot.file, line: hot.lineno, fn: isFunctions ? hot.text : undefined })}
            >
              <Mark heat={value === "time" ? hot.heat : undefined} />
              <span class="hot-number">{numberOf(hot, value)}</span>
              <Bar hot={hot} value={value} topMb={topMb} />
              <span class="hot-place">{hot.place}</span>
              <span class="hot-text code">{hot.text.trim()}</span>
              {detail(hot, value) !== "" && <span class="hot-detail soft">{detail(hot, value)}</span>}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
