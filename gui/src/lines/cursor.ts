// gui/src/lines/cursor.ts - the row that the keyboard is at.
//
// SPDX-License-Identifier: Apache-2.0
export interface Cursor {
  file: number;
  index: number;
}
