// gui/src/state/clipboard.ts - copies text, also where the browser denies its clipboard to pages in frames.
//
// SPDX-License-Identifier: Apache-2.0

/** Copies a selected text box, which works without access to the clipboard. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const box = document.createElement("textarea");
  box.value = text;
  box.className = "unseen";
  box.setAttribute("aria-hidden", "true");
  document.body.append(box);
  box.select();
  const isCopied = document.execCommand("copy");
  box.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}

/** Rejects where copying is not allowed. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    if (!copySelected(text)) throw error;
  }
}
