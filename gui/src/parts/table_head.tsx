// gui/src/parts/table_head.tsx - the headings of a small table.
//
// SPDX-License-Identifier: Apache-2.0

export interface Heading {
  title: string;
  kind?: "number" | "bar"; // absent: text; the heading of a bar is not visible
}

const CLASSES = { number: "number", bar: "bar-column" };

export function TableHead({ headings }: { headings: readonly Heading[] }) {
  return (
    <thead>
      <tr>
        {headings.map(({ title, kind }) => (
          <th key={title} scope="col" class={kind && CLASSES[kind]}>
            {kind === "bar" ? <span class="unseen">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
