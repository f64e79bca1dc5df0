// gui/src/shell/header.tsx - which program this is, and the few numbers that everything else is part of.
//
// SPDX-License-Identifier: Apache-2.0
import type { Overview } from "../model/answers";
import { countOf, duration, finePercent, megabytes } from "../model/number";
import type { Source } from "../model/source";
import { THEME_TITLES, type Theme } from "../state/theme";
import type { Live } from "../state/alive";
import { LiveSign } from "./live_sign";
import { LoadButton } from "./load_button";
import { Logo, ThemeIcon } from "./icons";
import { programOf } from "./program";

interface Props {
  source: Source;
  overview: Overview;
  load: (file: File) => void;
  live: Live | undefined;
  pause: (isPaused: boolean) => void;
  theme: Theme;
  nextTheme: () => void;
  help: () => void;
}

interface Fact {
  text: string;
  title: string;
  isBad?: boolean;
}

function facts(overview: Overview): Fact[] {
  const found: Fact[] = [];
  if (overview.elapsed_s > 0) found.push({ text: duration(overview.elapsed_s), title: "Elapsed time of the run" });
  if (overview.cpu_s > 0)
    found.push({
      text: `${duration(overview.cpu_s)} CPU`,
      title: `CPU time of the program: ${overview.cores.toFixed(2)} cores on average`,
    });
  if (overview.processes.length > 1)
    found.push({
      text: countOf(overview.processes.length + (overview.processes_left_out ?? 0), "process", "processes"),
      title: "Processes that were profiled",
    });
  if (overview.memory)
    found.push({ text: `peak ${megabytes(overview.memory.peak_mb)}`, title: "Peak memory in use" });
  if (overview.gpu?.fact)
    found.push({
      text: overview.gpu.fact,
      title: overview.gpu.trace ? "Of the time from the first use of a device on" : "Over the run, as the driver reports it",
    });
  if (overview.cost)
    found.push({
      text: `overhead ${finePercent(overview.cost.percent)}`,
      title: "What profiling cost, as a share of the program's CPU time",
    });
  if (overview.labels !== undefined) found.push({ text: overview.labels, title: "Rank, machine and labels of the run" });
  if (overview.ending !== undefined) found.push({ text: overview.ending, title: "How the program ended", isBad: true });
  return found;
}

export function Header({ source, overview, load, live, pause, theme, nextTheme, help }: Props) {
  const [program, rest] = programOf(overview.command, overview.program);
  return (
    <header class="header">
      <span class="brand">
        <Logo />
        <span>scalene</span>
      </span>
      <h1 class="program" title={overview.command}>
        <span>{program}</span> <span class="soft">{rest}</span>
      </h1>
      <ul class="facts" aria-label="The run">
        {facts(overview).map((fact) => (
          <li key={fact.title} title={fact.title} class={fact.isBad ? "bad" : ""}>
            {fact.text}
          </li>
        ))}
      </ul>
      <span class="tools">
        {live && <LiveSign live={live} elapsed_s={overview.elapsed_s} pause={pause} />}
        {source.served && <LoadButton load={load} />}
        <button type="button" class="icon" aria-label={THEME_TITLES[theme]} title={THEME_TITLES[theme]} onClick={nextTheme}>
          <ThemeIcon theme={theme} />
        </button>
        <button type="button" class="icon" aria-label="Keys and help" title="Keys and help (?)" onClick={help}>
          ?
        </button>
      </span>
    </header>
  );
}
