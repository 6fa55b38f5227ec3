// SPDX-License-Identifier: BSD-3-Clause
// The page of plait tune: the verdict, what was tried and left out, the plan, the next command.
import type { Outcome, Tuning } from "../data/tuning";
import { absent, h, lines, section } from "../dom";
import { count, no_value, percent, plural, significant } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";
import { make_code } from "./code";
import { quote_command, show_date } from "./header";

const or_none = (value: number | null): string =>
  value === null ? no_value : significant(value);

function make_outcomes(tuning: Tuning): HTMLElement {
  const ratio = (
    title: string,
    help: string,
    key: (outcome: Outcome) => number | null,
  ): Column<Outcome> => ({
    title,
    help,
    key,
    cell: (outcome) => or_none(key(outcome)),
    numeric: true,
  });
  return make_table<Outcome>({
    caption: "Settings, then combinations and confirmations",
    row_noun: "setting",
    rows: tuning.outcomes,
    filter: ({ name, outcome }) => `${name} ${outcome}`,
    columns: [
      { title: "Setting", key: ({ name }) => name, cell: ({ name }) => name },
      { title: "Outcome", key: ({ outcome }) => outcome, cell: ({ outcome }) => outcome },
      {
        title: "Pairs",
        help: "Of runs of the program; if there are none, of the probe",
        key: ({ pairs }) => pairs,
        cell: ({ pairs }) => count(pairs),
        numeric: true,
      },
      ratio("Ratio", "Old time / new time: the median of the pairs", (outcome) => outcome.ratio),
      ratio("Low", "The lowest ratio of the pairs", ({ low }) => low),
      ratio("High", "The highest ratio of the pairs", ({ high }) => high),
      { title: "Why it was tried", key: ({ reason }) => reason, cell: ({ reason }) => reason },
    ],
  });
}

export function make_tuning_header(tuning: Tuning): HTMLElement {
  return h(
    "header",
    { id: "top" },
    h("p", { class: "eyebrow" }, "A tuning"),
    h("h1", { class: "unseen" }, "Plait tune"),
    h("p", {}, h("strong", {}, tuning.verdict)),
    h("p", {}, `${tuning.mpi} on ${tuning.host}, ${show_date(tuning.created)}.`),
    h(
      "p",
      {},
      `${plural(tuning.runs, "run")}; a gain is reported by chance in at most ` +
        `${percent(tuning.error_rate)} of tunings.`,
    ),
  );
}

export function make_tuning_sections(tuning: Tuning): readonly HTMLElement[] {
  return [
    section(
      "tried",
      "Settings",
      tuning.outcomes.length === 0 ? absent("No setting was tried.") : make_outcomes(tuning),
      lines(tuning.quarantined.map((id) => `In quarantine: ${id}`)),
      lines(tuning.notes),
    ),
    section(
      "left-out",
      "Not tried",
      tuning.left_out.length === 0 ? absent("Nothing was left out.") : lines(tuning.left_out),
    ),
    section(
      "plan",
      "Plan",
      tuning.settings.length === 0
        ? absent("No settings won.")
        : make_code(tuning.settings.join("\n"), "settings that won"),
      lines(tuning.read_back.map((line) => `Read back: ${line}`)),
    ),
    section(
      "commands",
      "Commands",
      h("h3", {}, "Tuned"),
      make_code(quote_command(tuning.command), "command that was tuned"),
      h("h3", {}, "Next"),
      make_code(quote_command(tuning.next), "next command"),
    ),
  ];
}
