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
  /** Whether the numbers of times are those of a part of the run. */
  isPart: boolean;
  /** Which part: what is selected, or what a file without a server has in its place; nothing for the whole run. */
  place: PartPlace;
  /** What the tables' questions have behind them. */
  query: string;
  columns: Column[];
  /** Samples of all times together. */
  samples: number | undefined;
  /** What the part costs where; undefined for the whole run, and while it is not known. */
  answer: PartAnswer | undefined;
  /** The part of a file in %; undefined for the whole run, and while it is not known. */
  fileShare(file: number): number | undefined;
  /** Why a part that is selected cannot be shown. */
  error: string | undefined;
  /** A class for what has the numbers of the whole run, though a part of it is selected. */
  whole: string;
}

/** What of a place the profile does not have. */
function whyNot(overview: Overview, place: PartPlace): string | undefined {
  if (isStretch(place) && !overview.parts.timeline) return "the profile has no timeline, so it has the numbers of the whole run only";
  if (place.time !== undefined && !overview.parts.waiting_stacks) return "the profile does not have waiting apart from other time";
  if (place.unit !== undefined && !overview.parts.unit_stacks) return "the profile does not say at which stacks its units of work were";
  return undefined;
}

const NOT_HELD = "this file does not hold that, scalene view shows it: what is here is of the whole run";

export function useRunPart(source: Source, overview: Overview, at: Place): RunPart {
  const isWanted = isPart(at);
  const why = whyNot(overview, at);
  const near = !isWanted ? {} : source.nearestPart ? source.nearestPart(at) : at;
  const { from, to, thread, unit, time } = near ?? {};
  const reason = why ?? (near === undefined ? NOT_HELD : undefined);
  const answer = useAnswer<PartAnswer>(source, isWanted && reason === undefined ? partQuestion({ from, to, thread, unit, time }) : null);
  const value = answer.isOld ? undefined : answer.value;
  const error = isWanted ? (reason ?? answer.error) : undefined;
  return useMemo(() => {
    if (!isWanted || error !== undefined)
      return {
        isPart: false,
        place: {},
        query: "",
        columns: overview.columns,
        samples: overview.total_samples,
        answer: undefined,
        fileShare: () => undefined,
        error,
        whole: error === undefined ? "" : " of-whole",
      };
    const shares = new Map(value?.files);
    const place = { from, to, thread, unit, time };
    return {
      isPart: true,
      place,
      query: partQuery(place),
      columns: partColumns(overview.columns, partWords(overview, place)),
      samples: value?.samples,
      answer: value,
      fileShare: (file) => value && (shares.get(file) ?? 0),
      error: undefined,
      whole: " of-whole",
    };
  }, [isWanted, error, value, from, to, thread, unit, time, overview]);
}
