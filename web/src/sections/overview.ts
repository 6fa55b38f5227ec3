// SPDX-License-Identifier: BSD-3-Clause
// The verdict, and the efficiencies with their kinds and definitions.
import { efficiency_names } from "../data/profile";
import type { Efficiency, EfficiencyName } from "../data/profile";
import type { Report } from "../data/report";
import { h, section } from "../dom";
import { percent } from "../format";
import { make_code } from "./code";

const titles: Record<EfficiencyName, string> = {
  parallel: "Parallel efficiency",
  load_balance: "Load balance",
  communication: "Communication",
  transfer: "Transfer",
  serialization: "Serialization",
  threads: "Threads",
};
const definitions: Record<EfficiencyName, string> = {
  parallel: "Load balance times communication: the share of all ranks' time that is computation.",
  load_balance: "Mean computing time of the ranks over the longest.",
  communication:
    "Longest computing time of a rank over the wall time; transfer times serialization.",
  transfer: "Wall time on an ideal network over the real one: what moving data costs.",
  serialization:
    "Longest computing time over the wall time on an ideal network: what waiting for " +
    "each other costs.",
  threads: "Busy time of the OpenMP threads over the time that they were there to work.",
};

/** An efficiency with the words below it: how it is known. */
interface Known extends Efficiency {
  words: string;
}

/** What a profile only bounds, a trace tells. */
export function known_efficiency({ profile, analysis }: Report, name: EfficiencyName): Known {
  const bound = profile.efficiencies[name];
  const is_told = name === "transfer" || name === "serialization";
  const set = is_told
    ? analysis?.efficiencies.find(({ terms }) => terms[name] !== null)
    : undefined;
  if (bound.kind !== "lower bound" || set === undefined || !is_told) {
    return { ...bound, words: bound.kind };
  }
  return {
    value: set.terms[name],
    kind: "measured",
    note: `${definitions[name]} From the trace: ${set.definition}.`,
    words: set.definition,
  };
}

function make_tile(name: EfficiencyName, efficiency: Known): HTMLElement {
  const measured = efficiency.value !== null;
  const bar = h("span", { class: "meter-fill" });
  bar.style.width = `${Math.max(0, Math.min(1, efficiency.value ?? 0)) * 100}%`;
  const bound = efficiency.kind === "lower bound" ? "\u2265\u202f" : "";
  return h(
    "div",
    {
      class: `tile ${efficiency.kind.replace(" ", "-")}`,
      title: efficiency.note || definitions[name],
      tabindex: "0",
      "data-efficiency": name,
    },
    h("span", { class: "tile-name" }, titles[name]),
    h(
      "span",
      { class: "tile-value" },
      measured ? `${bound}${percent(efficiency.value)}` : "\u2013",
    ),
    h("span", { class: "meter", "aria-hidden": "true" }, bar),
    h("span", { class: "tile-kind" }, efficiency.words),
  );
}

export function make_overview(report: Report): HTMLElement {
  const { profile } = report;
  return section(
    "overview",
    "Verdict",
    h("p", { class: "verdict" }, profile.verdict || "No verdict: too little was recorded."),
    h(
      "div",
      { class: "tiles" },
      efficiency_names.map((name) => make_tile(name, known_efficiency(report, name))),
    ),
    h(
      "details",
      { class: "definitions" },
      h("summary", {}, "What the efficiencies mean"),
      profile.efficiency_definition === ""
        ? null
        : h("p", {}, `${profile.efficiency_definition}.`.replace(/\.\.$/, ".")),
      h(
        "dl",
        {},
        efficiency_names.map((name) => [
          h("dt", {}, titles[name]),
          h(
            "dd",
            {},
            definitions[name],
            profile.efficiencies[name].note === "" ? "" : ` ${profile.efficiencies[name].note}`,
          ),
        ]),
      ),
      h(
        "p",
        {},
        "A lower bound is what is certain without a trace: the efficiency is at least that. " +
          "Not measured is never shown as a perfect score.",
      ),
    ),
    profile.next === ""
      ? null
      : h("div", { class: "next" }, h("span", {}, "Next"), make_code(profile.next, "next command")),
  );
}
