// gui/src/shell/side_panel.tsx - files by time, the hot lines and functions: the way to any place.
//
// The overview has the hot places itself, with more about each, so they are not repeated beside it.
//
// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useState } from "preact/hooks";
import { PathText } from "../parts/path_text";
import { ShareBar } from "../parts/share_bar";
import type { Hot, Overview } from "../model/answers";
import { count, percent } from "../model/number";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import type { RunPart } from "../state/part_hook";
import type { Side } from "../state/side";
import { SideEdge } from "./side_edge";

interface Props {
  overview: Overview;
  place: Place;
  part: RunPart;
  go: Go;
  side: Side;
}

/** Libraries' files, with --profile-all, must not bury the hot places below them. */
const FILES_AT_FIRST = 8;

export function SidePanel({ overview, place, part, go, side }: Props) {
  const [hasAll, setAll] = useState(false);
  const { files } = overview;
  const { close } = side;
  // While the part's shares are on their way there are none.
  const shareOf = (index: number) => (part.isPart ? part.fileShare(index) : files[index]?.percent);
  const { hot_lines: lines, hot_functions: functions } = (part.isPart ? part.answer : overview) ?? { hot_lines: [], hot_functions: [] };
  const isOpen = side.isOver && side.isShown;
  // Escape works as soon as the panel is visible: useEffect would run a frame later
  useLayoutEffect(() => {
    if (!isOpen) return;
    const escape = (event: KeyboardEvent) => event.key === "Escape" && close();
    addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, [isOpen]);
  return (
    <>
      {isOpen && <div class="side-veil" onClick={close} />}
      <nav id="side" class={isOpen ? "side open" : "side"} aria-label="Files and hot places">
        <div class={`side-body${part.isPart ? "" : part.whole}`}>
          {files.length > 0 && <SideTitle text="Files by time" part={part} />}
          <ul class="places">
            {files.map((file, index) => (hasAll || index < FILES_AT_FIRST || index === place.file) && (
              <li key={file.name}>
                <button
                  type="button"
                  class="place"
                  aria-current={place.file === index && place.view === "lines" ? "true" : undefined}
                  title={file.name}
                  onClick={() => go({ view: "lines", file: index, line: undefined })}
                >
                  <span class="place-name place-file">
                    <PathText text={file.short_name} />
                    {file.stale && <span class="chip warn">stale</span>}
                  </span>
                  <span class="place-share">{shareOf(index) !== undefined && percent(shareOf(index) ?? 0)}</span>
                  <ShareBar percent={shareOf(index) ?? 0} />
                </button>
              </li>
            ))}
          </ul>
          {files.length > FILES_AT_FIRST && (
            <button type="button" class="button quiet" onClick={() => setAll(!hasAll)}>
              {hasAll ? `first ${FILES_AT_FIRST} files` : `all ${count(files.length)} files`}
            </button>
          )}
          {place.view !== "overview" && (
            <>
              <HotPlaces title="Hot lines" places={lines} place={place} part={part} go={go} isFunctions={false} />
              <HotPlaces title="Hot functions" places={functions} place={place} part={part} go={go} isFunctions />
            </>
          )}
        </div>
        {side.isShown && !side.isOver && <SideEdge side={side} />}
      </nav>
    </>
  );
}

/** Where the part that is selected cannot be had, the title says so. */
function SideTitle({ text, part }: { text: string; part: RunPart }) {
  return (
    <h2>
      {text}
      {part.error !== undefined && <span class="soft"> of the whole run</span>}
    </h2>
  );
}

interface HotProps {
  title: string;
  places: readonly Hot[];
  place: Place;
  part: RunPart;
  go: Go;
  isFunctions: boolean;
}

function HotPlaces({ title, places, place, part, go, isFunctions }: HotProps) {
  if (places.length === 0) return null;
  return (
    <>
      <SideTitle text={title} part={part} />
      <ul class="places">
        {places.map((hot) => (
          <li key={`${hot.place}:${hot.text}`}>
            <button
              type="button"
              class="place"
              aria-current={place.file === hot.file && place.line === hot.lineno && place.view === "lines" ? "true" : undefined}
              title={`${hot.place}: ${hot.text.trim()}`}
              onClick={() => go({ view: "lines", file: hot.file, line: hot.lineno, fn: isFunctions ? hot.text : undefined })}
            >
              <span class={isFunctions ? "place-name code" : "place-name"}>{isFunctions ? hot.text : <PathText text={hot.place} />}</span>
              <span class="place-share">{percent(hot.percent)}</span>
              {!isFunctions && <span class="place-text code">{hot.text.trim()}</span>}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
