// gui/src/ai/setup.ts - which service is asked with what, and how much of that the browser remembers.
//
// Keys are remembered only where the user has ticked so, and forgotten when the tick goes.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useState } from "preact/hooks";
import { isText, isTruth, keep, readKept, useKept } from "../state/kept";
import type { Field, Provider, Providers, Setup } from "./answers";

const kept = (field: Field) => `ai.field.${field.id}`;

export interface SetupState {
  provider: Provider;
  setup: Setup;
  keepsKeys: boolean;
  chooseProvider(id: string): void;
  chooseModel(model: string): void;
  setField(field: Field, text: string): void;
  setKeepsKeys(keeps: boolean): void;
}

function readFields(providers: Providers, keepsKeys: boolean): Record<string, string> {
  const values: Record<string, string> = {};
  for (const provider of providers.providers)
    for (const field of provider.fields)
      if (!field.secret || keepsKeys) values[field.id] = readKept(kept(field), "", isText);
  return values;
}

export function useSetup(providers: Providers): SetupState {
  const [id, chooseProvider] = useKept("ai.provider", providers.chosen, isText);
  const provider = providers.providers.find((one) => one.id === id) ?? (providers.providers[0] as Provider);
  const [keepsKeys, setKeeps] = useKept("ai.keep-keys", false, isTruth);
  const [values, setValues] = useState(() => readFields(providers, keepsKeys));
  const [models, setModels] = useState<Record<string, string>>({});
  const modelName = `ai.model.${provider.id}`;
  const model = models[provider.id] ?? readKept(modelName, "", isText);

  const chooseModel = useCallback(
    (next: string) => {
      keep(modelName, next === "" ? undefined : next);
      setModels((last) => ({ ...last, [provider.id]: next }));
    },
    [modelName, provider.id],
  );
  const setField = useCallback(
    (field: Field, text: string) => {
      setValues((last) => ({ ...last, [field.id]: text }));
      if (!field.secret || keepsKeys) keep(kept(field), text === "" ? undefined : text);
    },
    [keepsKeys],
  );
  const setKeepsKeys = useCallback(
    (keeps: boolean) => {
      setKeeps(keeps);
      for (const one of providers.providers)
        for (const field of one.fields)
          if (field.secret) keep(kept(field), keeps && values[field.id] ? values[field.id] : undefined);
    },
    [providers, setKeeps, values],
  );
  const fields: Record<string, string> = {};
  for (const field of provider.fields) {
    const text = values[field.id] ?? "";
    if (text !== "") fields[field.id] = text;
  }
  return {
    provider,
    setup: { provider: provider.id, model, fields },
    keepsKeys,
    chooseProvider,
    chooseModel,
    setField,
    setKeepsKeys,
  };
}

/** The models that are offered without asking; none where the fields that say which are not the environment's. */
export function usualModels(provider: Provider, setup: Setup): string[] {
  const isMoved = provider.fields.some((field) => !field.secret && (setup.fields[field.id] ?? field.value) !== field.value);
  return provider.models_by_field && isMoved ? [] : provider.models;
}

/** What is missing before the service can be asked, or null. */
export function missing(provider: Provider, setup: Setup): string | null {
  const has = (field: Field) => field.set || (field.value ?? "") !== "" || (setup.fields[field.id] ?? "") !== "";
  const absent = provider.fields.filter((field) => field.required && !has(field));
  if (absent.length > 0) return `${provider.name} needs its ${absent.map((field) => field.label).join(" and its ")}.`;
  return null;
}
