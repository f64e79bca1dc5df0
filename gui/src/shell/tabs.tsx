// gui/src/shell/tabs.tsx - the views' tabs: arrows move between them, and so do the keys 1 to 9 and 0 anywhere.
//
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "preact/hooks";
import { isBrowsers } from "../state/keys";

/** A view as its tab and its key name it. */
export interface Tab {
  id: string;
  title: string;
  key: string;
}

interface Props {
  views: readonly Tab[];
  place: { view: string };
  go: (step: { view: string }) => void;
}

export function Tabs({ views, place, go }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent) => {
    if (isBrowsers(event)) return;
    const now = views.findIndex((view) => view.id === place.view);
    const moves: Record<string, number> = {
      ArrowRight: (now + 1) % views.length,
      ArrowLeft: (now + views.length - 1) % views.length,
      Home: 0,
      End: views.length - 1,
    };
    const next = views[moves[event.key] ?? -1];
    if (!next) return;
    event.preventDefault();
    go({ view: next.id });
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  useEffect(() => {
    // On a narrow screen the tabs scroll; the current one is brought into sight.
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    const box = list.current;
    if (tab && box) box.scrollLeft = Math.max(0, tab.offsetLeft - box.offsetLeft - (box.clientWidth - tab.offsetWidth) / 2);
  }, [place.view]);
  return (
    <div class="tabs" role="tablist" aria-label="Views" ref={list} onKeyDown={step}>
      {views.map((view) => {
        const isCurrent = view.id === place.view;
        return (
          <button
            key={view.id}
            type="button"
            role="tab"
            id={`tab-${view.id}`}
            class="tab"
            aria-selected={isCurrent}
            aria-controls="view"
            tabIndex={isCurrent ? 0 : -1}
            title={`${view.title} (${view.key})`}
            onClick={() => go({ view: view.id })}
          >
            {view.title}
          </button>
        );
      })}
    </div>
  );
}
