// gui/src/overview/hot_list.tsx - the most expensive lines or functions, each a link to its place.
//
// SPDX-License-Identifier: Apache-2.0
import type { Hot } from "../model/answers";
import { duration, megabytes, percent } from "../model/number";
import { Mark } from "../parts/mark";
import { PathText } from "../parts/path_text";
import { KindBar, ShareBar } from "../parts/share_bar";
import type { Go } from "../state/place_hook";

interface Props {
  title: string;
  hots: readonly Hot[];
  go: Go;
  isFunctions: boolean;
  value?: HotValue;
  /** The value of a full bar; absent: the largest of this list. */
  top?: number;
}

/** What the number is: a share of the time, of await time, a peak, or what a device did. */
export type HotValue = "time" | "await" | "memory" | "device" | "device-idle" | "device-memory";

const TONES: Record<HotValue, string> = {
  time: "plain",
  await: "await",
  memory: "memory",
  device: "gpu",
  "device-idle": "plain",
  "device-memory": "gpu",
};

function numberOf(hot: Hot, value: HotValue): string {
  switch (value) {
    case "memory":
      return megabytes(hot.peak_mb ?? 0);
    case "device":
      return duration(hot.gpu_s ?? 0);
    case "device-idle":
      return duration(hot.gpu_idle_s ?? 0);
    case "device-memory":
      return megabytes(hot.gpu_live_mb ?? 0);
    case "await":
      return percent(hot.await_percent ?? hot.percent);
    case "time":
      return percent(hot.percent);
  }
}

/** What the bar shows. */
function amountOf(hot: Hot, value: HotValue): number {
  switch (value) {
    case "memory":
      return hot.peak_mb ?? 0;
    case "device":
      return hot.gpu_s ?? 0;
    case "device-idle":
      return hot.gpu_idle_s ?? 0;
    case "device-memory":
      return hot.gpu_live_mb ?? 0;
    case "await":
      return hot.await_percent ?? hot.percent;
    case "time":
      return hot.percent;
  }
}

/** The largest of several lists, which share their scale. */
export function largestOf(hots: readonly Hot[], value: HotValue): number {
  return hots.reduce((largest, hot) => Math.max(largest, amountOf(hot, value)), 0);
}

function Bar({ hot, value, top }: { hot: Hot; value: HotValue; top: number }) {
  if (value === "time") return <KindBar kinds={hot.kinds} whole={top} />;
  return <ShareBar percent={(100 * amountOf(hot, value)) / (top || 1)} tone={TONES[value]} />;
}

function detail(hot: Hot, value: HotValue): string {
  if (value === "await" && hot.await_mean !== undefined) {
    const most = hot.await_peak === undefined ? "" : `, at most ${hot.await_peak}`;
    return `${hot.await_mean.toFixed(1)} at once${most}`;
  }
  if (hot.cumulative_percent !== undefined && hot.cumulative_percent >= hot.percent + 1)
    return `total ${percent(hot.cumulative_percent)}`;
  return "";
}

export function HotList({ title, hots, go, isFunctions, value = "time", top = largestOf(hots, value) }: Props) {
  if (hots.length === 0) return null;
  return (
    <div class="hot-list">
      <h3>{title}</h3>
      <ol>
        {hots.map((hot) => (
          <li key={`${hot.place}:${hot.text}`}>
            <button
              type="button"
              class={`hot heat-${value === "time" ? hot.heat : "none"}`}
              title={`${hot.place}  ${hot.text.trim()}`}
              onClick={() => go({ view: "lines", file: hot.file, line: hot.lineno, fn: isFunctions ? hot.text : undefined })}
            >
              <Mark heat={value === "time" ? hot.heat : undefined} />
              <span class="hot-number">{numberOf(hot, value)}</span>
              <Bar hot={hot} value={value} top={top} />
              <span class="hot-place">
                <PathText text={hot.place} />
              </span>
              <span class="hot-rest">
                <span class="hot-text code">{hot.text.trim()}</span>
                {detail(hot, value) !== "" && <span class="hot-detail soft">{detail(hot, value)}</span>}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
