// gui/src/overview/findings.tsx - what can be done: one sentence each, with its place and the way to ask.
//
// SPDX-License-Identifier: Apache-2.0
import type { Finding, Overview } from "../model/answers";
import type { Go } from "../state/place_hook";
import { Lightning } from "../shell/icons";

/** Splits a sentence at the place it names, so that the place can be a link. */
export function splitAtPlace(text: string, name: string, lineno: number): [string, string, string] | null {
  let at = text.indexOf(`${name}:${lineno}`);
  if (at < 0 || name === "") return null;
  let end = at + `${name}:${lineno}`.length;
  const range = /^-\d+/.exec(text.slice(end));
  if (range) end += range[0].length;
  else if (/^\d/.test(text.slice(end))) at = -1;
  return at < 0 ? null : [text.slice(0, at), text.slice(at, end), text.slice(end)];
}

function Sentence({ finding, overview, go }: { finding: Finding; overview: Overview; go: Go }) {
  const { text, file, lineno } = finding;
  if (file === undefined || lineno === undefined) return <>{text}</>;
  const summary = overview.files[file];
  const open = () => go({ view: "lines", file, line: lineno, end: finding.end_lineno });
  const parts = splitAtPlace(text, summary?.short_name ?? "", lineno) ?? splitAtPlace(text, summary?.name ?? "", lineno);
  if (!parts)
    return (
      <>
        {text}{" "}
        <button type="button" class="link" onClick={open}>
          {summary?.short_name}:{lineno}
        </button>
      </>
    );
  return (
    <>
      {parts[0]}
      <button type="button" class="link" onClick={open}>
        {parts[1]}
      </button>
      {parts[2]}
    </>
  );
}

export function Findings({ overview, go }: { overview: Overview; go: Go }) {
  if (overview.findings.length === 0)
    return <p class="soft">No advice: nothing here is known to be better done in another way.</p>;
  return (
    <ol class="findings">
      {overview.findings.map((finding, index) => (
        <li key={finding.file === undefined ? `${finding.id}:${index}` : `${finding.id}:${overview.files[finding.file]?.name}:${finding.lineno}`}>
          <div class="finding">
            <p>
              <Sentence finding={finding} overview={overview} go={go} />
            </p>
            {finding.why !== undefined && (
              <details>
                <summary>Why this?</summary>
                <p class="soft">{finding.why}</p>
              </details>
            )}
          </div>
          {finding.can_ask && overview.served && finding.file !== undefined && (
            <button
              type="button"
              class="button small"
              onClick={() => go({ view: "ai", file: finding.file, line: finding.lineno, end: finding.end_lineno })}
            >
              <Lightning /> Ask
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}
