// gui/src/shell/live_sign.tsx - says that the profile grows, or how the program ended.
//
// SPDX-License-Identifier: Apache-2.0
import type { Live } from "../state/alive";

interface Props {
  live: Live;
  /** Of the profile that is shown. */
  elapsed_s: number;
  pause: (isPaused: boolean) => void;
}

/** "12 s", "2 min 5 s": the time of the run changes every few seconds, so fractions say nothing. */
function length(elapsed_s: number): string {
  const seconds = Math.floor(elapsed_s);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Only the ending is read out: the seconds change again and again. */
export function LiveSign({ live, elapsed_s, pause }: Props) {
  return (
    <span class={live.is_growing && !live.is_paused ? "live-sign growing" : "live-sign"}>
      {(live.is_paused || live.ending === null) && (
        <span title="The part of the run that is shown">
          {live.is_paused ? "paused" : "live"}, {length(elapsed_s)}
        </span>
      )}
      <span role="status">{live.ending ?? ""}</span>
      {live.is_growing && (
        <button
          type="button"
          class="button quiet"
          title={live.is_paused ? "Show the newest profile" : "Leave the page as it is while the program runs on"}
          onClick={() => pause(!live.is_paused)}
        >
          {live.is_paused ? "Resume" : "Pause"}
        </button>
      )}
    </span>
  );
}
