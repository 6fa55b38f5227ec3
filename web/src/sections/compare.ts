// SPDX-License-Identifier: BSD-3-Clause
// The comparison of sides A and B: figures, calls, findings, and what makes it unfair.
import { code_column, size_cell } from "../columns";
import type { CallChange, Comparison, FigureChange, Side, Spread } from "../data/compare";
import type { Report } from "../data/report";
import { absent, h, lines, section } from "../dom";
import type { Child } from "../dom";
import {
  count,
  no_value,
  plural,
  rate,
  share,
  signed_percent,
  signed_points,
  signed_time,
  significant,
  time,
  time_range,
} from "../format";
import { make_table } from "../table";
import type { Column } from "../table";
import { make_code } from "./code";
import { make_compared_flame, make_compared_functions } from "./compare_functions";
import { make_phases } from "./compare_phases";
import { quote_command } from "./header";
import { make_timeline } from "../timeline/timeline";
import type { Linked } from "../timeline/timeline";

function make_side(letter: string, side: Side): HTMLElement {
  return h(
    "div",
    { class: "side", "data-side": letter },
    h(
      "p",
      {},
      h("span", { class: "letter" }, letter),
      h("strong", {}, side.name || "(no name)"),
      // Several runs are named by their number alone.
      side.name === plural(side.runs, "run")
        ? null
        : h("span", { class: "place" }, plural(side.runs, "run")),
    ),
    make_code(quote_command(side.command) || "(no command recorded)", `command of ${letter}`),
  );
}

function value_text(value: number, unit: string): string {
  if (unit === "s") return time(value);
  return unit === "fraction" ? share(value) : rate(value, unit);
}

/** From the lowest to the highest run, in one unit. */
function range_text({ low, high }: Spread, unit: string): string {
  if (unit === "fraction") return `${significant(low * 100)}\u2013${share(high)}`;
  if (unit !== "s") return `${significant(low)}\u2013${rate(high, unit)}`;
  return time_range(low, high);
}

function make_spread(spread: Spread | null, unit: string, runs: number): Child {
  if (spread === null) return "not measured";
  return [
    value_text(spread.median, unit),
    runs > 1 && spread.low < spread.high
      ? h("div", { class: "place" }, range_text(spread, unit))
      : null,
  ];
}

/** The change of the medians: a difference for fractions, else relative to A. */
function change_of({ a, b, unit }: FigureChange): number | null {
  if (a === null || b === null) return null;
  if (unit === "fraction") return b.median - a.median;
  if (a.median > 0) return b.median / a.median - 1;
  return b.median > 0 ? Infinity : 0;
}

function change_text(figure: FigureChange): string {
  const change = change_of(figure);
  if (change === null) return no_value;
  if (change === 0) return "same";
  if (figure.unit === "fraction") return signed_points(change);
  if (change === Infinity) return "new";
  return change < 10 ? signed_percent(change) : `${significant(change + 1)} times`;
}

/** True if the change may be within the variation of the runs. */
function ranges_overlap(figure: FigureChange): boolean {
  const { a, b } = figure;
  return a !== null && b !== null && change_of(figure) !== 0 && a.low <= b.high && b.low <= a.high;
}

function make_figures(comparison: Comparison): Child {
  const { a, b, figures } = comparison;
  if (figures.length === 0) return absent("No figures were compared.");
  const several = a.runs > 1 && b.runs > 1;
  const side = (title: string, of: "a" | "b", runs: number): Column<FigureChange> => ({
    title,
    key: (figure) => figure[of]?.median ?? null,
    cell: (figure) => make_spread(figure[of], figure.unit, runs),
    numeric: true,
    help: runs > 1 ? `Median and range of ${plural(runs, "run")}` : "One run",
  });
  return make_table<FigureChange>({
    caption: "Figures of A and B",
    row_noun: "figure",
    rows: figures,
    columns: [
      { title: "Figure", key: (figure) => figure.name, cell: (figure) => figure.name },
      side("A", "a", a.runs),
      side("B", "b", b.runs),
      {
        title: "Change",
        key: change_of,
        numeric: true,
        help: "From A to B: in percent of A for times, in percentage points for efficiencies",
        cell: (figure) => [
          change_text(figure),
          several && ranges_overlap(figure) ? h("div", { class: "place" }, "ranges overlap") : null,
        ],
      },
    ],
  });
}

