// gui/src/parts/choice.tsx - one of a few, side by side: radio buttons, with the keys of radio buttons.
//
// SPDX-License-Identifier: Apache-2.0
import { useRef } from "preact/hooks";
import { isBrowsers } from "../state/keys";

interface Option<Id extends string> {
  id: Id;
  title: string;
  hint?: string;
}

interface Props<Id extends string> {
  name: string;
  options: readonly Option<Id>[];
  chosen: Id;
  choose: (id: Id) => void;
}

export function Choice<Id extends string>({ name, options, chosen, choose }: Props<Id>) {
  const group = useRef<HTMLDivElement>(null);
  const key = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined || isBrowsers(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const now = options.findIndex((option) => option.id === chosen);
    const next = options[(now + step + options.length) % options.length];
    if (!next) return;
    choose(next.id);
    group.current?.querySelectorAll("button")[options.indexOf(next)]?.focus();
  };
  return (
    <div class="choice" role="radiogroup" aria-label={name} ref={group} onKeyDown={key}>
      {options.map((option) => (
        <button
          key={option.id}
          type="button"
          role="radio"
          aria-checked={option.id === chosen}
          tabIndex={option.id === chosen ? 0 : -1}
          title={option.hint}
          onClick={() => choose(option.id)}
        >
          {option.title}
        </button>
      ))}
    </div>
  );
}
