// gui/src/state/side.ts - whether the side bar is shown and how wide it is: remembered where there is room beside it.
//
// In a narrow window the bar lies over the view, so it is closed until it is asked for.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useState } from "preact/hooks";
import { isTruth, useKept } from "./kept";
import { useNarrow } from "./narrow";

/** As in shell.css. */
const NARROW_PX = 901;

export const SIDE_LEAST = 160;
export const SIDE_MOST = 520;
export const SIDE_USUAL = 216;

export interface Side {
  isShown: boolean;
  /** It lies over the view. */
  isOver: boolean;
  width: number;
  toggle: () => void;
  close: () => void;
  /** keep: not while it is being dragged. */
  resize: (width: number, keep: boolean) => void;
}

const isWidth = (value: unknown): value is number => typeof value === "number" && value >= SIDE_LEAST && value <= SIDE_MOST;

/** Going somewhere closes a bar that lies over the view: to another address, or once more (visits) to the same. */
export function useSide(address: string, visits: number | undefined): Side {
  const isOver = useNarrow(NARROW_PX);
  const [isAway, setAway] = useKept("side-hidden", false, isTruth);
  const [kept, keepWidth] = useKept("side-width", SIDE_USUAL, isWidth);
  const [dragged, setDragged] = useState<number | null>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [address, visits]);
  const isShown = isOver ? isOpen : !isAway;
  const resize = useCallback(
    (width: number, keep: boolean) => {
      const next = Math.round(Math.min(Math.max(width, SIDE_LEAST), SIDE_MOST));
      setDragged(keep ? null : next);
      if (keep) keepWidth(next);
    },
    [keepWidth],
  );
  return {
    isShown,
    isOver,
    width: dragged ?? kept,
    toggle: () => (isOver ? setOpen(!isOpen) : setAway(!isAway)),
    close: () => (isOver ? setOpen(false) : setAway(true)),
    resize,
  };
}
