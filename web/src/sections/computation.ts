// SPDX-License-Identifier: BSD-3-Clause
// Computation: hot spots, the flame graph, the call tree, functions by rank, source, functions.
import { make_hot_ranks_chart } from "../charts/hot_ranks";
import { bar_column, code_column, count_column, share_column, time_column } from "../columns";
import type { Difference, HotSpot, InstrumentedFunction } from "../data/computation";
import type { Report } from "../data/report";
import type { Samples } from "../data/samples";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { count, no_value, percent, plural, share_range, significant, time } from "../format";
import { CallTree } from "../samples/call_tree";
import { make_rank_choice } from "../samples/choice";
import { make_flame_chart } from "../samples/flame";
import { place_text } from "../samples/place";
import { make_source } from "../samples/source";
import { make_tree_table } from "../samples/tree_table";
import { make_table } from "../table";
import type { Column } from "../table";

function function_column<Row extends { file: string; line: number }>(
  name: (row: Row) => string,
): Column<Row> {
  return {
    title: "Function, file:line",
    key: name,
    cell: (row) => [
      h("code", {}, name(row)),
      h("div", { class: "place", title: row.file }, place_text(row.file, row.line)),
    ],
  };
}

/** "Rank 1 spends 2.1 times the mean in assemble (mesh.cpp:60), 80 % of its excess." */
function make_difference(of: Difference | null): Child {
  if (of === null) return null;
  const place = place_text(of.file, of.line);
  return h(
    "p",
    { class: "judgement" },
    `Rank ${of.rank} spends ${significant(of.ratio, 2)} times the mean in `,
    h("code", { title: of.file }, of.function),
    place === "" ? "" : ` (${place})`,
    `: ${percent(of.explains)} of its excess in code.`,
  );
}

function make_hot_spots(spots: HotSpot[], difference: Difference | null): Child {
  if (spots.length === 0) return null;
  return [
    h("h3", {}, "Hot spots"),
    make_difference(difference),
    make_table<HotSpot>({
      caption: "Hot spots",
      row_noun: "place",
      rows: spots,
      filter: ({ function: name, file }) => `${name} ${file}`,
      first_rows: 10,
      columns: [
        function_column((spot) => spot.function),
        bar_column("Share", (spot) => spot.share, "Share of the samples in code"),
        {
          title: "Interval",
          help: "95 % interval of the share",
          key: (spot) => spot.low,
          numeric: true,
          cell: ({ low, high }) =>
            low === null || high === null ? no_value : share_range(low, high),
        },
        {
          title: "Worst rank",
          help: "The rank that spends most there, and its time relative to the mean of the ranks",
          key: (spot) => spot.worst_ratio,
          numeric: true,
          cell: ({ worst_rank, worst_ratio, worst_thread }) =>
            worst_rank === null
              ? no_value
              : [
                  worst_ratio === null ? no_value : `${significant(worst_ratio)} \u00d7`,
                  h(
                    "div",
                    { class: "place" },
                    `rank ${worst_rank}`,
                    worst_thread === null ? "" : `, thread ${worst_thread}`,
                  ),
                ],
        },
        share_column(
          "Of imbalance",
          (spot) => spot.explains_imbalance,
          "The share of the load imbalance that this place explains",
        ),
      ],
    }),
  ];
}

function make_functions(functions: InstrumentedFunction[]): Child {
  if (functions.length === 0) return null;
  const whole = functions.reduce((sum, item) => sum + item.exclusive_s, 0);
  const off = functions.filter(({ switched_off }) => switched_off).length;
  return [
    h("h3", {}, "Instrumented functions"),
    h(
      "p",
      { class: "lead" },
      "Times of the functions that --functions names, summed over ranks and threads." +
        (off === 0
          ? ""
          : ` ${plural(off, "function")} too short and too frequent: Plait stopped recording.`),
    ),
    make_table<InstrumentedFunction>({
      caption: "Instrumented functions",
      row_noun: "function",
      rows: functions,
      filter: ({ name, file }) => `${name} ${file}`,
      sorted_by: 2,
      descending: true,
      columns: [
        function_column((item) => item.name),
        count_column("Calls", (item) => item.calls),
        time_column(
          "Itself",
          (item) => item.exclusive_s,
          "Without the named functions that it calls",
        ),
        bar_column("Share", (item) => (whole > 0 ? item.exclusive_s / whole : null)),
        time_column("With calls", (item) => item.inclusive_s),
        time_column("Mean", (item) => (item.calls > 0 ? item.inclusive_s / item.calls : null)),
        {
          title: "Most",
          help: "The rank with most time in the function itself",
          key: (item) => item.worst_s,
          numeric: true,
          cell: ({ worst_rank, worst_s }) =>
            worst_rank === null
              ? no_value
              : [time(worst_s), h("div", { class: "place" }, `rank ${worst_rank}`)],
        },
        count_column("Ranks", (item) => item.ranks),
        code_column("", (item) => (item.switched_off ? "switched off" : " "), "place"),
      ],
    }),
  ];
}

function summary(samples: Samples): string {
  const taken = samples.threads.reduce((sum, thread) => sum + thread.samples, 0);
  const lost = samples.threads.reduce((sum, thread) => sum + thread.lost, 0);
  const cut = samples.threads.reduce((sum, thread) => sum + thread.truncated, 0);
  const parts = [
    `${count(taken)} samples of ${plural(samples.threads.length, "thread")}, ` +
      `${significant(samples.rate_hz)} per second of ` +
      `${samples.clock === "wall" ? "time" : "CPU time"} and thread.`,
    "Intervals are 95 % intervals of a share.",
  ];
  if (lost > 0) parts.push(`${plural(lost, "sample")} lost.`);
  if (cut > 0) parts.push(`${plural(cut, "stack")} could not be followed to the end.`);
  if (samples.overhead_percent !== null) {
    parts.push(`Sampling took ${percent(samples.overhead_percent / 100)} of the threads' time.`);
  }
  return parts.join(" ");
}

function make_sampled(samples: Samples, report: Report): Child {
  const tree = new CallTree([samples]);
  if (samples.counts.length === 0) return absent("No samples were taken: the run was too short.");
  const choice = make_rank_choice(tree, () => chart.draw());
  const chart = make_flame_chart({
    id: "flame",
    title: "Flame graph",
    caption:
      "Each bar is a function below its caller; its width is its share of the samples. A " +
      "difference is coloured by the time per rank, and is as wide as the mean of both sides.",
    tree,
    ...choice,
  });
  return [
    h("p", { class: "lead" }, summary(samples)),
    make_hot_spots(report.profile.hot_spots, report.profile.difference),
    chart.figure,
    h("h3", {}, "Call tree"),
    make_tree_table(tree),
    (tree.ranks[0]?.length ?? 0) < 2 ? null : make_hot_ranks_chart(tree),
    h("h3", {}, "Source"),
    make_source(samples, report.sources) ??
      absent("No source file of the hot lines could be read where the report was written."),
  ];
}

/** The section; null for a run without samples and without instrumented functions. */
export function make_computation(report: Report): HTMLElement | null {
  const { samples, samples_problem, profile } = report;
  if (samples === null && samples_problem === null && profile.functions.length === 0) return null;
  return section(
    "computation",
    "Computation",
    samples_problem === null ? null : absent(`${samples_problem}.`),
    samples === null ? null : make_sampled(samples, report),
    make_functions(profile.functions),
  );
}
