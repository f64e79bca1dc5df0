// gui/src/state/part_hook.ts - the part of the run that is selected, where its numbers can be had.
//
// SPDX-License-Identifier: Apache-2.0
import { useMemo } from "preact/hooks";
import type { Column, Overview, PartAnswer } from "../model/answers";
import { isPart, isStretch, type PartPlace, partColumns, partQuery, partWords } from "../model/part_words";
import { partQuestion } from "../model/questions";
import type { Source } from "../model/source";
import { useAnswer } from "./answer_hook";
import type { Place } from "./place";

export interface RunPart {
  /** Whether the tables' times are those of a part of the run. */
  isPart: boolean;
  /** What the tables' questions have behind them. */
  query: string;
  columns: Column[];
  /** Samples of all times together. */
  samples: number | undefined;
  /** The part of a file in %; undefined for the whole run, and while it is not known. */
  fileShare(file: number): number | undefined;
  /** Why a part that is selected cannot be shown. */
  error: string | undefined;
}

/** What of a place the profile does not have. */
function whyNot(overview: Overview, place: PartPlace): string | undefined {
  if (isStretch(place) && !overview.parts.timeline) return "the profile has no timeline, so it has the numbers of the whole run only";
  if (place.time !== undefined && !overview.parts.waiting_stacks) return "the profile does not have waiting apart from other time";
  return undefined;
}

/** The part of it that is to be had: a file without a server has one kind of time, but neither spans nor threads. */
function partOf(source: Source, place: Place): PartPlace {
  return source.served || place.time === undefined ? place : { time: place.time };
}

export function useRunPart(source: Source, overview: Overview, at: Place): RunPart {
  const place = partOf(source, at);
  const { from, to, thread, time } = place;
  const isWanted = isPart(place);
  const reason = whyNot(overview, place);
  const answer = useAnswer<PartAnswer>(source, isWanted && reason === undefined ? partQuestion(place) : null);
  const value = answer.isOld ? undefined : answer.value;
  const error = isWanted ? (reason ?? answer.error) : undefined;
  return useMemo(() => {
    if (!isWanted || error !== undefined)
      return {
        isPart: false,
        query: "",
        columns: overview.columns,
        samples: overview.total_samples,
        fileShare: () => undefined,
        error,
      };
    const shares = new Map(value?.files);
    return {
      isPart: true,
      query: partQuery({ from, to, thread, time }),
      columns: partColumns(overview.columns, partWords(overview, { from, to, thread, time })),
      samples: value?.samples,
      fileShare: (file) => value && (shares.get(file) ?? 0),
      error: undefined,
    };
  }, [isWanted, error, value, from, to, thread, time, overview]);
}
