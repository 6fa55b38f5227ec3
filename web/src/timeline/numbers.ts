// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a window: the ranks' time by category, as bars and as a table.
import { categories, category_names, rank_numbers } from "../data/timeline";
import { h } from "../dom";
import { exact, percent, time } from "../format";
import type { PlainTable } from "../table";
import { range_text } from "./axis";
import { spent_between } from "./model";
import type { Model } from "./model";
import type { Palette } from "./palette";
import type { Span } from "./view";

/** Time by category of each rank [first, last) in a window, ns. */
function spent_by_rank(model: Model, first: number, last: number, span: Span): Float64Array[] {
  return model.bins
    .slice(first, last)
    .map((_, index) =>
      spent_between(model.spent_in(first + index, span.begin, span.end), span.begin, span.end),
    );
}

/** Fills `box` with a bar and numbers for each category: the mean over the visible ranks. */
export function show_numbers(
  box: HTMLElement,
  model: Model,
  palette: Palette,
  ranks: readonly [number, number],
  span: Span,
  is_range: boolean,
): void {
  const shown = model.count(ranks[0], ranks[1]);
  const sums = spent_by_rank(model, ranks[0], ranks[1], span).reduce((all, of_rank) =>
    all.map((value, index) => value + of_rank[index]!),
  );
  const whole = sums.slice(0, categories.length).reduce((sum, value) => sum + value, 0);
  const rows = categories.flatMap((name, index) => {
    const value = sums[index]!;
    if (value <= 0) return [];
    const share = whole > 0 ? value / whole : 0;
    const bar = h("span", { class: "number-bar", "aria-hidden": "true" });
    bar.style.width = `${share * 100}%`;
    bar.style.background = palette.fill[name];
    return [
      h(
        "li",
        { "data-category": name },
        h("span", { class: "number-name" }, category_names[name]),
        h("span", { class: "number-track" }, bar),
        h("span", { class: "number-value" }, percent(share)),
        h("span", { class: "number-time" }, time((value / shown) * 1e-9)),
      ),
    ];
  });
  box.replaceChildren(
    h(
      "p",
      { class: "number-head" },
      h("strong", {}, is_range ? "Selected range" : "Visible"),
      ` ${range_text(span.begin, span.end)}, ` +
        (shown === 1
          ? `rank ${model.timeline.ranks[ranks[0]]?.rank ?? 0}`
          : `mean of ${shown} ranks`),
    ),
    h("ul", { class: "numbers" }, rows),
  );
}

/** The same by rank, in seconds. */
export function numbers_table(
  model: Model,
  ranks: readonly [number, number],
  span: Span,
): PlainTable {
  return {
    columns: ["Rank", ...categories.map((name) => `${category_names[name]}, s`)],
    rows: spent_by_rank(model, ranks[0], ranks[1], span).map((sums, index) => [
      rank_numbers(model.timeline.ranks[ranks[0] + index]!),
      ...categories.map((_, c) =>
        exact((sums[c]! / model.timeline.ranks[ranks[0] + index]!.count) * 1e-9),
      ),
    ]),
    note: `From ${range_text(span.begin, span.end)}.`,
  };
}
