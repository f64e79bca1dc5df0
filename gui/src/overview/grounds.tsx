// gui/src/overview/grounds.tsx - what the numbers rest on: samples, errors, losses, cost, what is not shown.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { count, duration, finePercent } from "../model/number";

export function Grounds({ overview }: { overview: Overview }) {
  const { quality, losses, cost, hidden_files: hidden, left_out: leftOut } = overview;
  const lost = losses.filter((loss) => loss.count > 0);
  return (
    <div class="grounds">
      <ul>
        {quality.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {(leftOut ?? []).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <div class="ground-tables">
        {cost && (
          <dl class="pairs" aria-label="Cost of the profiler">
            <div>
              <dt>overhead inside the program</dt>
              <dd>{duration(cost.handler_cpu_s)} CPU</dd>
            </div>
            <div>
              <dt>overhead beside it</dt>
              <dd>{duration(cost.observer_cpu_s)} CPU</dd>
            </div>
            <div>
              <dt>together, of the program's CPU time</dt>
              <dd>{finePercent(cost.percent)}</dd>
            </div>
          </dl>
        )}
        {lost.length > 0 && (
          <dl class="pairs" aria-label="Losses">
            {lost.map((loss) => (
              <div key={loss.id}>
                <dt>{loss.text}</dt>
                <dd>{count(loss.count)}</dd>
              </div>
            ))}
          </dl>
        )}
        {hidden.length > 0 && (
          <dl class="pairs" aria-label="Files that are not shown">
            {hidden.map((file) => (
              <div key={file.name}>
                <dt title={file.name}>
                  {file.short_name} <span class="soft">{file.reason}</span>
                </dt>
                <dd>{finePercent(file.percent)}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </div>
  );
}
