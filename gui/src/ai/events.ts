// gui/src/ai/events.ts - questions whose answers come bit by bit, as events.
//
// SPDX-License-Identifier: Apache-2.0
import { cut } from "../model/source";

/** Called for each event, with its name and its parsed JSON. */
type Take = (event: string, data: unknown) => void;

function takeBlock(block: string, take: Take): void {
  let event = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) event = line.slice(7);
    else if (line.startsWith("data: ")) data += line.slice(6);
  }
  if (data !== "") take(event, JSON.parse(data));
}

/** The error message of a response that is no stream of events. */
async function sentence(response: Response): Promise<string> {
  try {
    const answer = (await response.json()) as { error?: unknown };
    if (typeof answer.error === "string") return answer.error;
  } catch {
    // the response is not our JSON
  }
  return `The profiler answered with status ${response.status}.`;
}

/** Asks and resolves with the data of the event "done"; rejects with a sentence, or when aborted. */
export async function askForEvents<T>(question: string, body: unknown, signal: AbortSignal, take: Take): Promise<T> {
  const init: RequestInit = { method: "POST", body: JSON.stringify(body), cache: "no-store", signal };
  const response = await fetch(question, init).catch(cut);
  if (!response.ok || !response.body) throw new Error(await sentence(response));
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let pending = "";
  let result: { value: T } | undefined;
  let error: string | undefined;
  const takeAny = (event: string, data: unknown) => {
    if (event === "done") result = { value: data as T };
    else if (event === "error") error = (data as { error: string }).error;
    else take(event, data);
  };
  for (;;) {
    const { done, value } = await reader.read().catch(cut);
    if (done) break;
    pending += decoder.decode(value, { stream: true });
    const blocks = pending.split("\n\n");
    pending = blocks.pop() ?? "";
    for (const block of blocks) takeBlock(block, takeAny);
  }
  if (result) return result.value;
  throw new Error(error ?? "The profiler ended before the answer was whole.");
}

export const isAbort = (reason: unknown) => reason instanceof DOMException && reason.name === "AbortError";

/** A sentence for whatever was thrown. */
export const words = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));
