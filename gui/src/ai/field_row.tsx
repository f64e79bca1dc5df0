// gui/src/ai/field_row.tsx - one field of a service; a key is hidden until the user chooses to see it.
//
// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { Field } from "./answers";

interface Props {
  field: Field;
  value: string;
  change: (text: string) => void;
}

export function FieldRow({ field, value, change }: Props) {
  const [isShown, setShown] = useState(false);
  const hint = field.secret ? (field.set ? "set in the environment" : "") : (field.value ?? "");
  const shared = {
    id: field.id,
    value,
    placeholder: hint,
    // values that keep browsers from offering to remember the text
    autocomplete: field.secret ? "one-time-code" : "off",
    autocapitalize: "off",
    spellcheck: false,
    onInput: (event: { currentTarget: HTMLInputElement }) => change(event.currentTarget.value),
  } as const;
  return (
    <div class="ai-field">
      <label for={field.id}>{field.label}</label>
      {field.secret && !isShown ? <input type="password" {...shared} /> : <input type="text" {...shared} />}
      {field.secret && (
        <button
          type="button"
          class="button quiet"
          aria-pressed={isShown}
          aria-label={`${isShown ? "Hide" : "Show"} the ${field.label}`}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? "Hide" : "Show"}
        </button>
      )}
    </div>
  );
}
