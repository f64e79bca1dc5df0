// gui/src/ask.ts - asks a question: the answers inside the page first, then the server.
//
// SPDX-License-Identifier: Apache-2.0

const inside = document.getElementById("answers");
const answers: Record<string, unknown> | null = inside === null ? null : JSON.parse(inside.textContent ?? "{}");

/** Whether this is the standalone file, which has no server behind it. */
export const isStandalone = answers !== null;

/** The answer to a question like "api/overview"; rejects with an Error of one sentence. */
export async function ask<Answer>(question: string): Promise<Answer> {
  if (answers !== null) {
    const answer = answers[question];
    if (answer === undefined) throw new Error("this file does not hold that");
    return answer as Answer;
  }
  const response = await fetch(question, { cache: "no-store" });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error((answer as { error?: string }).error ?? "the server gave no answer");
  return answer as Answer;
}
