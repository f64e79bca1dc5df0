// gui/src/flame/flame_view.tsx - the view "flame".
//
// SPDX-License-Identifier: Apache-2.0
import type { ViewProps } from "../views";

export function FlameView({ overview }: ViewProps) {
  return <h2>{overview.title}</h2>;
}
