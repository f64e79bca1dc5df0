// gui/src/model/source.ts - where answers come from: the server, or the file the page itself is.
//
// A question is asked by its text, and the text is also the key under which an answer is remembered.
// The rest of the page treats both alike, except for questions that need a server.
//
// SPDX-License-Identifier: Apache-2.0

import type { Overview } from "./answers";
import { numbering } from "./files";
import type { PartPlace } from "./part_words";
import { overviewQuestion } from "./questions";

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

/** An answer from another profile than the answers before it. */
class OutdatedError extends Error {}

/** The server did not answer, or its answer broke off. */
class CutError extends AnswerError {
  constructor() {
    super("The profiler does not answer: scalene view has ended. Start it again to go on.", 0);
  }
}

/** Stands for an error of fetch. */
export function cut(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new CutError();
}

const KEPT = 400;
/** How many of its last questions a page asks of a newer profile before it is shown. */
const CARRIED = 40;

/** The parsed answer of a response; throws an AnswerError with its message if it is an error. */
async function read<T>(response: Response): Promise<T> {
  const text = await response.text().catch(cut);
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

/** Answers of `scalene view` from one profile, relative to the page's address, the latest of them remembered. */
export class HttpSource implements Source {
  readonly served = true;
  /** Called when an answer is from another profile: what is asked for waits until that is shown. */
  outdated: () => void = () => undefined;
  /** Which profile the answers are from; null until the first is here. */
  version: string | null = null;
  /** Whether a question had no answer because the server was not reached: it may be again. */
  isCut = false;
  private readonly answers = new Map<string, unknown>();
  private readonly asked = new Map<string, Promise<unknown>>();
  /** What the page has used, the last at the end. */
  private readonly used = new Set<string>();

  known<T>(question: string): T | undefined {
    this.used.delete(question);
    this.used.add(question);
    return this.answers.get(question) as T | undefined;
  }

  get<T>(question: string): Promise<T> {
    const known = this.known<T>(question);
    if (known !== undefined) return Promise.resolve(known);
    const running = this.asked.get(question);
    if (running) return running as Promise<T>;
    const promise = this.ask<T>(question).catch((error: unknown) => {
      if (error instanceof CutError) this.isCut = true;
      if (!(error instanceof OutdatedError)) throw error;
      this.outdated();
      return new Promise<T>(() => undefined);
    });
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

  /** The profile that the server has now, with the answers that the page uses, so that it can be shown at once. Rejects when it is replaced meanwhile. */
  async successor(before: Overview): Promise<{ source: HttpSource; overview: Overview }> {
    const source = new HttpSource();
    const overview = await source.ask<Overview>(overviewQuestion);
    const numberOf = numbering(before.files, overview.files);
    const again = async (question: string) => {
      const file = /[?&]file=(\d+)/.exec(question)?.[1];
      const number = file === undefined ? 0 : numberOf(Number(file));
      if (number === undefined || question === overviewQuestion) return;
      await source.ask(question.replace(/([?&]file=)\d+/, `$1${number}`)).catch((error: unknown) => {
        if (error instanceof OutdatedError) throw error; // others are met again by who asks
      });
    };
    await Promise.all([...this.used].slice(-CARRIED).map(again));
    return { source, overview };
  }

  private async ask<T>(question: string): Promise<T> {
    const response = await reach(question, { cache: "no-store" });
    const version = response.headers.get("Profile-Version");
    if (version !== null) this.version ??= version;
    const answer = await read<T>(response);
    if (version !== null && version !== this.version) throw new OutdatedError();
    this.answers.set(question, answer);
    if (this.answers.size > KEPT) this.answers.delete(this.answers.keys().next().value as string);
    return answer;
  }
}

function reach(question: string, init: RequestInit): Promise<Response> {
  return fetch(question, init).catch(cut);
}
