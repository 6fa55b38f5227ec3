// SPDX-License-Identifier: BSD-3-Clause
// Who waited for whom: root causes, wait states, and the critical path.
import { bar_column, code_column, count_column, text_column, time_column } from "../columns";
import type { Analysis, PathOwner, RootCause, WaitState } from "../data/analysis";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { no_value, percent, ranges, time } from "../format";
import { make_table } from "../table";
import { make_card, severity_of } from "./card";
import { make_show_button } from "./timeline";

const most_causes = 8;
const first_rows = 8;
/** Causes below this share of the ranks' time are only in analysis.json. */
const least_share = 0.001;

/** "rank 3", "ranks 0–2", or nothing. */
function ranks_text(ranks: readonly number[]): string {
  if (ranks.length === 0) return "";
  return `rank${ranks.length === 1 ? "" : "s"} ${ranges(ranks)}`;
}

/** The sentences in the data begin with a small letter. */
function cause_title({ sentence, kind }: RootCause): string {
  const title = sentence || kind;
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}

/** @param whole_s  time of all ranks together */
function make_cause(report: Report, cause: RootCause, whole_s: number): HTMLElement {
  const share = whole_s > 0 ? cause.seconds / whole_s : 0;
  const rank = cause.rank ?? cause.chain[0];
  return make_card({
    severity: severity_of(share),
    tag: cause.kind,
    title: cause_title(cause),
    attributes: { "data-cause": cause.kind },
    button:
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
    rows: [
      ["Cost", `${time(cause.seconds)}, ${percent(share)} of the ranks' time`],
      [
        "Excess",
        cause.kind === "computation" && cause.own_excess_s > 0
          ? `${time(cause.own_excess_s)} more computation`
          : "",
      ],
      [cause.kind === "computation" ? "Before" : "At", cause.site],
      ["Delayed", ranks_text(cause.delayed)],
    ],
  });
}

function make_waits(report: Report, { waits }: Analysis): Child {
  const all = waits.reduce((sum, wait) => sum + wait.seconds, 0);
  if (waits.length === 0) return absent("No wait state was found.");
  return make_table<WaitState>({
    caption: "Wait states",
    row_noun: "wait state",
    rows: waits,
    sorted_by: 3,
    descending: true,
    first_rows,
    filter: (wait) => `${wait.kind} ${wait.function} ${wait.site}`,
    columns: [
      text_column("Wait state", (wait) => wait.kind),
      code_column("Call", (wait) => wait.function),
      code_column("Site", (wait) => wait.site, "place"),
      time_column("Time", (wait) => wait.seconds, "Summed over ranks"),
      bar_column("Share", (wait) => (all > 0 ? wait.seconds / all : null), "Of all waiting time"),
      count_column("Count", (wait) => wait.count),
      {
        title: "Longest wait",
        help: "The rank that waited longest",
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
      `The activities that determine the run's time of ${time(path_s)}. Shortening anything else ` +
        "does not shorten the run.",
    ),
    make_table<PathOwner>({
      caption: "Parts of the critical path",
      row_noun: "part",
      rows: path_owners,
      sorted_by: 3,
      descending: true,
      first_rows,
      columns: [
        count_column("Rank", (owner) => owner.rank),
        text_column("Activity", (owner) => owner.kind.replace(/^mpi$/, "MPI")),
        code_column(
          "Where",
          (owner) => [owner.region, owner.site].filter((x) => x !== "").join(", before "),
          "place",
        ),
        time_column("On the path", (owner) => owner.seconds),
        bar_column("Share", (owner) => owner.share),
      ],
    }),
  ];
}

/** The section; null for a run without a trace. */
export function make_waiting(report: Report): HTMLElement | null {
  const { analysis } = report;
  if (analysis === null) return null;
  const whole_s = analysis.time_s * analysis.ranks;
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
