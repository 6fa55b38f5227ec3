// SPDX-License-Identifier: BSD-3-Clause
// Two traces phase by phase: each phase of A beside the same one of B.
import type { PhaseChange, PhaseSide, Spread } from "../data/compare";
import { h } from "../dom";
import type { Child } from "../dom";
import { no_value, plural, share, significant, time, time_range } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";

function name_of({ a, b }: PhaseChange): string {
  return (a ?? b)?.name ?? "";
}

function with_range(text: string, spread: Spread, range: string): Child {
  return [text, spread.low < spread.high ? h("div", { class: "place" }, range) : null];
}

function side_columns(letter: "A" | "B"): Column<PhaseChange>[] {
  const of = (change: PhaseChange): PhaseSide | null => (letter === "A" ? change.a : change.b);
  return [
    {
      title: `Time ${letter}`,
      help: "Time of one repetition: median and its interval",
      numeric: true,
      key: (change) => of(change)?.each_s?.median ?? null,
      cell: (change) => {
        const each = of(change)?.each_s ?? null;
        if (each === null) return no_value;
        return with_range(time(each.median), each, time_range(each.low, each.high));
      },
    },
    {
      title: `Parallel ${letter}`,
      help: "Parallel efficiency; below it: load balance \u00b7 serialization \u00b7 transfer",
      numeric: true,
      key: (change) => of(change)?.parallel ?? null,
      cell: (change) => {
        const side = of(change);
        if (side === null || side.parallel === null) return no_value;
        const parts = [side.load_balance, side.serialization, side.transfer];
        return [
          share(side.parallel),
          h(
            "div",
            { class: "place" },
            parts.map((part) => (part === null ? no_value : share(part))).join(" \u00b7 "),
          ),
        ];
      },
    },
    {
      title: `MPI ${letter}`,
      help: "MPI time per rank in one repetition; below it: the function that takes the most of it",
      numeric: true,
      key: (change) => of(change)?.mpi_s ?? null,
      cell: (change) => {
        const side = of(change);
        if (side === null) return no_value;
        return [time(side.mpi_s), h("div", { class: "place" }, side.top_call)];
      },
    },
  ];
}

/** The phases of both traces in order; null when a side has no trace. */
export function make_phases(phases: readonly PhaseChange[]): Child {
  if (phases.length === 0) return null;
  const ranks = (of: "a" | "b"): string => {
    const first = phases.find((phase) => phase[of] !== null)?.[of];
    return first ? plural(first.ranks, "rank") : "no phase";
  };
  return [
    h("h3", {}, "Phase by phase"),
    h(
      "p",
      { class: "lead" },
      `A: ${ranks("a")}, B: ${ranks("b")}. A dash means that the side does not have the phase.`,
    ),
    make_table<PhaseChange>({
      caption: "Phases of A and B",
      row_noun: "phase",
      rows: phases,
      first_rows: 12,
      columns: [
        { title: "Phase", key: name_of, cell: name_of },
        ...side_columns("A"),
        ...side_columns("B"),
        {
          title: "B / A",
          help: "Time of one repetition in B divided by that in A, and its interval",
          numeric: true,
          key: ({ ratio }) => ratio?.median ?? null,
          cell: ({ ratio }) =>
            ratio === null
              ? no_value
              : with_range(
                  significant(ratio.median),
                  ratio,
                  `${significant(ratio.low)}\u2013${significant(ratio.high)}`,
                ),
        },
      ],
    }),
  ];
}
