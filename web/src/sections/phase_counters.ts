// SPDX-License-Identifier: BSD-3-Clause
// Counted events of each phase, of its ranks, and the figures that follow from them.
import { count_column, text_column } from "../columns";
import type { Phase } from "../data/analysis";
import type { Counts, Figure } from "../data/resources";
import { h } from "../dom";
import type { Child } from "../dom";
import { make_table } from "../table";
import { event_columns, figure_columns } from "./counts";

interface CountedPhase {
  phase: string;
  outside: Counts;
  inside: Counts;
}
interface CountedRank extends CountedPhase {
  rank: number;
}
interface PhaseFigure extends Figure {
  phase: string;
}

/** The tables; nothing for a run without counters. */
export function make_phase_counters(phases: readonly Phase[]): Child {
  const counted = phases.flatMap(({ name, counters }) =>
    counters === null ? [] : [{ phase: name, counters }],
  );
  const [first] = counted;
  if (first === undefined) return null;
  const { events } = first.counters;
  const ranks = counted.flatMap(({ phase, counters }) =>
    counters.ranks.map((rank): CountedRank => ({ phase, ...rank })),
  );
  const figures = counted.flatMap(({ phase, counters }) =>
    counters.derived.map((figure): PhaseFigure => ({ phase, ...figure })),
  );
  return [
    h(
      "p",
      { class: "lead" },
      "Counters are read at borders of calls and regions, so counts at the border of a phase are " +
        "divided evenly between the two readings around it.",
    ),
    make_table<CountedPhase>({
      caption: "Events by phase",
      row_noun: "phase",
      rows: counted.map(({ phase, counters }) => ({ phase, ...counters })),
      columns: [text_column("Phase", (row) => row.phase), ...event_columns<CountedPhase>(events)],
    }),
    ranks.length <= counted.length
      ? null
      : make_table<CountedRank>({
          caption: "Events by phase and rank",
          row_noun: "row",
          rows: ranks,
          filter: (row) => `${row.phase} ${row.rank}`,
          columns: [
            text_column("Phase", (row) => row.phase),
            count_column("Rank", (row) => row.rank),
            ...event_columns<CountedRank>(events),
          ],
        }),
    figures.length === 0
      ? null
      : make_table<PhaseFigure>({
          caption: "Figures of phases, beside their bounds",
          row_noun: "figure",
          rows: figures,
          filter: (row) => `${row.phase} ${row.name}`,
          columns: [text_column("Phase", (row) => row.phase), ...figure_columns<PhaseFigure>()],
        }),
  ];
}
