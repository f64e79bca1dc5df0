// gui/src/ai/setup.ts - the chosen service, its model and its fields, kept as long as the page is open.
//
// None of it is stored in the browser. What a page stores there belongs to its address, and another user's server may
// later get the port of a server that has ended: its page could read the keys, and set where the next ones are sent.
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

interface Typed {
  chosen?: string;
  values: Record<string, string>;
  models: Record<string, string>;
}

/** Outlives the view, which is left and met again. */
let typed: Typed = { values: {}, models: {} };

export function useSetup(providers: Providers): SetupState {
  const [, redraw] = useState(0);
  const change = useCallback((step: Partial<Typed>) => {
    typed = { ...typed, ...step };
    redraw((n) => n + 1);
  }, []);
  const { values, models } = typed;
  const id = typed.chosen ?? providers.chosen;
  const provider = providers.providers.find((one) => one.id === id) ?? (providers.providers[0] as Provider);
  const chooseProvider = (next: string) => change({ chosen: next });
  const chooseModel = (next: string) => change({ models: { ...typed.models, [provider.id]: next } });
  const setField = (field: Field, text: string) => change({ values: { ...typed.values, [field.id]: text } });
  const fields: Record<string, string> = {};
  for (const field of provider.fields) {
    const text = values[field.id] ?? "";
    if (text !== "") fields[field.id] = text;
  }
  return { provider, setup: { provider: provider.id, model: models[provider.id] ?? "", fields }, chooseProvider, chooseModel, setField };
}

/** The address of the service, if it is not the default one; otherwise null. */
export function otherAddress(provider: Provider, setup: Setup): string | null {
  for (const field of provider.fields) {
    const address = setup.fields[field.id] ?? field.value;
    if (field.address && address !== undefined && address !== field.usual) return address;
  }
  return null;
}

/** The models offered without asking; none if they depend on fields and one differs from the environment's value. */
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