function call_columns(calls: readonly CallChange[]): Column<CallChange>[] {
  const size = (call: CallChange): number => Math.abs(call.b_s - call.a_s);
  const most = calls.reduce((largest, call) => Math.max(largest, size(call)), 0);
  // A side that never made the call has no value, which is not the same as 0.
  const of_side = (
    title: string,
    calls_made: (call: CallChange) => number,
    value: (call: CallChange) => number,
    cell: (value: number) => Child,
  ): Column<CallChange> => ({
    title,
    numeric: true,
    key: (call) => (calls_made(call) === 0 ? null : value(call)),
    cell: (call) => (calls_made(call) === 0 ? no_value : cell(value(call))),
  });
  const in_a = (call: CallChange): number => call.a_count;
  const in_b = (call: CallChange): number => call.b_count;
  return [
    code_column("Call", (call) => call.name),
    of_side("Time A", in_a, (call) => call.a_s, time),
    of_side("Time B", in_b, (call) => call.b_s, time),
    {
      title: "Difference",
      help: "Time in B minus time in A, sorted by absolute value",
      numeric: true,
      key: size,
      cell: (call) => signed_time(call.b_s - call.a_s),
      bar: (call) => (most > 0 ? size(call) / most : 0),
    },
    of_side("Count A", in_a, in_a, count),
    of_side("Count B", in_b, in_b, count),
    of_side("Bytes A", in_a, (call) => call.a_bytes, size_cell),
    of_side("Bytes B", in_b, (call) => call.b_bytes, size_cell),
  ];
}

function make_calls({ calls }: Comparison): Child {
  if (calls.length === 0) return absent("Plait recorded no MPI calls on either side.");
  return [
    h(
      "p",
      { class: "lead" },
      "Times are means over ranks; counts and bytes are sums over ranks. With several runs, " +
        "medians are shown. A dash means that the side did not make the call.",
    ),
    make_table<CallChange>({
      caption: "MPI calls by difference",
      row_noun: "call",
      rows: calls,
      columns: call_columns(calls),
      sorted_by: 3,
      descending: true,
      filter: (call) => call.name,
      first_rows: 12,
    }),
  ];
}

function make_lists({ findings_gone, findings_new, notes }: Comparison): Child {
  const list = (title: string, items: readonly string[], look: string): Child =>
    items.length === 0
      ? null
      : [
          h("dt", {}, h("span", { class: look }, title)),
          h(
            "dd",
            {},
            items.map((item) => h("div", {}, item)),
          ),
        ];
  const same = findings_gone.length === 0 && findings_new.length === 0;
  return h(
    "dl",
    { class: "gaps" },
    list("Gone in B", findings_gone, "good"),
    list("New in B", findings_new, "bad"),
    same ? [h("dt", {}, "Findings"), h("dd", {}, "A and B have the same findings.")] : null,
    list(notes.length === 1 ? "Note" : "Notes", notes, ""),
  );
}

/** Both traces with one scale: a move or zoom in one changes both. */
function make_timelines(report: Report): Child {
  const { compared_timelines: both, compared_samples: samples } = report;
  if (both === null) return null;
  const linked: Linked = { run_end: Math.max(both.a.end, both.b.end), controllers: [] };
  return [
    h("h3", {}, "Timelines of A and B"),
    h("p", { class: "lead" }, "Both have the same scale, and show the same window of time."),
    make_timeline(both.a, null, { letter: "A", linked }, samples?.a ?? null),
    make_timeline(both.b, null, { letter: "B", linked }, samples?.b ?? null),
  ];
}

/** The section; null without a comparison. */
export function make_comparison(report: Report): HTMLElement | null {
  const { compare, compare_problem } = report;
  const title = "What changed";
  if (compare === null) {
    return compare_problem === null
      ? null
      : section("compare", title, absent(`${compare_problem}.`));
  }
  return section(
    "compare",
    title,
    h("p", { class: "verdict" }, compare.sentence || "What changed is not known."),
    h("div", { class: "sides" }, make_side("A", compare.a), make_side("B", compare.b)),
    compare.unfair.length === 0
      ? null
      : h(
          "div",
          { class: "warning", role: "note" },
          h("strong", {}, "This comparison may be unfair:"),
          lines(compare.unfair),
        ),
    make_figures(compare),
    make_phases(compare.phases),
    make_timelines(report),
    make_compared_functions(compare.functions),
    make_compared_flame(report),
    h("h3", {}, "MPI calls by difference"),
    make_calls(compare),
    h("h3", {}, "Findings and notes"),
    make_lists(compare),
  );
}
