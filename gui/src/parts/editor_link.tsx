// gui/src/parts/editor_link.tsx - opens a line in the editor that was chosen in the help.
//
// SPDX-License-Identifier: Apache-2.0
import { editorAddress, titleOf } from "../model/editor";
import { OpenIcon } from "../shell/icons";
import { canJump, isInEditor, isPage, jumpInEditor, useEditor } from "../state/editor_hook";

interface Props {
  path: string;
  line: number;
  /** Only the picture is shown. */
  isSmall?: boolean;
}

export function EditorLink({ path, line, isSmall = false }: Props) {
  const choice = useEditor();
  const address = editorAddress(choice, path, line);
  if (isInEditor() ? !canJump(path) : address === null) return null;
  const text = isInEditor() ? "Open in the editor" : `Open in ${titleOf(choice)}`;
  return (
    <a
      class="editor-link"
      href={address ?? "#"}
      {...(address !== null && isPage(address) ? { target: "_blank", rel: "noopener" } : {})}
      title={`${text}: ${path}:${line}`}
      aria-label={isSmall ? `${text}: ${path.slice(path.lastIndexOf("/") + 1)}` : undefined}
      onClick={(event) => {
        event.stopPropagation();
        if (jumpInEditor(path, line)) event.preventDefault();
      }}
    >
      <OpenIcon />
      {!isSmall && <span>{text}</span>}
    </a>
  );
}
