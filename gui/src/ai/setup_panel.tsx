// gui/src/ai/setup_panel.tsx - the service, its fields and its models.
//
// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { Source } from "../model/source";
import type { Field, Providers } from "./answers";
import { words } from "./events";
import { FieldRow } from "./field_row";
import { type SetupState, usualModels } from "./setup";

interface Props {
  source: Source;
  providers: Providers;
  state: SetupState;
}

export function SetupPanel({ source, providers, state }: Props) {
  const { provider, setup } = state;
  const row = (field: Field) => (
    <FieldRow key={field.id} field={field} value={setup.fields[field.id] ?? ""} change={(text) => state.setField(field, text)} />
  );
  const advanced = provider.fields.filter((field) => field.advanced);
  return (
    <section class="panel" aria-labelledby="ai-setup-title">
      <h2 id="ai-setup-title">AI service</h2>
      <div class="ai-field">
        <label for="service-select">service</label>
        <select id="service-select" value={provider.id} onChange={(event) => state.chooseProvider(event.currentTarget.value)}>
          {providers.providers.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
              {one.ready && one.fields.some((field) => field.set) ? " (set up)" : ""}
            </option>
          ))}
        </select>
      </div>
      {provider.fields.filter((field) => !field.advanced).map(row)}
      <ModelRow key={provider.id} source={source} state={state} />
      {advanced.length > 0 && (
        <details class="ai-advanced">
          <summary>More settings</summary>
          {advanced.map(row)}
        </details>
      )}
      {provider.fields.some((field) => field.secret) && (
        <p class="soft">A key that is typed in is kept as long as this page is open, and nowhere else.</p>
      )}
    </section>
  );
}

function ModelRow({ source, state }: { source: Source; state: SetupState }) {
  const { provider, setup } = state;
  const [listed, setListed] = useState<string[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const refresh = () => {
    setBusy(true);
    setError(null);
    source
      .post<{ models: string[] }>("api/ai/models", JSON.stringify(setup))
      .then((answer) => {
        setListed(answer.models);
        if (setup.model === "" && provider.models.length === 0 && answer.models[0] !== undefined) state.chooseModel(answer.models[0]);
      })
      .catch((reason: unknown) => setError(words(reason)))
      .finally(() => setBusy(false));
  };
  const id = `language-model-${provider.id}`;
  const usual = usualModels(provider, setup);
  const models = listed ?? usual;
  const unnamed = provider.models.length > 0 ? "the usual one" : provider.lists_models ? "the service's first" : "its name";
  return (
    <>
      <div class="ai-field">
        <label for={id}>model</label>
        <input
          id={id}
          list={`${id}-list`}
          value={setup.model}
          placeholder={usual[0] ?? unnamed}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => state.chooseModel(event.currentTarget.value)}
        />
        <datalist id={`${id}-list`}>
          {models.map((model) => (
            <option key={model} value={model} />
          ))}
        </datalist>
        {provider.lists_models && (
          <button type="button" class="button quiet" disabled={isBusy} onClick={refresh}>
            {isBusy ? "Asking" : "List models"}
          </button>
        )}
      </div>
      {listed !== null && (
        <p class="soft" role="status">
          {listed.length} models
        </p>
      )}
      {error !== null && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
    </>
  );
}
