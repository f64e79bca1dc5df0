// gui/src/state/answer_hook.ts - an answer in a component: at once where it is known, else when it comes.
//
// While another question's answer is on its way the last one stays, so that nothing jumps.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";
import type { Source } from "../model/source";

export interface Answer<T> {
  value?: T;
  /** A sentence that says why there is none. */
  error?: string;
  /** Whether the value is of an earlier question. */
  isOld: boolean;
}

export function useAnswer<T>(source: Source, question: string | null): Answer<T> {
  const [, redraw] = useState(0);
  const last = useRef<{ source: Source; question: string | null; value?: T; error?: string }>({ source, question: null });
  const known = question === null ? undefined : source.known<T>(question);
  if (last.current.source !== source) last.current = { source, question: null };
  if (known !== undefined) last.current = { source, question, value: known };
  useEffect(() => {
    if (question === null || source.known<T>(question) !== undefined) return;
    let isWanted = true;
    source.get<T>(question).then(
      (value) => {
        if (!isWanted) return;
        last.current = { source, question, value };
        redraw((n) => n + 1);
      },
      (error: Error) => {
        if (!isWanted) return;
        last.current = { source, question, error: error.message };
        redraw((n) => n + 1);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [source, question]);
  const { value, error } = last.current;
  const isOld = last.current.question !== question;
  return { ...(value === undefined ? {} : { value }), ...(error === undefined || isOld ? {} : { error }), isOld };
}

/** True when `waits` has been true for 200 ms: a shorter wait is not worth a message. */
export function useSlow(waits: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!waits) return;
    const timer = setTimeout(() => setSlow(true), 200);
    return () => clearTimeout(timer);
  }, [waits]);
  return waits && isSlow;
}
