// SPDX-License-Identifier: BSD-3-Clause
// The page of plait apply: the alternating runs, the measured and predicted ratio, the commands.
import { make_lines_chart } from "../charts/lines";
import type { Line } from "../charts/lines";
import type { Applied, Ratio } from "../data/apply";
import { absent, facts, h, lines, section } from "../dom";
import { significant } from "../format";
import { make_code } from "./code";
import { quote_command, show_date } from "./header";

function ratio_text({ value, low, high }: Ratio): string {
  return `${significant(value)} (${significant(low)} to ${significant(high)})`;
}

function make_runs(applied: Applied): HTMLElement {
  const line = (name: string, colour: number, seconds: (index: number) => number): Line => ({
    name,
    points: applied.pairs.map((_, index) => ({
      x: index + 1,
      y: seconds(index) * 1e6,
      statistic: null,
    })),
    colour,
    dashed: false,
    value_name: "Time",
  });
  const both = [
    line("before", 0, (index) => applied.pairs[index]?.before_s ?? 0),
    line(applied.plan || "after", 1, (index) => applied.pairs[index]?.after_s ?? 0),
  ];
  return make_lines_chart({
    id: "runs",
    title: "Time of each run",
    caption:
      `Alternating runs without and with the plan on ${applied.host}. ` +
      `Timed: ${applied.timed}.`,
    x: { quantity: "count", name: "pair", log: false },
    y: { quantity: "us", name: "time", log: false },
    lines: () => both,
  });
}

function make_facts(applied: Applied): HTMLElement {
  return facts([
    ["Measured ratio", applied.ratio === null ? "too few runs" : ratio_text(applied.ratio)],
    [
      applied.predicted_of === "" ? "Predicted ratio" : `Predicted ratio (${applied.predicted_of})`,
      applied.predicted === null ? "none" : ratio_text(applied.predicted),
    ],
    ["First run with the plan", applied.seen ?? "not checked"],
  ]);
}

export function make_applied_header(applied: Applied): HTMLElement {
  return h(
    "header",
    { id: "top" },
    h("p", { class: "eyebrow" }, "A plan that was tested"),
    h("h1", { class: "unseen" }, "Plait apply"),
    h("p", {}, h("strong", {}, applied.verdict)),
    h("p", {}, `Tested ${show_date(applied.created)}.`),
  );
}

export function make_applied_sections(applied: Applied): readonly HTMLElement[] {
  const remarks = [
    ...applied.quarantined.map(
      ({ settings, outcome, reason }) =>
        `In quarantine: ${settings} (${outcome}${reason === "" ? "" : `: ${reason}`})`,
    ),
    ...applied.notes,
  ];
  return [
    section(
      "applied",
      "Alternating runs",
      applied.pairs.length === 0 ? absent("No pair of runs succeeded.") : make_runs(applied),
      make_facts(applied),
      lines(remarks),
    ),
    section(
      "commands",
      "Commands",
      h("h3", {}, "Before"),
      make_code(quote_command(applied.before), "command before"),
      h("h3", {}, "With the plan"),
      make_code(quote_command(applied.after), "command with the plan"),
    ),
  ];
}
