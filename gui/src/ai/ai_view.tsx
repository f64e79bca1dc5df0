// gui/src/ai/ai_view.tsx - the view "ai".
//
// SPDX-License-Identifier: Apache-2.0
import type { ViewProps } from "../views";

export function AiView({ overview }: ViewProps) {
  return <h2>{overview.title}</h2>;
}
