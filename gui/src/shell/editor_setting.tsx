// gui/src/shell/editor_setting.tsx - which editor lines are opened in.
//
// SPDX-License-Identifier: Apache-2.0
import { CUSTOM, EDITORS, isTemplate } from "../model/editor";
import { chooseEditor, useEditor } from "../state/editor_hook";

export function EditorSetting() {
  const choice = useEditor();
  const isCustom = choice.id === CUSTOM;
  const isWrong = isCustom && choice.template !== "" && !isTemplate(choice.template);
  return (
    <div class="editor-setting">
      <label>
        <span>Lines are opened in</span>
        <select value={choice.id} onChange={(event) => chooseEditor({ ...choice, id: event.currentTarget.value })}>
          {EDITORS.map((editor) => (
            <option key={editor.id} value={editor.id}>
              {editor.title}
            </option>
          ))}
          <option value={CUSTOM}>another editor</option>
        </select>
      </label>
      {isCustom && (
        <label>
          <span>Address with {"{path}"} and {"{line}"}</span>
          <input
            type="text"
            class="code"
            spellcheck={false}
            placeholder="editor://open?file={path}&line={line}"
            value={choice.template}
            aria-invalid={isWrong}
            onInput={(event) => chooseEditor({ ...choice, template: event.currentTarget.value.trim() })}
          />
        </label>
      )}
      {isWrong && (
        <p class="bad" role="alert">
          This is not followed: it needs {"{path}"}, and the scheme of a program on this machine.
        </p>
      )}
    </div>
  );
}
