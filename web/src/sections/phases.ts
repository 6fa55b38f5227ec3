// SPDX-License-Identifier: BSD-3-Clause
// The phases of the run, each with its own efficiencies.
import { bar_column, count_column, share_column, time_column } from "../columns";
import type { Phase } from "../data/analysis";
import type { Report } from "../data/report";
import { h, section } from "../dom";
import { no_value, percent, time, time_range } from "../format";
import { make_table } from "../table";
import { make_phase_counters } from "./phase_counters";
import { make_show_button } from "./timeline";

/** The first calls of one repetition. */
function pattern_text({ pattern }: Phase): string {
  const names = pattern.slice(0, 8).map((name) => name.replace(/^MPI_/, ""));
  return names.join(", ") + (pattern.length > names.length ? ", \u2026" : "");
}

/** The table of phases; null for a run without a trace or without a pattern. */
export function make_phases(report: Report): HTMLElement | null {
  const phases = report.analysis?.phases ?? [];
  if (phases.length === 0) return null;
  return section(
    "phases",
    "Phases",
    h(
      "p",
      { class: "lead" },
      "Phases are found from repeating patterns of calls. The efficiencies of a phase are " +
        "computed from its wait states.",
    ),
    make_table<Phase>({
      caption: "Phases",
      row_noun: "phase",
      rows: phases,
      columns: [
        {
          title: "Phase",
          key: (phase) => phase.begin_s,
          cell: (phase) => [
            h("span", { class: "phase-name" }, phase.name),
            phase.pattern.length === 0
              ? null
              : h("span", { class: "place pattern" }, pattern_text(phase)),
          ],
        },
        time_column("Start", (phase) => phase.begin_s),
        time_column("Duration", (phase) => phase.end_s - phase.begin_s),
        count_column("Count", (phase) => phase.repetitions, "Repetitions of the pattern"),
        {
          title: "Median",
          help: "Median time of one repetition and its 95 % interval",
          key: (phase) => phase.median_s,
          cell: (phase) => [
            time(phase.median_s),
            phase.high_s > phase.low_s
              ? h("div", { class: "place" }, time_range(phase.low_s, phase.high_s))
              : null,
          ],
          numeric: true,
        },
        {
          title: "Spread",
          help: "Coefficient of variation of the repetitions",
          key: (phase) => phase.cv,
          cell: (phase) => (phase.repetitions > 1 ? percent(phase.cv) : no_value),
          numeric: true,
        },
        bar_column("Parallel", (phase) => phase.efficiencies.terms.parallel, "Parallel efficiency"),
        share_column("Load balance", (phase) => phase.efficiencies.terms.load_balance),
        share_column("Serialization", (phase) => phase.efficiencies.terms.serialization),
        share_column("Transfer", (phase) => phase.efficiencies.terms.transfer),
        {
          title: "",
          key: (phase) => phase.begin_s,
          cell: (phase) =>
            make_show_button(report, `Show the phase ${phase.name}`, {
              ranks: [],
              begin_s: phase.begin_s,
              end_s: phase.end_s,
            }),
        },
      ],
    }),
    make_phase_counters(phases),
  );
}
