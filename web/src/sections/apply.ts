// SPDX-License-Identifier: BSD-3-Clause
// The page of plait apply: the runs in turn, the ratio beside the predicted one, both commands.
import { make_lines_chart } from "../charts/lines";
import type { Line } from "../charts/lines";
import type { Applied, Ratio } from "../data/apply";
import { absent, h, section } from "../dom";
import { significant } from "../format";
import { make_code } from "./code";
import { shell_words, show_date } from "./header";

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
  const lines = [
    line("before", 0, (index) => applied.pairs[index]?.before_s ?? 0),
    line(applied.plan || "after", 1, (index) => applied.pairs[index]?.after_s ?? 0),
  ];
  return make_lines_chart({
    id: "runs",
    title: "Time of each run",
    caption: `Pairs of runs in turn on ${applied.host}, ${applied.timed}.`,
    x: { quantity: "count", name: "pair", log: false },
    y: { quantity: "us", name: "time", log: false },
    lines: () => lines,
  });
}

function make_facts(applied: Applied): HTMLElement {
  const facts: [string, string][] = [
    ["Measured ratio", applied.ratio === null ? "too few pairs" : ratio_text(applied.ratio)],
    [
      applied.predicted_of === "" ? "Predicted" : `Predicted of ${applied.predicted_of}`,
      applied.predicted === null ? "nothing" : ratio_text(applied.predicted),
    ],
    ["Seen in the first run", applied.seen ?? "not looked at"],
  ];
  return h(
    "dl",
    { class: "facts" },
    facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

export function make_applied_header(applied: Applied): HTMLElement {
  return h(
    "header",
    { id: "top" },
    h("p", { class: "eyebrow" }, "A plan that was tried"),
    h("h1", { class: "unseen" }, "Plait apply"),
    h("p", {}, h("strong", {}, applied.verdict)),
    h("p", {}, `Tried ${show_date(applied.created)}.`),
  );
}

export function make_applied_sections(applied: Applied): readonly HTMLElement[] {
  const lines = [
    ...applied.quarantined.map(
      ({ settings, ending, words }) =>
        `In quarantine: ${settings} (${ending}${words === "" ? "" : `: ${words}`})`,
    ),
    ...applied.notes,
  ];
  return [
    section(
      "applied",
      "Runs in turn",
      applied.pairs.length === 0 ? absent("No pair of runs ended well.") : make_runs(applied),
      make_facts(applied),
      lines.length === 0
        ? null
        : h(
            "ul",
            {},
            lines.map((line) => h("li", {}, line)),
          ),
    ),
    section(
      "commands",
      "Commands",
      h("h3", {}, "Before"),
      make_code(shell_words(applied.before), "command before"),
      h("h3", {}, "By the plan"),
      make_code(shell_words(applied.after), "command by the plan"),
    ),
  ];
}
