// gui/src/ai/setup.ts - which service is asked with what, as long as the page is open.
//
// Nothing of it is remembered in the browser. What a page keeps there belongs to its address, and the port of a server
// that has ended may be another user's the next time: he would read the keys, and say where the next ones are sent.
//
// SPDX-License-Identifier: Apache-2.0
import { useCallback, useState } from "preact/hooks";
import type { Field, Provider, Providers, Setup } from "./answers";

export interface SetupState {
  provider: Provider;
  setup: Setup;
  chooseProvider(id: string): void;
  chooseModel(model: string): void;
  setField(field: Field, text: string): void;
}

export function useSetup(providers: Providers): SetupState {
  const [id, chooseProvider] = useState(providers.chosen);
  const provider = providers.providers.find((one) => one.id === id) ?? (providers.providers[0] as Provider);
  const [values, setValues] = useState<Record<string, string>>({});
  const [models, setModels] = useState<Record<string, string>>({});
  const chooseModel = useCallback((next: string) => setModels((last) => ({ ...last, [provider.id]: next })), [provider.id]);
  const setField = useCallback((field: Field, text: string) => setValues((last) => ({ ...last, [field.id]: text })), []);
  const fields: Record<string, string> = {};
  for (const field of provider.fields) {
    const text = values[field.id] ?? "";
    if (text !== "") fields[field.id] = text;
  }
  return { provider, setup: { provider: provider.id, model: models[provider.id] ?? "", fields }, chooseProvider, chooseModel, setField };
}

/** Where the service is, if that is not where it usually is. */
export function otherAddress(provider: Provider, setup: Setup): string | null {
  for (const field of provider.fields) {
    const address = setup.fields[field.id] ?? field.value;
    if (field.address && address !== undefined && address !== field.usual) return address;
  }
  return null;
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
