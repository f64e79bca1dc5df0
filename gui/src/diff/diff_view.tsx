// gui/src/diff/diff_view.tsx - the page of a comparison: header, tabs, keys, and one of its views.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";
import { countOf } from "../model/number";
import type { Source } from "../model/source";
import { Waiting } from "../parts/waiting";
import { HelpDialog, type KeyWords } from "../shell/help";
import { Logo, ThemeIcon } from "../shell/icons";
import { LoadButton } from "../shell/load_button";
import { Tabs } from "../shell/tabs";
import { useAnswer } from "../state/answer_hook";
import { isTyping } from "../state/keys";
import { THEME_TITLES, useTheme } from "../state/theme";
import { type DiffAnswer, diffQuestion } from "./answers";
import { CallsView } from "./calls_view";
import { ChangesView } from "./changes_view";
import "./diff.css";
import { type DiffGo, type DiffPlace, VIEWS } from "./place";
import { useDiffPlace } from "./place_hook";
import { SourcesView } from "./sources_view";
import { shortNames } from "./words";

export interface DiffProps {
  source: Source;
  answer: DiffAnswer;
  place: DiffPlace;
  go: DiffGo;
}

const COMPONENTS = { changes: ChangesView, calls: CallsView, sources: SourcesView };

const KEYS: readonly KeyWords[] = [
  ["j  k", "in the sources: next and previous line that has changed"],
  ["←  →", "in the chart: frames beside one another; ↑ and ↓ callers and callees"],
  ["+  -", "zoom in and out of the chart; Enter zooms to the frame, Esc shows all"],
  ["g", "in the chart: the sources of the frame"],
  ["t", "theme: as the system, light, dark"],
  ["?", "this help"],
];

function useDiffKeys(go: DiffGo, theme: () => void, help: () => void): void {
  const latest = useRef({ go, theme, help });
  latest.current = { go, theme, help };
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      const view = VIEWS.find((one) => one.key === event.key);
      if (view) latest.current.go({ view: view.id });
      else if (event.key === "t") latest.current.theme();
      else if (event.key === "?") latest.current.help();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

interface Props {
  source: Source;
  names: { before: string; after: string };
  load: (file: File) => void;
}

export function DiffView({ source, names, load }: Props) {
  const [place, go] = useDiffPlace();
  const [theme, nextTheme] = useTheme();
  const [isHelp, setHelp] = useState(false);
  const main = useRef<HTMLDivElement>(null);
  const answer = useAnswer<DiffAnswer>(source, diffQuestion);
  useDiffKeys(go, nextTheme, () => setHelp(true));
  useEffect(() => {
    if (main.current) main.current.scrollTop = 0;
  }, [place.view]);
  const [before, after] = shortNames(names.before, names.after);
  const Component = COMPONENTS[place.view as keyof typeof COMPONENTS];
  return (
    <div class="shell side-away comparison">
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
      <header class="header">
        <span class="brand">
          <Logo />
          <span>scalene diff</span>
        </span>
        <h1 class="program" title={`${names.before} → ${names.after}`}>
          <span class="soft">{before} →</span> <span>{after}</span>
        </h1>
        <ul class="facts" aria-label="The runs">
          {answer.value && <li>{countOf(answer.value.runs_before, "run")} before</li>}
          {answer.value && <li>{countOf(answer.value.runs_after, "run")} after</li>}
        </ul>
        <span class="tools">
          {source.served && <LoadButton load={load} />}
          <button type="button" class="icon" aria-label={THEME_TITLES[theme]} title={THEME_TITLES[theme]} onClick={nextTheme}>
            <ThemeIcon theme={theme} />
          </button>
          <button type="button" class="icon" aria-label="Keys and help" title="Keys and help (?)" onClick={() => setHelp(true)}>
            ?
          </button>
        </span>
      </header>
      <nav class="bar" aria-label="Views">
        <Tabs views={VIEWS} place={place} go={go} />
      </nav>
      <main class="main" aria-label="View">
        <div id="view" ref={main} class={`view view-${place.view}`} role="tabpanel" tabIndex={-1} aria-labelledby={`tab-${place.view}`}>
          {answer.value && <Component source={source} answer={answer.value} place={place} go={go} />}
          <Waiting answer={answer} text="Asking for the comparison" />
        </div>
      </main>
      {isHelp && (
        <HelpDialog views={VIEWS} keys={KEYS} close={() => setHelp(false)}>
          <h2>Certainty</h2>
          <p>
            A change is certain if chance explains it in at most one of twenty comparisons of equal programs; ± is the 95 % interval of
            the one number. What is not certain has no colour.
          </p>
        </HelpDialog>
      )}
    </div>
  );
}
