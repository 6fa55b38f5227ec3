// SPDX-License-Identifier: BSD-3-Clause
// A line of code with a button that copies it.
import { h } from "../dom";

async function copy(text: string, code: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    // Without access to the clipboard, select the text so that the user can copy it.
    const selection = getSelection();
    selection?.selectAllChildren(code);
    return "Selected";
  }
}

/** Shows `text` as code with a copy button. */
export function make_code(text: string, name: string, look = ""): HTMLElement {
  const code = h("code", {}, text);
  const button = h(
    "button",
    { type: "button", class: "copy", "aria-label": `Copy the ${name}` },
    "Copy",
  );
  button.addEventListener("click", () => {
    void copy(text, code).then((label) => {
      button.textContent = label;
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
  });
  return h("div", { class: `code ${look}` }, h("pre", {}, code), button);
}
