// gui/src/timeline/timeline_view.tsx - the view "timeline".
//
// SPDX-License-Identifier: Apache-2.0
import type { ViewProps } from "../views";

export function TimelineView({ overview }: ViewProps) {
  return <h2>{overview.title}</h2>;
}
