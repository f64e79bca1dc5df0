// gui/src/shell/shell.tsx - what surrounds every view: header, tabs, side panel, search, help, keys.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Overview } from "../model/answers";
import type { Source } from "../model/source";
import { isPart } from "../model/part_words";
import { TimeChoice } from "../parts/time_choice";
import type { Live } from "../state/alive";
import { useKeys } from "../state/keys";
import { useNarrow } from "../state/narrow";
import type { Place } from "../state/place";
import { useRunPart } from "../state/part_hook";
import { usePlace } from "../state/place_hook";
import { useSide } from "../state/side";
import { useTheme } from "../state/theme";
import { type View, VIEWS } from "../views";
import type { ViewProps } from "../view_props";
import { Header } from "./header";
import { Help } from "./help";
import { SideIcon } from "./icons";
import { MissingNote } from "./missing_note";
import { scopeOf } from "./scope";
import { Search } from "./search";
import { SidePanel } from "./side_panel";
import { SpanNote } from "./span_note";
import { Tabs } from "./tabs";

interface Props {
  source: Source;
  overview: Overview;
  load: (file: File) => void;
  live: Live | undefined;
  pause: (isPaused: boolean) => void;
}

/** A cell of a notebook under this width shows the most important views alone. */
const NARROW_CELL_PX = 620;

/** A view that stays: hidden, once it has been shown, and at the place where it was left. */
function Staying({ view, isShown, ...props }: ViewProps & { view: View; isShown: boolean }) {
  const left = useRef<Place | null>(null);
  if (isShown) left.current = props.place;
  return left.current && <div hidden={!isShown}><view.component {...props} place={left.current} /></div>;
}

export function Shell({ source, overview, load, live, pause }: Props) {
  const isNarrowCell = useNarrow(NARROW_CELL_PX) && overview.notebook === true;
  const views = useMemo(
    () => VIEWS.filter((view) => view.shown(overview, source) && (!isNarrowCell || view.fitsNarrow === true)),
    [overview, source, isNarrowCell],
  );
  const ids = useMemo(() => views.map((view) => view.id), [views]);
  const [place, go, address] = usePlace(ids, overview.files);
  const part = useRunPart(source, overview, place);
  const [theme, nextTheme] = useTheme();
  const [isHelp, setHelp] = useState(false);
  const side = useSide(address, place.visits);
  const search = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLDivElement>(null);
  const view = views.find((one) => one.id === place.view) ?? views[0];

  useKeys({ source, overview, place, go, views, search, help: () => setHelp(true), theme: nextTheme, side: side.toggle });
  useEffect(() => {
    // A view begins at its top unless it goes to a place itself.
    if (main.current) main.current.scrollTop = 0;
  }, [place.view]);

  if (!view) return null;
  const shown = { source, overview, place, go, part };
  const isWhole = isPart(place) && scopeOf(place, overview, part.error).isWhole;
  return (
    <div class={side.isShown ? "shell" : "shell side-away"} style={{ "--side": `${side.width}px` }}>
      <a
        class="skip"
        href="#view"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Go to the view
      </a>
      <Header overview={overview} source={source} load={load} live={live} pause={pause} theme={theme} nextTheme={nextTheme} help={() => setHelp(true)} />
      <nav class="bar" aria-label="Views and search">
        <button
          type="button"
          class={side.isOver ? "button quiet side-toggle" : "icon side-toggle"}
          aria-expanded={side.isShown}
          aria-controls="side"
          aria-label={side.isOver ? undefined : "Files and hot places"}
          title={side.isShown ? "Hide the side bar (b)" : "Show the side bar (b)"}
          onClick={side.toggle}
        >
          {side.isOver ? "Files" : <SideIcon />}
        </button>
        <Tabs views={views} place={place} go={go} />
        <TimeChoice source={source} overview={overview} place={place} go={go} />
        <Search source={source} overview={overview} part={part} go={go} input={search} />
      </nav>
      <SidePanel overview={overview} place={place} part={part} go={go} side={side} />
      <main class="main" aria-label="View">
        <MissingNote place={place} go={go} />
        <SpanNote overview={overview} place={place} part={part} go={go} />
        <div
          id="view"
          ref={main}
          class={`view view-${view.id}${isWhole ? " of-whole" : ""}`}
          role="tabpanel"
          tabIndex={-1}
          aria-labelledby={`tab-${view.id}`}
        >
          {!view.stays && <view.component key={view.id} {...shown} />}
          {views.map((one) => one.stays && <Staying key={one.id} view={one} isShown={one === view} {...shown} />)}
        </div>
      </main>
      {isHelp && <Help views={views} close={() => setHelp(false)} />}
    </div>
  );
}
