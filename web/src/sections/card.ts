// SPDX-License-Identifier: BSD-3-Clause
// Cards of findings, causes and patterns: a title, its severity, and what is known about it.
import { definitions, h } from "../dom";
import type { Attributes, Child } from "../dom";

export interface Card {
  severity: string;
  /** The tag before the title; without it there is none. */
  tag?: string;
  title: string;
  id?: string;
  button?: Child;
  /** Names and values; empty values are left out. */
  rows: readonly (readonly [string, Child])[];
  attributes?: Attributes;
}

/** The severity of what costs this share of the ranks' time. */
export function severity_of(share: number): string {
  return share > 0.05 ? "high" : share > 0.01 ? "medium" : "low";
}

export function make_card(card: Card): HTMLElement {
  return h(
    "article",
    { class: `finding ${card.severity}`, ...card.attributes },
    h(
      "div",
      { class: "finding-head" },
      card.tag === undefined ? null : h("span", { class: "severity" }, card.tag),
      h("h3", {}, card.title),
      card.id === undefined || card.id === ""
        ? null
        : h("code", { class: "finding-id" }, card.id),
      card.button,
    ),
    definitions({}, card.rows),
  );
}
