// gui/src/lines/calls_panel.tsx - where the chosen line is called from, and what it calls, below the lines.
//
// SPDX-License-Identifier: Apache-2.0
import type { CallShare, CallsAnswer, Overview } from "../model/answers";
import { count, finePercent } from "../model/number";
import { callsQuestion } from "../model/questions";
import type { Source } from "../model/source";
import { EditorLink } from "../parts/editor_link";
import { PathText } from "../parts/path_text";
import { ShareBar } from "../parts/share_bar";
import { Waiting } from "../parts/waiting";
import { Caret } from "../shell/icons";
import { useAnswer } from "../state/answer_hook";
import { isTruth, useKept } from "../state/kept";
import type { RunPart } from "../state/part_hook";
import type { Go } from "../state/place_hook";

interface Props {
  source: Source;
  overview: Overview;
  file: number;
  line: number;
  part: RunPart;
  go: Go;
}

const nameOfPath = (path: string | undefined) => path?.slice(path.lastIndexOf("/") + 1) ?? "";

interface ListProps {
  title: string;
  none: string;
  shares: readonly CallShare[];
  leftOut: number;
  /** The time of the line with all that it calls, in % of the run or the part of it. */
  whole: number;
  of: string;
  overview: Overview;
  go: Go;
}

function CallsList({ title, none, shares, leftOut, whole, of, overview, go }: ListProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {shares.length === 0 && <p class="soft">{none}</p>}
      <ul>
        {shares.map((share) => {
          const { file, line } = share;
          const place = file === undefined ? nameOfPath(share.path) : `${overview.files[file]?.short_name ?? ""}:${line ?? ""}`;
          const hint = `${share.percent.toFixed(2)} % of ${of}, ${finePercent((100 * share.percent) / (whole || 1))} of the line's time with calls`;
          const content = (
            <>
              <span class="call-share">{finePercent(share.percent)}</span>
              <ShareBar percent={(100 * share.percent) / (whole || 1)} tone={share.kind === "python" ? "python" : share.kind === "kernel" ? "system" : "native"} />
              <span class="call-name code">{share.name}</span>
              <span class="soft call-place">
                <PathText text={place} />
              </span>
            </>
          );
          return (
            <li key={`${share.name}:${share.path}:${line}`}>
              {file !== undefined && line !== undefined ? (
                <button type="button" class="call" title={`${hint}. Go to the line`} onClick={() => go({ view: "lines", file, line })}>
                  {content}
                </button>
              ) : (
                <span class="call" title={hint}>
                  {content}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {leftOut > 0 && <p class="soft">and {count(leftOut)} more</p>}
    </section>
  );
}

export function CallsPanel({ source, overview, file, line, part, go }: Props) {
  const [isOpen, setOpen] = useKept("calls-open", true, isTruth);
  const isOfPart = part.isPart && source.served; // a file holds the whole run's alone
  const answer = useAnswer<CallsAnswer>(source, isOpen ? callsQuestion(file, line, isOfPart ? part.query : "") : null);
  const calls = answer.isOld ? undefined : answer.value;
  const isNowhere = calls !== undefined && calls.percent === 0;
  const covered = calls?.stacks_percent !== undefined && calls.stacks_percent < 99.5;
  return (
    <section
      class={isOpen ? "calls-panel open" : "calls-panel"}
      aria-label="Callers and callees"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        document.querySelector<HTMLElement>(".lines .scroller")?.focus();
        event.stopPropagation();
      }}
    >
      <h2>
        <button type="button" class="calls-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Caret isOpen={isOpen} />
          <span>
            Callers and callees of {overview.files[file]?.short_name}:{line}
          </span>
        </button>
        <EditorLink path={overview.files[file]?.name ?? ""} line={line} />
      </h2>
      {isOpen && (
        <div class="calls-body" tabIndex={0} role="region" aria-label={`Callers and callees of line ${line}`}>
          {isNowhere && <p class="soft">No stack of {isOfPart ? "this part of the run" : "the profile"} goes through this line.</p>}
          {calls && !isNowhere && (
            <div class={part.isPart && !isOfPart ? "calls-lists of-whole" : "calls-lists"}>
              <CallsList
                title="Called from"
                none="Nothing: the program, or a thread, begins here."
                shares={calls.callers}
                leftOut={calls.callers_left_out}
                whole={calls.percent}
                of={isOfPart ? "this part" : "the run"}
                overview={overview}
                go={go}
              />
              <CallsList
                title="Calls"
                none="Nothing that was seen: all of its time is its own."
                shares={calls.callees}
                leftOut={calls.callees_left_out}
                whole={calls.percent}
                of={isOfPart ? "this part" : "the run"}
                overview={overview}
                go={go}
              />
            </div>
          )}
          {calls && part.isPart && !isOfPart && <p class="soft">Shares are those of all time of the whole run.</p>}
          {calls && covered && <p class="soft">Shares of the run, from its stacks, which have {finePercent(calls.stacks_percent ?? 0)} of its time.</p>}
          {!calls && <Waiting answer={answer} text="Asking who calls the line" />}
        </div>
      )}
    </section>
  );
}
