// SPDX-License-Identifier: BSD-3-Clause
// Who waited for whom: root causes, wait states, and the critical path's owners.
import type { Analysis, PathOwner, RootCause, WaitState } from "../data/analysis";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { count, no_value, percent, ranges, time } from "../format";
import { make_table } from "../table";
import { make_show_button } from "./timeline";

const most_causes = 8;
const first_rows = 8;
/** Causes below this share of the ranks' time are in analysis.json only. */
const least_share = 0.001;

/** "rank 3", "ranks 0–2", or nothing. */
function ranks_text(ranks: readonly number[]): string {
  if (ranks.length === 0) return "";
  return `rank${ranks.length === 1 ? "" : "s"} ${ranges(ranks)}`;
}

/** A sentence from the data begins with a small letter. */
function cause_title({ sentence, kind }: RootCause): string {
  const words = sentence || kind;
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** @param whole_s  time of all ranks together */
function make_cause(report: Report, cause: RootCause, whole_s: number): HTMLElement {
  const share = whole_s > 0 ? cause.seconds / whole_s : 0;
  const severity = share > 0.05 ? "high" : share > 0.01 ? "medium" : "low";
  const rank = cause.rank ?? cause.chain[0];
  const rows: [string, string][] = [
    ["Costs", `${time(cause.seconds)}, ${percent(share)} of the ranks' time`],
    ["Excess", cause.own_excess_s > 0 ? `${time(cause.own_excess_s)} more computation` : ""],
    [cause.kind === "computation" ? "Before" : "At", cause.site],
    ["Delayed", ranks_text(cause.delayed)],
  ];
  return h(
    "article",
    { class: `finding ${severity}`, "data-cause": cause.kind },
    h(
      "div",
      { class: "finding-head" },
      h("span", { class: "severity" }, cause.kind),
      h("h3", {}, cause_title(cause)),
      rank === undefined || cause.site === ""
        ? null
        : make_show_button(report, `Show the cause: rank ${rank}`, {
            ranks: [rank],
            call: {
              function: "",
              site: cause.site,
              before: cause.kind !== "transfer" && cause.kind !== "late posted receive",
            },
          }),
    ),
    h(
      "dl",
      {},
      rows
        .filter(([, value]) => value !== "")
        .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
  );
}

function make_waits(report: Report, { waits }: Analysis): Child {
  const all = waits.reduce((sum, wait) => sum + wait.seconds, 0);
  if (waits.length === 0) return absent("No rank waited for another in a way that has a name.");
  return make_table<WaitState>({
    caption: "Wait states",
    row_noun: "wait state",
    rows: waits,
    sorted_by: 3,
    descending: true,
    first_rows,
    filter: (wait) => `${wait.kind} ${wait.function} ${wait.site}`,
    columns: [
      { title: "Wait state", key: (wait) => wait.kind, cell: (wait) => wait.kind },
      {
        title: "Call",
        key: (wait) => wait.function,
        cell: (wait) => h("code", {}, wait.function || no_value),
      },
      {
        title: "Site",
        key: (wait) => wait.site,
        cell: (wait) => h("code", { class: "place" }, wait.site),
      },
      {
        title: "Time",
        help: "Summed over ranks",
        key: (wait) => wait.seconds,
        cell: (wait) => time(wait.seconds),
        numeric: true,
      },
      {
        title: "Share",
        help: "Of all waiting",
        key: (wait) => wait.seconds,
        cell: (wait) => percent(all > 0 ? wait.seconds / all : null),
        bar: (wait) => (all > 0 ? wait.seconds / all : 0),
        numeric: true,
      },
      {
        title: "Count",
        key: (wait) => wait.count,
        cell: (wait) => count(wait.count),
        numeric: true,
      },
      {
        title: "Longest by",
        help: "The rank that waited most",
        key: (wait) => wait.worst_rank,
        cell: (wait) =>
          wait.worst_rank === null
            ? no_value
            : h("span", { class: "whole" }, `rank ${wait.worst_rank}: ${time(wait.worst_s)}`),
      },
      {
        title: "",
        key: (wait) => wait.worst_rank,
        cell: (wait) =>
          wait.worst_rank === null || wait.site === ""
            ? null
            : make_show_button(report, `Show the longest: ${wait.kind}`, {
                ranks: [wait.worst_rank],
                call: { function: wait.function, site: wait.site, before: false },
              }),
      },
    ],
  });
}

function make_owners({ path_owners, path_s }: Analysis): Child {
  if (path_owners.length === 0) return null;
  return [
    h("h3", {}, "Critical path"),
    h(
      "p",
      { class: "lead" },
      `What the run's ${time(path_s)} consist of: shortening what is not on this path shortens ` +
        "nothing.",
    ),
    make_table<PathOwner>({
      caption: "Owners of the critical path",
      row_noun: "owner",
      rows: path_owners,
      sorted_by: 3,
      descending: true,
      first_rows,
      columns: [
        {
          title: "Rank",
          key: (owner) => owner.rank,
          cell: (owner) => (owner.rank === null ? no_value : count(owner.rank)),
          numeric: true,
        },
        {
          title: "Doing",
          key: (owner) => owner.kind,
          cell: (owner) => owner.kind.replace(/^mpi$/, "MPI"),
        },
        {
          title: "Where",
          key: (owner) => owner.region || owner.site,
          cell: (owner) =>
            h(
              "code",
              { class: "place" },
              [owner.region, owner.site].filter((x) => x !== "").join(", before "),
            ),
        },
        {
          title: "On the path",
          key: (owner) => owner.seconds,
          cell: (owner) => time(owner.seconds),
          numeric: true,
        },
        {
          title: "Share",
          key: (owner) => owner.share,
          cell: (owner) => percent(owner.share),
          bar: (owner) => owner.share,
          numeric: true,
        },
      ],
    }),
  ];
}

/** Root causes, wait states and critical path; null for a run without a trace. */
export function make_waiting(report: Report): HTMLElement | null {
  const { analysis } = report;
  if (analysis === null) return null;
  const whole_s = analysis.time_s * analysis.waiting_s.length;
  const causes = analysis.causes.filter(
    (cause, index) => index === 0 || cause.seconds > least_share * whole_s,
  );
  return section(
    "waiting",
    "Who waited for whom",
    analysis.verdict === "" ? null : h("p", { class: "judgement" }, analysis.verdict),
    analysis.causes.length === 0
      ? absent("No cause of waiting was found.")
      : h(
          "div",
          { class: "findings" },
          causes.slice(0, most_causes).map((cause) => make_cause(report, cause, whole_s)),
        ),
    h("h3", {}, "Wait states"),
    make_waits(report, analysis),
    make_owners(analysis),
  );
}
