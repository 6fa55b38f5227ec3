// SPDX-License-Identifier: BSD-3-Clause
// Makes elements. Text becomes text nodes: nothing from a profile is ever parsed as HTML.

export type Child = Node | string | null | undefined | readonly Child[];
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
}

export function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined) continue;
    if (typeof child === "string") element.append(document.createTextNode(child));
    else if (child instanceof Node) element.append(child);
    else append(element, child as readonly Child[]);
  }
}

/** An HTML element with attributes and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** An SVG element with attributes and children. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

/** The line shown in a section that has no content. */
export function absent(reason: string): HTMLElement {
  return h("p", { class: "absent" }, reason);
}

/** A list of names and values; empty values are left out. */
export function definitions(
  attributes: Attributes,
  rows: readonly (readonly [string, Child])[],
): HTMLElement {
  return h(
    "dl",
    attributes,
    rows
      .filter(([, value]) => value !== "" && value !== null)
      .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

/** A list of short facts about a run, side by side. */
export function facts(rows: readonly (readonly [string, Child])[]): HTMLElement {
  return h(
    "dl",
    { class: "facts" },
    rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

/** A list of lines; nothing for an empty one. */
export function lines(items: readonly string[]): Child {
  return items.length === 0 ? null : h("ul", {}, items.map((item) => h("li", {}, item)));
}

/** A section of the page; the navigation is made from these. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    children,
  );
}

export interface Choice {
  value: string;
  label: string;
}

/** A row of buttons, one of which is pressed. */
export function choices(
  label: string,
  items: readonly Choice[],
  chosen: string,
  choose: (value: string) => void,
): HTMLElement {
  const buttons = items.map((item) => {
    const button = h(
      "button",
      { type: "button", "aria-pressed": String(item.value === chosen) },
      item.label,
    );
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      choose(item.value);
    });
    return button;
  });
  return h("div", { class: "choices", role: "group", "aria-label": label }, buttons);
}
