// gui/src/parts/pick.tsx - one of many, in a list that opens.
//
// SPDX-License-Identifier: Apache-2.0

interface Props {
  name: string;
  /** Values and what is shown of each. */
  options: readonly (readonly [string, string])[];
  chosen: string;
  choose: (value: string) => void;
}

export function Pick({ name, options, chosen, choose }: Props) {
  return (
    <span class="pick">
      <select aria-label={name} value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([value, title], index) => (
          <option key={index} value={value}>
            {title}
          </option>
        ))}
      </select>
    </span>
  );
}
