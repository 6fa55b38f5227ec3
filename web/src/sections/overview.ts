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
  cpu: "CPU",
  load_balance: "Load balance",
  communication: "Communication",
  transfer: "Transfer",
  serialization: "Serialization",
  threads: "Threads",
};
const definitions: Record<EfficiencyName, string> = {
  parallel:
    "CPU times load balance times communication: the share of the ranks' time that is computation.",
  cpu: "Wall time without the longest wait for a CPU outside MPI, divided by the wall time.",
  load_balance: "Mean computing time of the ranks divided by the longest.",
  communication:
    "Longest computing time of a rank divided by the wall time with a CPU; transfer times " +
    "serialization.",
  transfer: "Wall time on an ideal network divided by the real one: the cost of moving data.",
  serialization:
    "Longest computing time divided by the wall time on an ideal network: the cost of waiting " +
    "for each other.",
  threads: "Busy time of the OpenMP threads divided by the time that they could have worked.",
};

/** An efficiency and its source: "measured", or the definition of the trace's set. */
interface Known extends Efficiency {
  source: string;
}

/** The efficiency from the trace, if there is one, or else from the profile. */
export function known_efficiency({ profile, analysis }: Report, name: EfficiencyName): Known {
  const bound = profile.efficiencies[name];
  const term = name === "parallel" ? "mpi_parallel" : name;
  const set =
    term === "threads"
      ? undefined
      : analysis?.efficiencies.find(({ terms }) => terms[term] !== null);
  // A profile cannot tell what ranks waited for inside MPI if they waited for CPUs.
  const disturbed = (set?.terms.cpu ?? 1) < 0.995;
  if (set === undefined || term === "threads" || (bound.kind !== "lower bound" && !disturbed)) {
    return { ...bound, source: bound.kind };
  }
  return {
    value: set.terms[term],
    kind: "measured",
    note: `${definitions[name]} From the trace: ${set.definition}.`,
    source: set.definition,
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
    h("span", { class: "tile-kind" }, efficiency.source),
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
        "A lower bound means that the efficiency is at least this value; a trace gives the value " +
          "itself. A dash means that it was not measured.",
      ),
    ),
    profile.next === ""
      ? null
      : h("div", { class: "next" }, h("span", {}, "Next"), make_code(profile.next, "next command")),
  );
}
