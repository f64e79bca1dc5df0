// gui/src/views.ts - the table of views: one object each, in the order of their tabs and keys.
//
// All views get the same four properties (view_props.ts) and keep what they show in the place. A view depends on no
// other: it goes to another view by changing the place.
//
// SPDX-License-Identifier: Apache-2.0
import type { ComponentType } from "preact";
import { AiView } from "./ai/ai_view";
import { hasAsync } from "./async/answer";
import { AsyncView } from "./async/async_view";
import { FlameView } from "./flame/flame_view";
import { SandwichView } from "./flame/sandwich_view";
import { FunctionsView } from "./functions/functions_view";
import { LinesView } from "./lines/lines_view";
import { MemoryView } from "./memory/memory_view";
import { stacksQuestion } from "./flame/answer";
import type { Overview } from "./model/answers";
import type { Source } from "./model/source";
import { OverviewView } from "./overview/overview_view";
import { ProcessesView } from "./processes/processes_view";
import { timelineQuestion } from "./timeline/answer";
import { TimelineView } from "./timeline/timeline_view";
import type { ViewProps } from "./view_props";

export interface View {
  /** The name of the view in the address. */
  id: string;
  title: string;
  /** The key that opens it: its number, 0 for the tenth. */
  key: string;
  component: ComponentType<ViewProps>;
  /** Whether it is there in a narrow cell of a notebook. */
  fitsNarrow?: boolean;
  /** Whether it goes on while another one is shown. */
  stays?: boolean;
  /** Whether the profile (or the file it stands in) has anything for it. */
  shown(overview: Overview, source: Source): boolean;
}

const always = () => true;
const hasMemory = (overview: Overview) => overview.memory !== undefined || (overview.gpu?.memory ?? []).length > 1;

/** For views whose data a page without a server may have left out. */
const held = (question: string) => (_: Overview, source: Source) => source.served || source.known(question) !== undefined;

export const VIEWS: readonly View[] = [
  { id: "overview", title: "Overview", key: "1", component: OverviewView, fitsNarrow: true, shown: always },
  { id: "lines", title: "Lines", key: "2", component: LinesView, fitsNarrow: true, shown: always },
  { id: "functions", title: "Functions", key: "3", component: FunctionsView, shown: always },
  { id: "flame", title: "Flame", key: "4", component: FlameView, shown: held(stacksQuestion({ kind: "time", by: "function" })) },
  { id: "sandwich", title: "Sandwich", key: "5", component: SandwichView, shown: held(stacksQuestion({ kind: "time", by: "function" })) },
  { id: "timeline", title: "Timeline", key: "6", component: TimelineView, shown: held(timelineQuestion()) },
  { id: "memory", title: "Memory", key: "7", component: MemoryView, shown: hasMemory },
  { id: "processes", title: "Processes", key: "8", component: ProcessesView, shown: always },
  { id: "ai", title: "AI", key: "9", component: AiView, stays: true, shown: (overview) => overview.served },
  { id: "async", title: "Async", key: "0", component: AsyncView, shown: hasAsync },
];
