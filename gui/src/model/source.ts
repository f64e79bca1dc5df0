// gui/src/model/source.ts - where answers come from: the server, or the file the page itself is.
//
// A question is asked by its text, and the text is also the key under which an answer is remembered.
// The rest of the page treats both alike, except for questions that need a server.
//
// SPDX-License-Identifier: Apache-2.0

import type { PartPlace } from "./part_words";

export interface Source {
  /** Whether there is a server: it can load other profiles, search all source and ask AI services. */
  readonly served: boolean;
  /** The answer to a GET question, as parsed JSON. Rejects with an Error whose message is a sentence. */
  get<T>(question: string): Promise<T>;
  /** Sends a body; the answer as parsed JSON. Rejects like get. */
  post<T>(question: string, body: BodyInit, signal?: AbortSignal): Promise<T>;
  /** The answer at once, if it is known without asking; otherwise undefined. */
  known<T>(question: string): T | undefined;
  /** Without a server: the question of the shortest part of the timeline that is held and contains the span. */
  heldPart?(from_s: number, to_s: number): string | undefined;
  /** Without a server: the part of the run that is held and nearest to the one that is chosen. */
  nearestPart?(chosen: PartPlace): PartPlace | undefined;
}

export class AnswerError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const KEPT = 400;

/** The parsed answer of a response; throws an AnswerError with its message if it is an error. */
async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new AnswerError(`The profiler's answer cannot be read (status ${response.status}).`, response.status);
  }
  if (!response.ok) {
    const sentence = (parsed as { error?: unknown } | null)?.error;
    throw new AnswerError(
      typeof sentence === "string" ? sentence : `The profiler answered with status ${response.status}.`,
      response.status,
    );
  }
  return parsed as T;
}

/** Answers of `scalene view`, relative to the page's address, the latest of them remembered. */
export class HttpSource implements Source {
  readonly served = true;
  private readonly answers = new Map<string, unknown>();
  private readonly asked = new Map<string, Promise<unknown>>();
  private era = 0;

  known<T>(question: string): T | undefined {
    return this.answers.get(question) as T | undefined;
  }

  get<T>(question: string): Promise<T> {
    const known = this.answers.get(question);
    if (known !== undefined) return Promise.resolve(known as T);
    const running = this.asked.get(question);
    if (running) return running as Promise<T>;
    const promise = this.ask<T>(question);
    this.asked.set(question, promise);
    const done = () => {
      if (this.asked.get(question) === promise) this.asked.delete(question);
    };
    promise.then(done, done);
    return promise;
  }

  async post<T>(question: string, body: BodyInit, signal?: AbortSignal): Promise<T> {
    const init: RequestInit = { method: "POST", body, cache: "no-store" };
    if (signal) init.signal = signal;
    return read<T>(await reach(question, init));
  }

  /** Forgets all answers, when another profile has been loaded. */
  forget(): void {
    this.era += 1;
    this.answers.clear();
    this.asked.clear();
  }

  private async ask<T>(question: string): Promise<T> {
    const era = this.era;
    const answer = await read<T>(await reach(question, { cache: "no-store" }));
    if (era === this.era) {
      this.answers.set(question, answer);
      if (this.answers.size > KEPT) this.answers.delete(this.answers.keys().next().value as string);
    }
    return answer;
  }
}

async function reach(question: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(question, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new AnswerError("The profiler does not answer: scalene view has ended. Start it again to go on.", 0);
  }
}
