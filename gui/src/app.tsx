// gui/src/app.tsx - the root: asks for the overview, takes other profiles, and says what it waits for.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Source } from "./model/source";
import { DiffView } from "./diff/diff_view";
import { DropZone } from "./shell/drop_zone";
import { LoadButton } from "./shell/load_button";
import { Shell } from "./shell/shell";
import type { Live, Served } from "./state/alive";
import { useSlow } from "./state/answer_hook";
import { Profile } from "./state/carried";
import { useOpened } from "./state/opened";

export function App({ source }: { source: Source }) {
  const { opened, error, served, setServed, open } = useOpened(source);
  const [loading, setLoading] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const known = useRef<Live | undefined>(undefined);
  if (served) known.current = served.live;
  const last = served === null ? known.current : undefined;
  const live = last ? { ...last, is_growing: false, is_paused: false, ending: last.ending ?? "not followed any more" } : served?.live;
  const isSlow = useSlow(opened === null && error === null);

  useEffect(() => {
    if (opened) document.title = opened.overview.title;
  }, [opened]);

  const load = useCallback(
    (file: File) => {
      setRefused(null);
      setLoading(file.name);
      source
        .post("api/load", file)
        .then(open)
        .catch((reason: Error) => setRefused(`${file.name} was not opened: ${reason.message}`))
        .finally(() => setLoading(null));
    },
    [source],
  );
  const pause = useCallback(
    (isPaused: boolean) => void source.post<Served>("api/pause", isPaused ? "1" : "0").then(setServed, () => undefined),
    [source],
  );

  return (
    <DropZone source={source} load={load} loading={loading} refused={refused} dismiss={() => setRefused(null)}>
      {opened ? (
        <Profile.Provider value={opened.overview}>
          {opened.overview.comparison ? (
            <DiffView key={opened.number} source={opened.source} names={opened.overview.comparison} load={load} />
          ) : (
            <Shell key={opened.number} source={opened.source} overview={opened.overview} load={load} live={live} pause={pause} />
          )}
        </Profile.Provider>
      ) : (
        <main class="blank" aria-busy={error === null}>
          {error !== null && (
            <div role="alert">
              <h1>There is nothing to show</h1>
              <p>{error}</p>
              {source.served && <LoadButton load={load} isLarge />}
            </div>
          )}
          {isSlow && <p role="status">Reading the profile</p>}
        </main>
      )}
      {served?.live?.trouble && (
        <div class="toast bad" role="alert">
          What is on the page stays, the newest profile cannot be shown: {served.live.trouble}
        </div>
      )}
      {served === null && opened && (
        <div class="toast bad" role="alert">
          {last?.ending ? `The program: ${last.ending}. scalene live has ended, too` : "scalene view has ended"}: what is on the page stays,
          nothing else can be shown. Start it again to go on.
        </div>
      )}
    </DropZone>
  );
}
