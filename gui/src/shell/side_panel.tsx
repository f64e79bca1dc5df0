// gui/src/shell/side_panel.tsx - files by time, the hot lines and functions: the way to any place.
//
// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useState } from "preact/hooks";
import { ShareBar } from "../parts/share_bar";
import type { Hot, Overview } from "../model/answers";
import { count, percent } from "../model/number";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";

interface Props {
  overview: Overview;
  place: Place;
  go: Go;
  isOpen: boolean;
  close: () => void;
}

const FILES_AT_FIRST = 20;
const FILES_MORE = 200;

export function SidePanel({ overview, place, go, isOpen, close }: Props) {
  const [shown, setShown] = useState(FILES_AT_FIRST);
  const { files } = overview;
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
      <nav class={isOpen ? "side open" : "side"} aria-label="Files and hot places">
        <h2>Files by time</h2>
        <ul class="places">
          {files.slice(0, shown).map((file, index) => (
            <li key={file.name}>
              <button
                type="button"
                class="place"
                aria-current={place.file === index && place.view === "lines" ? "true" : undefined}
                title={file.name}
                onClick={() => go({ view: "lines", file: index, line: undefined })}
              >
                <span class="place-name">
                  {file.short_name}
                  {file.stale && <span class="chip warn">stale</span>}
                </span>
                <span class="place-share">{percent(file.percent)}</span>
                <ShareBar percent={file.percent} />
              </button>
            </li>
          ))}
        </ul>
        {shown < files.length && (
          <button type="button" class="button quiet" onClick={() => setShown(shown + FILES_MORE)}>
            {count(Math.min(FILES_MORE, files.length - shown))} more of {count(files.length)} files
          </button>
        )}
        <HotPlaces title="Hot lines" places={overview.hot_lines} place={place} go={go} isFunctions={false} />
        <HotPlaces title="Hot functions" places={overview.hot_functions} place={place} go={go} isFunctions />
      </nav>
    </>
  );
}

interface HotProps {
  title: string;
  places: readonly Hot[];
  place: Place;
  go: Go;
  isFunctions: boolean;
}

function HotPlaces({ title, places, place, go, isFunctions }: HotProps) {
  if (places.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul class="places">
        {places.map((hot) => (
          <li key={`${hot.file}:${hot.lineno}:${hot.text}`}>
            <button
              type="button"
              class="place"
              aria-current={place.file === hot.file && place.line === hot.lineno && place.view === "lines" ? "true" : undefined}
              title={`${hot.place}: ${hot.text.trim()}`}
              onClick={() => go({ view: "lines", file: hot.file, line: hot.lineno, fn: isFunctions ? hot.text : undefined })}
            >
              <span class={isFunctions ? "place-name code" : "place-name"}>{isFunctions ? hot.text : hot.place}</span>
              <span class="place-share">{percent(hot.percent)}</span>
              {!isFunctions && <span class="place-text code">{hot.text.trim()}</span>}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
