// gui/src/parts/curve_legend.tsx - what each line of a chart of curves is, and in which unit.
//
// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../model/answers";

export interface Series {
  /** A word, for the reading at the pointer. */
  title: string;
  /** What is drawn, for the legend. */
  meaning: string;
  tone: string;
  curve: Curve;
  isFilled: boolean;
}

interface Props {
  curves: readonly Series[];
  /** "MB", "GB" or "%", as on the axis. */
  unit: string;
  /** The highest value of the curve that has the dot; null without one. */
  peak: string | null;
  hasMoment: boolean;
}

export function CurveLegend({ curves, unit, peak, hasMoment }: Props) {
  return (
    <ul class="curve-legend" aria-label="Lines of the chart">
      {[...curves].reverse().map((series) => (
        <li key={series.title}>
          <svg width="22" height="10" aria-hidden="true">
            {series.isFilled && <rect class={`area ${series.tone}`} y="5" width="22" height="5" />}
            <line class={`curve-line ${series.tone}`} x1="0" x2="22" y1="5" y2="5" />
          </svg>
          {series.meaning}, {unit}
        </li>
      ))}
      {peak !== null && (
        <li class="peak">
          <svg width="10" height="10" aria-hidden="true">
            <circle cx="5" cy="5" r="3.5" />
          </svg>
          peak, {peak}
        </li>
      )}
      {hasMoment && (
        <li>
          <svg width="10" height="10" aria-hidden="true">
            <line class="moment-line" x1="5" x2="5" y1="0" y2="10" />
          </svg>
          chosen moment
        </li>
      )}
    </ul>
  );
}
