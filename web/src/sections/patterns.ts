// SPDX-License-Identifier: BSD-3-Clause
// Patterns of communication that cost time, each with evidence, cost and remedy.
import type { Pattern } from "../data/analysis";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import { ranges, time } from "../format";
import { make_show_button } from "./timeline";

function make_card(report: Report, pattern: Pattern, whole_s: number): HTMLElement {
  const share = pattern.cost_s === null || whole_s <= 0 ? 0 : pattern.cost_s / whole_s;
  const severity = share > 0.05 ? "high" : share > 0.01 ? "medium" : "low";
  const [rank] = pattern.ranks;
  const sites = pattern.sites.filter((site) => site !== "");
  return h(
    "article",
    { class: `finding ${severity}`, "data-pattern": pattern.id },
    h(
      "div",
      { class: "finding-head" },
      h("h3", {}, pattern.what),
      h("code", { class: "finding-id" }, pattern.id),
      rank === undefined || sites.length === 0
        ? null
        : make_show_button(report, `Show the pattern: ${pattern.id}`, {
            ranks: [rank],
            call: { function: "", site: sites[0] ?? "", before: false },
          }),
    ),
    h(
      "dl",
      {},
      pattern.evidence === "" ? null : [h("dt", {}, "Evidence"), h("dd", {}, pattern.evidence)],
      [
        h("dt", {}, "Cost"),
        h(
          "dd",
          {},
          pattern.cost_s === null ? "cannot be told" : `at most ${time(pattern.cost_s)} a rank`,
        ),
      ],
      pattern.ranks.length === 0
        ? null
        : [h("dt", {}, "Ranks"), h("dd", {}, ranges(pattern.ranks))],
      sites.length === 0
        ? null
        : [h("dt", {}, "Sites"), h("dd", {}, h("code", {}, sites.slice(0, 6).join(", ")))],
      pattern.remedy === "" ? null : [h("dt", {}, "Remedy"), h("dd", {}, pattern.remedy)],
    ),
  );
}

/** The cards; null for a run without a trace. */
export function make_patterns(report: Report): HTMLElement | null {
  const { analysis } = report;
  if (analysis === null) return null;
  return section(
    "patterns",
    "Patterns of communication",
    analysis.patterns.length === 0
      ? absent("None of the patterns that cost time was found.")
      : h(
          "div",
          { class: "findings" },
          analysis.patterns.map((pattern) => make_card(report, pattern, analysis.time_s)),
        ),
  );
}
