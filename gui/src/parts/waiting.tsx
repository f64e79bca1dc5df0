// gui/src/parts/waiting.tsx - what a view says while it waits, after a moment, and when it gets nothing.
//
// SPDX-License-Identifier: Apache-2.0
import { type Answer, useSlow } from "../state/answer_hook";

export function Waiting<T>({ answer, text }: { answer: Answer<T>; text: string }) {
  const isSlow = useSlow(answer.isOld && answer.error === undefined);
  if (answer.error !== undefined)
    return (
      <p class="note bad" role="alert">
        {answer.error}
      </p>
    );
  return isSlow ? (
    <p class="note" role="status">
      {text}
    </p>
  ) : null;
}
