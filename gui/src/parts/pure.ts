// gui/src/parts/pure.ts - a component that is drawn again only when what it is given has changed.
//
// SPDX-License-Identifier: Apache-2.0
import { Component } from "preact";

export abstract class Pure<Props extends object> extends Component<Props> {
  override shouldComponentUpdate(next: Readonly<Props>): boolean {
    const now = this.props as Record<string, unknown>;
    const then = next as Record<string, unknown>;
    for (const key in then) if (key !== "children" && then[key] !== now[key]) return true;
    return false;
  }
}
