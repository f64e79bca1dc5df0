// gui/src/ai/proposal_panel.tsx - a proposal: its difference, what it says, and what can be done with it.
//
// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { Source } from "../model/source";
import type { Measured, Proposal } from "./answers";
import { copyText } from "../state/clipboard";
import { DiffTable } from "./diff_table";
import { words } from "./events";
import { MeasurePanel } from "./measure_panel";

export function ProposalPanel({ source, proposal }: { source: Source; proposal: Proposal }) {
  const [said, setSaid] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isApplied, setApplied] = useState(false);
  const [measured, setMeasured] = useState<Measured | null>(null);
  const isOther = measured !== null && !(measured.same_status && measured.same_output);

  const copy = () => {
    copyText(proposal.imports + proposal.code).then(
      () => setSaid("Copied."),
      () => setError("The browser did not allow copying."),
    );
  };
  const apply = () => {
    setError(null);
    source.post<{ path: string; backup: string }>("api/ai/apply", JSON.stringify({ proposal: proposal.id })).then(
      (answer) => {
        setApplied(true);
        setSaid(`${answer.path} is changed; what it was is in ${answer.backup}.`);
      },
      (reason: unknown) => setError(words(reason)),
    );
  };

  return (
    <section class="panel" aria-labelledby="ai-proposal-title">
      <h2 id="ai-proposal-title">
        Proposal for lines {proposal.first} to {proposal.last} of {proposal.file}
      </h2>
      {proposal.changed && (
        <p class="note bad">The file has changed since the run, or is inside an archive: this is for the text that ran, and cannot be applied.</p>
      )}
      <DiffTable rows={proposal.rows} />
      {proposal.unseen.length > 0 && (
        <div class="note bad ai-unseen" role="alert">
          <p>This is not what it looks like:</p>
          <ul>
            {proposal.unseen.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      {proposal.interface.length > 0 && (
        <div class="note bad ai-interface" role="status">
          <p>Other code may notice, and fail:</p>
          <ul>
            {proposal.interface.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      {proposal.remarks.trim() !== "" && <p class="ai-remarks">{proposal.remarks.trim()}</p>}
      <p class="ai-actions">
        <button type="button" class="button" onClick={copy}>
          Copy
        </button>
        <button type="button" class="button" disabled={isApplied || proposal.changed || isOther} onClick={apply}>
          Apply to the file
        </button>
        <span class="soft">{proposal.path}</span>
        {isOther && <span class="soft">With it the program does something else, so it is not applied.</span>}
      </p>
      {said !== null && <p role="status">{said}</p>}
      {error !== null && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      {!proposal.changed && !isApplied && <MeasurePanel proposal={proposal} onMeasured={setMeasured} />}
    </section>
  );
}
