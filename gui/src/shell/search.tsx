// gui/src/shell/search.tsx - finds files, functions and lines by their text.
//
// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Overview, SearchAnswer } from "../model/answers";
import { percent } from "../model/number";
import { searchQuestion } from "../model/questions";
import type { Source } from "../model/source";
import { PathText } from "../parts/path_text";
import { useAnswer } from "../state/answer_hook";
import type { RunPart } from "../state/part_hook";
import type { Go } from "../state/place_hook";

interface Props {
  source: Source;
  overview: Overview;
  part: RunPart;
  go: Go;
  input: RefObject<HTMLInputElement | null>;
}

const PAUSE_MS = 120;

type Found = SearchAnswer["places"][number];

/** The text, once it has not changed for PAUSE_MS. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** A file's name is what was found, so its place is its path. */
function placeText(place: Found, overview: Overview): string {
  const file = overview.files[place.file];
  return place.kind === "file" ? (file?.name ?? "") : `${file?.short_name ?? ""}:${place.lineno}`;
}

export function Search({ source, overview, part, go, input }: Props) {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [current, setCurrent] = useState(0);
  const settled = useSettled(text.trim());
  const answer = useAnswer<SearchAnswer>(source, settled === "" ? null : searchQuestion(settled));
  const places = answer.value?.places ?? [];
  const isShown = isOpen && settled !== "";
  const isCurrent = isShown && !answer.isOld && text.trim() === settled;
  useEffect(() => setCurrent(0), [settled]);
  useLayoutEffect(() => document.getElementById(`found-${current}`)?.scrollIntoView({ block: "nearest" }), [current, isShown]);

  const open = (place: Found | undefined) => {
    if (!place) return;
    setOpen(false);
    input.current?.blur();
    if (place.kind === "file") go({ view: "lines", file: place.file, line: undefined });
    else go({ view: "lines", file: place.file, line: place.lineno });
  };
  const key = (event: KeyboardEvent) => {
    if (event.isComposing) return; // it is the input method's
    if (event.key === "ArrowDown") setCurrent(Math.min(current + 1, places.length - 1));
    else if (event.key === "ArrowUp") setCurrent(Math.max(current - 1, 0));
    else if (event.key === "Enter") open(isCurrent ? places[current] : undefined);
    else if (event.key === "Escape") {
      if (text === "") input.current?.blur();
      setText("");
      setOpen(false);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="search" role="search">
      <input
        ref={input}
        type="text"
        placeholder="Search  /"
        aria-label="Search files, functions and source"
        role="combobox"
        list={undefined}
        aria-expanded={isShown}
        aria-controls="found"
        aria-activedescendant={isShown && places[current] ? `found-${current}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={key}
      />
      {isShown && (
        <div
          id="found"
          class={`found${part.whole}`}
          role="listbox"
          aria-label="Found places"
          onMouseDown={(event) => event.preventDefault()} // the input keeps the focus until the click
        >
          {places.map((place, index) => (
            <div
              key={`${place.kind}:${place.file}:${place.lineno}:${index}`}
              id={`found-${index}`}
              role="option"
              aria-selected={index === current}
              class="found-place"
              onMouseDown={() => open(place)}
            >
              <span class="found-kind">{place.kind}</span>
              <span class="found-share">{place.percent > 0 ? percent(place.percent) : ""}</span>
              <span class="found-text">{place.text}</span>
              <span class="soft">
                <PathText text={placeText(place, overview)} />
              </span>
            </div>
          ))}
          {places.length === 0 && !answer.isOld && (
            <p class="soft">{answer.error ?? "No file, function or line holds this text."}</p>
          )}
          {places.length > 0 && part.whole !== "" && <p class="soft">Shares are of the whole run.</p>}
          {(answer.value?.left_out ?? 0) > 0 && <p class="soft">More places hold it; type more to see them.</p>}
        </div>
      )}
    </div>
  );
}
