// SPDX-License-Identifier: BSD-3-Clause
// The phases of the run, each with its own efficiencies.
import type { Phase } from "../data/analysis";
import type { Report } from "../data/report";
import { h, section } from "../dom";
import { count, percent, time, time_range } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";
import { make_show_button } from "./timeline";

function efficiency(title: string, value: (phase: Phase) => number | null): Column<Phase> {
  return { title, key: value, cell: (phase) => percent(value(phase)), numeric: true };
}

/** The calls of one repetition, in short. */
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
      "Found from the repeating pattern of calls. Efficiencies are of the phase alone, by wait " +
        "states; spread is the coefficient of variation of its repetitions.",
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
        {
          title: "Begins",
          key: (phase) => phase.begin_s,
          cell: (phase) => time(phase.begin_s),
          numeric: true,
        },
        {
          title: "Takes",
          key: (phase) => phase.end_s - phase.begin_s,
          cell: (phase) => time(phase.end_s - phase.begin_s),
          numeric: true,
        },
        {
          title: "Repeats",
          key: (phase) => phase.repetitions,
          cell: (phase) => count(phase.repetitions),
          numeric: true,
        },
        {
          title: "One takes",
          help: "Median of the repetitions, and its 95 % interval",
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
          cell: (phase) => (phase.repetitions > 1 ? percent(phase.cv) : "\u2013"),
          numeric: true,
        },
        {
          ...efficiency("Parallel", (phase) => phase.efficiencies.terms.parallel),
          bar: (phase) => phase.efficiencies.terms.parallel ?? 0,
        },
        efficiency("Balance", (phase) => phase.efficiencies.terms.load_balance),
        efficiency("Serial.", (phase) => phase.efficiencies.terms.serialization),
        efficiency("Transfer", (phase) => phase.efficiencies.terms.transfer),
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
  );
}
