// gui/src/ai/ai_view.tsx - the view "ai": asks a service about a place, shows and tries what it proposes.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isText, useKept } from "../state/kept";
import type { ViewProps } from "../view_props";
import "./ai.css";
import type { Proposal, Providers, Target } from "./answers";
import { askForEvents, isAbort, words } from "./events";
import { ProposalPanel } from "./proposal_panel";
import { SetupPanel } from "./setup_panel";
import { missing, otherAddress, useSetup } from "./setup";
import { TargetPanel } from "./target_panel";

export function AiView(props: ViewProps) {
  const { source } = props;
  const [providers, setProviders] = useState<Providers | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    source.post<Providers>("api/ai/providers", "{}").then(setProviders, (reason: unknown) => setError(words(reason)));
  }, [source]);
  if (providers) return <Asking {...props} providers={providers} />;
  if (error === null) return null;
  return (
    <p class="note bad" role="alert">
      {error}
    </p>
  );
}

/** The state of a question: the text received so far, an error, the proposal. */
interface Course {
  text: string;
  error: string | null;
  proposal: Proposal | null;
}

const NOTHING: Course = { text: "", error: null, proposal: null };

function useQuestion() {
  const [course, setCourse] = useState(NOTHING);
  const [isAsking, setAsking] = useState(false);
  const control = useRef<AbortController | null>(null);
  useEffect(() => () => control.current?.abort(), []);
  const ask = useCallback((body: unknown) => {
    control.current?.abort();
    const mine = new AbortController();
    control.current = mine;
    setCourse(NOTHING);
    setAsking(true);
    askForEvents<Proposal>("api/ai/ask", body, mine.signal, (_, data) =>
      setCourse((last) => ({ ...last, text: last.text + (data as { text: string }).text })),
    )
      .then((proposal) => setCourse((last) => ({ ...last, proposal })))
      .catch((reason: unknown) => setCourse((last) => ({ ...last, error: isAbort(reason) ? "Cancelled." : words(reason) })))
      .finally(() => {
        if (control.current === mine) setAsking(false);
      });
  }, []);
  const cancel = useCallback(() => control.current?.abort(), []);
  return { course, isAsking, ask, cancel };
}

function Asking({ source, overview, place, go, providers }: ViewProps & { providers: Providers }) {
  const state = useSetup(providers);
  const [scope, setScope] = useKept("ai.scope", "region", isText);
  const [goal, setGoal] = useKept("ai.goal", "performance", isText);
  const { course, isAsking, ask, cancel } = useQuestion();
  let target: Target | null = null;
  if (place.file !== undefined && place.line !== undefined) {
    target = { file: place.file, name: overview.files[place.file]?.name, lineno: place.line, goal };
    if (place.end !== undefined) target.end_lineno = place.end;
    else target.scope = scope;
  }
  const lacks = missing(state.provider, state.setup);
  const address = otherAddress(state.provider, state.setup);
  return (
    <div class="ai">
      <div class="ai-panels">
        <TargetPanel {...{ source, overview, place, go, target, scope, setScope, goal, setGoal }} />
        <SetupPanel source={source} providers={providers} state={state} />
      </div>
      <p class="ai-actions">
        <button
          type="button"
          class="button ai-ask"
          disabled={target === null || lacks !== null || isAsking}
          onClick={() => ask({ ...state.setup, ...target })}
        >
          Ask {state.provider.name}
        </button>
        {address !== null && (
          <span class="ai-address">
            at <strong>{address}</strong>
          </span>
        )}
        {isAsking && (
          <button type="button" class="button" onClick={cancel}>
            Cancel
          </button>
        )}
        {lacks !== null && <span class="soft">{lacks}</span>}
        {isAsking && <span role="status">{course.text === "" ? "waiting for the answer" : "the answer comes"}</span>}
      </p>
      {course.error !== null && (
        <p class="note bad" role="alert">
          {course.error}
        </p>
      )}
      {course.text !== "" && course.proposal === null && (
        <pre class="ai-answer" tabIndex={0} aria-label="The answer so far">
          {course.text}
        </pre>
      )}
      {course.proposal && <ProposalPanel key={course.proposal.id} source={source} proposal={course.proposal} />}
    </div>
  );
}
