// SPDX-License-Identifier: BSD-3-Clause
// Functions that became slower or faster between two sampled sides: a table and a flame graph.
import type { FunctionChange, Spread } from "../data/compare";
import type { Report } from "../data/report";
import { h } from "../dom";
import type { Child } from "../dom";
import { no_value, signed_percent, time, time_range } from "../format";
import { CallTree } from "../samples/call_tree";
import { make_flame_chart } from "../samples/flame";
import { make_table } from "../table";
import type { Column } from "../table";
import { place_text } from "../samples/place";

function change_of({ a, b }: FunctionChange): number {
  return (b?.median ?? 0) - (a?.median ?? 0);
}

function side(title: string, of: "a" | "b"): Column<FunctionChange> {
  const cell = (spread: Spread | null): Child =>
    spread === null
      ? no_value
      : [time(spread.median), h("div", { class: "place" }, time_range(spread.low, spread.high))];
  return {
    title,
    numeric: true,
    key: (item) => item[of]?.median ?? null,
    cell: (item) => cell(item[of]),
    help: "Time in the function itself, mean per rank, and its 95 % interval",
  };
}

const looks: Readonly<Record<string, string>> = { slower: "bad", faster: "good" };

/** The table; nothing if a side was not sampled. */
export function make_compared_functions(functions: readonly FunctionChange[]): Child {
  if (functions.length === 0) return null;
  return [
    h("h3", {}, "Functions by difference"),
    make_table<FunctionChange>({
      caption: "Functions by difference",
      row_noun: "function",
      rows: functions,
      filter: ({ name, file }) => `${name} ${file}`,
      first_rows: 12,
      columns: [
        {
          title: "Function, file:line",
          key: ({ name }) => name,
          cell: ({ name, file, line }) => [
            h("code", {}, name),
            h("div", { class: "place", title: file }, place_text(file, line)),
          ],
        },
        side("A", "a"),
        side("B", "b"),
        {
          title: "Change",
          numeric: true,
          key: change_of,
          help: "From A to B, in percent of A; undecided where the intervals overlap",
          cell: (item) => [
            item.a === null || item.b === null || item.a.median === 0
              ? no_value
              : signed_percent(item.b.median / item.a.median - 1),
            h("div", { class: looks[item.verdict] ?? "place" }, item.verdict),
          ],
        },
      ],
    }),
  ];
}

/** The difference of the samples of both sides' first runs; nothing if a side has none. */
export function make_compared_flame({ compared_samples: both }: Report): Child {
  if (both === null) return null;
  const tree = new CallTree([both.a, both.b]);
  return make_flame_chart({
    id: "compared-flame",
    title: "Functions of B compared with A",
    caption:
      "Times are means per rank. Red functions took longer in B, blue ones in A; the width is " +
      "the mean of both.",
    tree,
    shown: () => ({ subject: { run: 1, ranks: null }, base: { run: 0, ranks: null } }),
    names: () => ["B", "A"],
    tools: null,
  }).figure;
}
