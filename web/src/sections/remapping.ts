// SPDX-License-Identifier: BSD-3-Clause
// Ranks that plait run --remap moved: each decision, its prediction and what came of it.
import { text_column, time_column } from "../columns";
import type { Profile } from "../data/profile";
import type { Decision, Remapping } from "../data/remapping";
import { h, lines, section } from "../dom";
import { plural, significant, time } from "../format";
import { make_table } from "../table";

function outcome({ revert, effect, speed }: Decision): string {
  if (revert) return "moved back";
  if (effect === "another_pattern") return "unknown: other ranks communicated then";
  if (effect === "unknown") return "unknown";
  return `messages per second became ${significant(speed)} times as many`;
}

function reason({ revert, asked }: Decision): string {
  if (revert) return "the last move was not faster";
  return asked ? "the program asked" : "predicted to pay";
}

const moved_ranks = ({ ranks }: Decision): string =>
  ranks.map(({ rank, from, to }) => `${rank}: ${from} to ${to}`).join(", ");

function notes({ ranks, elsewhere, intervals, interval_s, stopped, host }: Remapping): string[] {
  return [
    `${plural(ranks, "rank")} on ${host} looked at after each of ` +
      `${plural(intervals, "interval")} (every ${time(interval_s)}).`,
    ...(stopped === "" ? [] : [`Stopped: ${stopped}.`]),
    ...(elsewhere === 0
      ? []
      : [`${plural(elsewhere, "rank")} on other nodes or in containers stayed.`]),
  ];
}

/** Null without --remap. */
export function make_remapping({ remapping }: Profile): HTMLElement | null {
  if (remapping === null) return null;
  return section(
    "remapping",
    "Remapping",
    h("p", { class: "lead" }, "Ranks that Plait moved to other cores while the program ran."),
    make_table<Decision>({
      caption: "Moves of ranks",
      row_noun: "move",
      rows: remapping.decisions,
      filter: moved_ranks,
      columns: [
        time_column("After", (row) => row.at_s),
        text_column("Why", reason),
        text_column("Ranks, from cores to cores", moved_ranks),
        time_column("Predicted gain", (row) => (row.revert ? null : row.predicted_gain_s)),
        time_column("Of", (row) => row.interval_s),
        time_column("Cost", (row) => row.cost_s),
        text_column("What came of it", outcome),
      ],
    }),
    h("div", { class: "note" }, lines(notes(remapping))),
  );
}
