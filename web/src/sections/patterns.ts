// SPDX-License-Identifier: BSD-3-Clause
// Patterns of communication that cost time, each with evidence, cost and fix.
import type { Pattern } from "../data/analysis";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import { ranges, time } from "../format";
import { make_card, severity_of } from "./card";
import { make_show_button } from "./timeline";

function make_pattern(report: Report, pattern: Pattern, whole_s: number): HTMLElement {
  const [rank] = pattern.ranks;
  const sites = pattern.sites.filter((site) => site !== "");
  return make_card({
    severity: severity_of(whole_s > 0 ? (pattern.cost_s ?? 0) / whole_s : 0),
    title: pattern.what,
    id: pattern.id,
    attributes: { "data-pattern": pattern.id },
    button:
      rank === undefined || sites.length === 0
        ? null
        : make_show_button(report, `Show the pattern: ${pattern.id}`, {
            ranks: [rank],
            call: { function: "", site: sites[0] ?? "", before: false },
          }),
    rows: [
      ["Evidence", pattern.evidence],
      ["Cost", pattern.cost_s === null ? "unknown" : `at most ${time(pattern.cost_s)} per rank`],
      ["Ranks", ranges(pattern.ranks)],
      ["Sites", sites.length === 0 ? null : h("code", {}, sites.slice(0, 6).join(", "))],
      ["Fix", pattern.remedy],
    ],
  });
}

/** The cards; null for a run without a trace. */
export function make_patterns(report: Report): HTMLElement | null {
  const { analysis } = report;
  if (analysis === null) return null;
  return section(
    "patterns",
    "Patterns of communication",
    analysis.patterns.length === 0
      ? absent("No communication pattern that costs time was found.")
      : h(
          "div",
          { class: "findings" },
          analysis.patterns.map((pattern) => make_pattern(report, pattern, analysis.time_s)),
        ),
  );
}
