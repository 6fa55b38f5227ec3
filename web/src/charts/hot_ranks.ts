// SPDX-License-Identifier: BSD-3-Clause
// The hottest functions by rank, as a heat map.
import { axis_style, make_chart, tip } from "../chart";
import type { Drawing, Option, State } from "../chart";
import { count, exact, percent, significant, time } from "../format";
import type { CallTree, Frame } from "../samples/call_tree";
import { has_caller } from "../samples/call_tree";
import { group_values } from "../samples/rank_strip";

const most_functions = 15;

interface Row {
  name: string;
  short: string;
  /** Seconds by rank. */
  values: number[];
}

/** Sums over all frames of a function; a frame below one of the same function counts once. */
function rows_of(tree: CallTree, inclusive: boolean): Row[] {
  const rows = new Map<string, Row>();
  const add = (frame: Frame): void => {
    if (inclusive && has_caller(frame, (caller) => caller.name === frame.name)) return;
    const values = tree.of_ranks(0, frame, inclusive);
    const row = rows.get(frame.name);
    if (row === undefined) {
      rows.set(frame.name, { name: frame.name, short: frame.short, values: [...values] });
    } else row.values = row.values.map((value, i) => value + values[i]!);
  };
  tree.frames.forEach(add);
  const sum = ({ values }: Row): number => values.reduce((all, value) => all + value, 0);
  const rate = tree.runs[0]?.rate_hz ?? 1;
  return [...rows.values()]
    .filter((row) => sum(row) > 0)
    .sort((a, b) => sum(b) - sum(a))
    .slice(0, most_functions)
    .map((row) => ({ ...row, values: row.values.map((value) => value / rate) }));
}

/** Makes the heat map; the run has at least two ranks. */
export function make_hot_ranks_chart(tree: CallTree): HTMLElement {
  const ranks = tree.ranks[0] ?? [];
  const size = Math.max(1, Math.ceil(ranks.length / group_values(ranks).length));
  const made = new Map<string, Row[]>();
  const rows_now = (state: State): Row[] => {
    const metric = state["metric"] ?? "exclusive";
    if (!made.has(metric)) made.set(metric, rows_of(tree, metric === "inclusive"));
    return made.get(metric)!;
  };
  const columns = group_values(ranks).map((_, i) => String(ranks[i * size]));

  function option({ colours, state, width }: Drawing): Option {
    const rows = rows_now(state);
    const data = rows.flatMap((row, y) =>
      group_values(row.values).map((value, x) => [x, y, value] as const),
    );
    const label_px = Math.min(220, width * 0.36);
    return {
      grid: { left: 6, right: 6, top: 6, bottom: 6, containLabel: true },
      xAxis: {
        type: "category", data: columns, ...axis_style(colours, "rank"), nameGap: 26,
        splitLine: { show: false },
      },
      yAxis: {
        type: "category", inverse: true, data: rows.map(({ short }) => short),
        ...axis_style(colours), splitLine: { show: false }, axisTick: { show: false },
        axisLabel: {
          color: colours.muted, fontSize: 11.5, width: label_px, overflow: "truncate",
        },
      },
      visualMap: {
        show: false, type: "continuous", min: 0, dimension: 2, seriesIndex: 0,
        max: Math.max(1e-12, ...data.map(([, , value]) => value)),
        inRange: { color: colours.ramp },
      },
      tooltip: {
        formatter: ({ data: [x, y, value] }: { data: readonly [number, number, number] }) => {
          const row = rows[y];
          if (row === undefined) return "";
          const mean = row.values.reduce((all, one) => all + one, 0) / row.values.length;
          return tip(row.name, [
            [size === 1 ? `Rank ${columns[x]}` : `Most of ranks from ${columns[x]}`, time(value)],
            ["Mean of ranks", time(mean)],
            ["To the mean", mean > 0 ? `${significant(value / mean)} times` : percent(null)],
          ]);
        },
      },
      series: [{ type: "heatmap", name: "time", progressive: 0, data }],
    };
  }

  return make_chart({
    id: "hot-ranks",
    title: "Functions by rank",
    description: `Heat map of the time of the hottest functions on ${count(ranks.length)} ranks`,
    caption:
      size === 1 ? "" : `Each cell shows the largest time of ${size} ranks.`,
    height: (_, state) => 60 + 24 * rows_now(state).length,
    toggles: [
      {
        name: "metric",
        label: "Time",
        items: [
          { value: "exclusive", label: "Itself" },
          { value: "inclusive", label: "With calls" },
        ],
      },
    ],
    ranks_of: (index) => {
      const x = index % columns.length;
      return ranks.slice(x * size, (x + 1) * size);
    },
    option,
    data: (state) => ({
      columns: ["Function", ...ranks.map((rank) => `Rank ${rank}, s`)],
      rows: rows_now(state).map(({ short, values }) => [short, ...values.map(exact)]),
    }),
  });
}
