// gui/src/ai/target_panel.tsx - the place and the goal of a question, and its text before it is sent.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import type { Overview } from "../model/answers";
import type { Source } from "../model/source";
import { Choice } from "../parts/choice";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import type { Prompt, Target } from "./answers";
import { isAbort, words } from "./events";

const SCOPES = [
  { id: "region", title: "Innermost loop", hint: "The innermost loop around the line, else its function" },
  { id: "line", title: "Line" },
  { id: "loop", title: "Outermost loop" },
  { id: "function", title: "Function" },
] as const;
const GOALS = [
  { id: "performance", title: "Less time" },
  { id: "memory", title: "Less memory" },
] as const;

interface Props {
  source: Source;
  overview: Overview;
  place: Place;
  go: Go;
  target: Target | null;
  scope: string;
  setScope: (scope: string) => void;
  goal: string;
  setGoal: (goal: string) => void;
}

export function TargetPanel(props: Props) {
  const { source, overview, place, go, target, scope, goal } = props;
  return (
    <section class="panel" aria-labelledby="ai-target-title">
      <h2 id="ai-target-title">Code to improve</h2>
      <div class="ai-field">
        <label for="ai-file">file</label>
        <select
          id="ai-file"
          value={place.file === undefined ? "" : String(place.file)}
          onChange={(event) => go({ file: Number(event.currentTarget.value), line: 1 })}
        >
          {place.file === undefined && <option value="">choose one</option>}
          {overview.files.map((file, index) => (
            <option key={file.name} value={String(index)}>
              {file.short_name}
            </option>
          ))}
        </select>
      </div>
      <div class="ai-field">
        <label for="ai-line">line</label>
        <input
          id="ai-line"
          type="number"
          min={1}
          value={place.line ?? ""}
          disabled={place.file === undefined}
          onChange={(event) => {
            const line = event.currentTarget.valueAsNumber;
            if (line >= 1) go({ line });
          }}
        />
        {place.end !== undefined && (
          <span>
            to {place.end}{" "}
            <button type="button" class="button quiet" onClick={() => go({ line: place.line })}>
              Change
            </button>
          </span>
        )}
      </div>
      {place.end === undefined && (
        <div class="ai-field">
          <span class="ai-label">replace</span>
          <Choice name="What is replaced" options={SCOPES} chosen={scope as "region"} choose={props.setScope} />
        </div>
      )}
      <div class="ai-field">
        <span class="ai-label">goal</span>
        <Choice name="What is wanted" options={GOALS} chosen={goal as "performance"} choose={props.setGoal} />
      </div>
      {target ? <Preview source={source} target={target} /> : <HotPlaces overview={overview} go={go} />}
    </section>
  );
}

/** The hottest places, offered when no place is chosen. */
function HotPlaces({ overview, go }: { overview: Overview; go: Go }) {
  return (
    <>
      <p class="soft">Choose a place: with the button beside a line or a finding, or one of the hottest.</p>
      <ul class="ai-places">
        {overview.hot_lines.map((hot) => (
          <li key={hot.place}>
            <button type="button" class="link" onClick={() => go({ file: hot.file, line: hot.lineno })}>
              {hot.place}
            </button>{" "}
            <code>{hot.text.trim()}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

function Preview({ source, target }: { source: Source; target: Target }) {
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  const [error, setError] = useState<string | null>(null);
  const body = JSON.stringify(target);
  useEffect(() => {
    const stop = new AbortController();
    setError(null);
    source.post<Prompt>("api/ai/prompt", body, stop.signal).then(setPrompt, (reason: unknown) => {
      if (isAbort(reason)) return;
      setPrompt(null);
      setError(words(reason));
    });
    return () => stop.abort();
  }, [source, body]);
  if (error !== null)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    );
  if (!prompt) return null;
  const size = prompt.system.length + prompt.user.length;
  return (
    <>
      <p>
        Lines {prompt.place.first} to {prompt.place.last} of {prompt.place.file}.
        {prompt.notes.map((note) => (
          <span key={note} class="soft">
            {" "}
            {note}.
          </span>
        ))}
      </p>
      <details class="ai-prompt">
        <summary>Preview request ({size.toLocaleString("en")} characters)</summary>
        <pre tabIndex={0}>{`${prompt.system}\n${prompt.user}`}</pre>
      </details>
    </>
  );
}
