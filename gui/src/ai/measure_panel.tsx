// gui/src/ai/measure_panel.tsx - measures a proposal; the user allows it each time, since it runs the proposed code.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";
import type { Compared, Measured, Proposal } from "./answers";
import { TableBox } from "../parts/table_box";
import { askForEvents, isAbort, words } from "./events";

interface Props {
  proposal: Proposal;
  onMeasured: (measured: Measured | null) => void;
}

export function MeasurePanel({ proposal, onMeasured }: Props) {
  const [isAllowed, setAllowed] = useState(false);
  const [command, setCommand] = useState("");
  const [runs, setRuns] = useState<string[]>([]);
  const [measured, setMeasured] = useState<Measured | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [stop, setStop] = useState<AbortController | null>(null);
  const latest = useRef<AbortController | null>(null);
  useEffect(() => () => latest.current?.abort(), []);

  const { run } = proposal;
  const line = command === "" ? run.line : command;

  const measure = () => {
    const control = new AbortController();
    latest.current = control;
    setStop(control);
    setAllowed(false);
    setRuns([]);
    setError(null);
    setMeasured(null);
    onMeasured(null);
    const body = { proposal: proposal.id, allowed: true, command };
    askForEvents<Measured>("api/ai/measure", body, control.signal, (_, data) =>
      setRuns((last) => [...last, (data as { text: string }).text]),
    )
      .then((result) => {
        setMeasured(result);
        onMeasured(result);
      })
      .catch((reason: unknown) => setError(isAbort(reason) ? "Cancelled." : words(reason)))
      .finally(() => setStop(null));
  };

  return (
    <section class="ai-measure" aria-labelledby="ai-measure-title">
      <h3 id="ai-measure-title">Does it help?</h3>
      <p class="note">
        Measuring <strong>runs the proposed code on this machine, as you</strong>, several times, beside the original, in copies of{" "}
        {run.folder === null ? "the program's directory" : <code>{run.folder}</code>}. {line === null ? run.why : "What it runs:"}
      </p>
      {line !== null && (
        <pre class="ai-command" tabIndex={0} aria-label="What is run">
          {line}
        </pre>
      )}
      <div class="ai-field">
        <label for="ai-command">command</label>
        <input
          id="ai-command"
          value={command}
          placeholder={run.line === null ? "" : "the profiled program, with its arguments"}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            setCommand(event.currentTarget.value);
            setAllowed(false);
          }}
        />
      </div>
      <p class="ai-actions">
        <label class="ai-tick">
          <input
            id="ai-allow"
            type="checkbox"
            checked={isAllowed}
            disabled={stop !== null}
            onChange={(event) => setAllowed(event.currentTarget.checked)}
          />
          run it this once
        </label>
        <button type="button" class="button" disabled={!isAllowed || stop !== null || line === null} onClick={measure}>
          Measure
        </button>
        {stop && (
          <button type="button" class="button" onClick={() => stop.abort()}>
            Cancel
          </button>
        )}
      </p>
      {stop && (
        <p role="status" class="soft">
          {runs.at(-1) ?? "copying the program's directory"}
        </p>
      )}
      {error !== null && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      {measured && <MeasuredTable measured={measured} />}
    </section>
  );
}

function status(value: number): string {
  return value < 0 ? `signal ${-value}` : `status ${value}`;
}

function CompareRow({ name, unit, digits, of }: { name: string; unit: string; digits: number; of: Compared }) {
  const sign = of.change_percent > 0 ? "+" : "";
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">
        {of.original.toFixed(digits)} ± {of.original_error.toFixed(digits)} {unit}
      </td>
      <td class="number">
        {of.changed.toFixed(digits)} ± {of.changed_error.toFixed(digits)} {unit}
      </td>
      <td class="number">
        {sign}
        {of.change_percent.toFixed(1)} ± {of.change_error_percent.toFixed(1)} %{of.is_certain ? "" : " (may be chance)"}
      </td>
    </tr>
  );
}

export function MeasuredTable({ measured }: { measured: Measured }) {
  const isSame = measured.same_status && measured.same_output;
  const output = !measured.same_output ? "changed" : measured.is_steady ? "the same" : "differs from run to run";
  return (
    <div class="ai-measured">
      <p class={isSame && !measured.is_unseen ? "note" : "note bad"} role="status">
        {measured.verdict}.
      </p>
      <TableBox name="Original and proposal, measured">
        <table class="table">
          <caption class="unseen">Original and proposal in {measured.rounds} runs each</caption>
          <thead>
            <tr>
              <th scope="col">{measured.rounds} runs each</th>
              <th scope="col" class="number">
                original
              </th>
              <th scope="col" class="number">
                proposal
              </th>
              <th scope="col" class="number">
                change
              </th>
            </tr>
          </thead>
          <tbody>
            <CompareRow name="time" unit="s" digits={3} of={measured.time_s} />
            <CompareRow name={measured.peak_is_footprint ? "peak memory" : "most resident"} unit="MB" digits={1} of={measured.peak_mb} />
            <tr>
              <th scope="row">exit</th>
              <td class="number">{status(measured.original_status)}</td>
              <td class="number">{status(measured.changed_status)}</td>
              <td class="number">{measured.same_status ? "the same" : "changed"}</td>
            </tr>
            <tr>
              <th scope="row">output</th>
              <td colSpan={3}>
                {output}
                {measured.output_difference !== null ? `: ${measured.output_difference}` : ""}
              </td>
            </tr>
          </tbody>
        </table>
      </TableBox>
    </div>
  );
}
