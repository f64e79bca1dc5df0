// gui/src/app.tsx - the root: asks for the overview, takes other profiles, and says what it waits for.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Overview } from "./model/answers";
import { overviewQuestion } from "./model/questions";
import { HttpSource, type Source } from "./model/source";
import { DropZone } from "./shell/drop_zone";
import { LoadButton } from "./shell/load_button";
import { Shell } from "./shell/shell";
import { useSlow } from "./state/answer_hook";
import { stayAlive } from "./state/alive";

/** The loaded profile: a new object, with the next number, for each one. */
interface Opened {
  overview: Overview;
  number: number;
}

export function App({ source }: { source: Source }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [loading, setLoading] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const [isThere, setThere] = useState(true);
  const isSlow = useSlow(opened === null && error === null);

  useEffect(() => {
    source.get<Overview>(overviewQuestion).then(
      (overview) => setOpened({ overview, number: 0 }),
      (reason: Error) => setError(reason.message),
    );
    return stayAlive(source, setThere);
  }, [source]);

  useEffect(() => {
    if (opened) document.title = opened.overview.title;
  }, [opened]);

  const load = useCallback(
    (file: File) => {
      setRefused(null);
      setLoading(file.name);
      source
        .post<Overview>("api/load", file)
        .then((overview) => {
          if (source instanceof HttpSource) source.forget();
          history.replaceState(null, "", "#/overview");
          setError(null);
          setOpened((last) => ({ overview, number: (last?.number ?? 0) + 1 }));
        })
        .catch((reason: Error) => setRefused(`${file.name} was not opened: ${reason.message}`))
        .finally(() => setLoading(null));
    },
    [source],
  );

  return (
    <DropZone source={source} load={load} loading={loading} refused={refused} dismiss={() => setRefused(null)}>
      {opened ? (
        <Shell key={opened.number} source={source} overview={opened.overview} load={load} />
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
      {!isThere && opened && (
        <div class="toast bad" role="alert">
          scalene view has ended: what is on the page stays, nothing else can be shown. Start it again to go on.
        </div>
      )}
    </DropZone>
  );
}
