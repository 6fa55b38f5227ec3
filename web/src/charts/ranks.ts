// SPDX-License-Identifier: BSD-3-Clause
// The time of each rank: compute, MPI, OpenMP idle, and waiting for a CPU.
import { make_chart, tip } from "../chart";
import type { Drawing, Option, State } from "../chart";
import type { Rank } from "../data/profile";
import { count, exact, percent, time, time_scale } from "../format";
import type { Colours } from "../theme";
import {
  bar_axes,
  chart_height,
  is_horizontal,
  overlay_style,
  part_style,
  rank_label,
} from "./bars";

/** A bar: one rank, or the mean of the ranks of one host. */
interface Bar {
  label: string;
  /** null: the mean of several ranks. */
  rank: number | null;
  wall: number;
  /** The least and most computation of several ranks; null: of one. */
  compute: readonly [number, number] | null;
  parts: Record<Part, number>;
  cpu_wait: number | null;
}
type Part = "compute" | "mpi" | "idle" | "other";
const part_names: Record<Part, string> = {
  compute: "Compute",
  mpi: "MPI",
  idle: "OpenMP idle",
  other: "Before MPI_Init, after MPI_Finalize",
};
const cpu_wait_name = "Waiting for a CPU";
const least_name = "Least compute of these ranks";
const most_name = "Most compute of these ranks";
const parts = ["compute", "mpi", "idle", "other"] as const;

function bar_of_rank(rank: Rank): Bar {
  const idle = rank.omp_idle_s ?? 0;
  const other = rank.wall_s - rank.compute_s - rank.mpi_s - idle;
  const several = rank.last_rank > rank.rank;
  return {
    label: several ? `${rank.rank}\u2013${rank.last_rank}` : String(rank.rank),
    rank: several ? null : rank.rank,
    wall: rank.wall_s,
    compute: several ? [rank.compute_least_s, rank.compute_most_s] : null,
    cpu_wait: rank.cpu_wait_s,
    parts: {
      compute: rank.compute_s,
      mpi: rank.mpi_s,
      idle,
      other: other > 0.005 * rank.wall_s ? other : 0,
    },
  };
}

function bars_of_hosts(ranks: readonly Rank[]): Bar[] {
  const hosts = new Map<string, Bar[]>();
  for (const rank of ranks) {
    const bars = hosts.get(rank.host) ?? [];
    bars.push(bar_of_rank(rank));
    hosts.set(rank.host, bars);
  }
  return [...hosts].map(([host, bars]) => {
    const mean = (value: (bar: Bar) => number): number =>
      bars.reduce((sum, bar) => sum + value(bar), 0) / bars.length;
    return {
      label: host,
      rank: null,
      compute: null,
      wall: mean((bar) => bar.wall),
      cpu_wait: bars.every((bar) => bar.cpu_wait === null)
        ? null
        : mean((bar) => bar.cpu_wait ?? 0),
      parts: {
        compute: mean((bar) => bar.parts.compute),
        mpi: mean((bar) => bar.parts.mpi),
        idle: mean((bar) => bar.parts.idle),
        other: mean((bar) => bar.parts.other),
      },
    };
  });
}

function number_of(ranks: readonly Rank[]): number {
  return ranks.reduce((sum, rank) => sum + rank.last_rank - rank.rank + 1, 0);
}

function colour_of(part: Part, colours: Colours): string {
  return { compute: colours.compute, mpi: colours.mpi, idle: colours.idle, other: colours.other }[
    part
  ];
}

function used_parts(bars: readonly Bar[]): Part[] {
  return parts.filter(
    (part) => part === "compute" || part === "mpi" || bars.some((bar) => bar.parts[part] > 0),
  );
}

/** Makes the chart of time by rank. `ranks` holds at least one. */
export function make_ranks_chart(ranks: readonly Rank[]): HTMLElement {
  const by_rank = ranks.map(bar_of_rank);
  const is_binned = by_rank.some((bar) => bar.compute !== null);
  const by_host = is_binned ? [] : bars_of_hosts(ranks);
  const bars_of = (state: State): Bar[] => (state["group"] === "hosts" ? by_host : by_rank);
  const noun = (state: State): string => (state["group"] === "hosts" ? "host" : "rank");
  const longest = Math.max(...by_rank.map((bar) => bar.wall), 1e-12);
  const scale = time_scale(longest);
  const has_cpu_wait = by_rank.some((bar) => bar.cpu_wait !== null);

  function option({ colours, state, paper, selected }: Drawing): Option {
    const bars = bars_of(state);
    // The thin bar comes first: overlapping bars are centred by the width of the last.
    const series: Option[] = [];
    if (has_cpu_wait) {
      series.push({
        name: cpu_wait_name,
        color: colours.cpu_wait,
        z: 4,
        ...overlay_style(bars.length),
        data: bars.map((bar) => (bar.cpu_wait ?? 0) * scale.factor),
      });
    }
    for (const part of used_parts(bars)) {
      series.push({
        name: part_names[part],
        stack: "time",
        color: colour_of(part, colours),
        ...part_style(bars.length),
        data: bars.map((bar) => bar.parts[part] * scale.factor),
      });
    }
    if (is_binned && noun(state) === "rank") {
      for (const [name, which] of [
        [least_name, 0],
        [most_name, 1],
      ] as const) {
        series.push({
          name,
          type: "line",
          step: "middle",
          color: colours.text,
          z: 5,
          showSymbol: false,
          symbol: "none",
          lineStyle: { width: 1, type: which === 0 ? "dotted" : "solid" },
          data: bars.map((bar) => (bar.compute?.[which] ?? bar.parts.compute) * scale.factor),
        });
      }
    }
    const labels = bars.map((bar) =>
      rank_label(bar.label, bar.rank !== null && selected.has(bar.rank)),
    );
    const horizontal = is_horizontal(bars.length);
    const name = horizontal && noun(state) === "host" ? null : noun(state);
    const axes = bar_axes(colours, labels, name, scale.unit);
    const zoom = !horizontal && !paper && bars.length > 96;
    return {
      ...axes,
      grid: { ...(axes["grid"] as Option), bottom: zoom ? 74 : 6 },
      ...(zoom
        ? {
            dataZoom: [
              {
                type: "slider",
                height: 20,
                bottom: 6,
                left: 60,
                right: 16,
                borderColor: colours.line,
                brushSelect: false,
                showDataShadow: false,
                textStyle: { color: colours.muted },
                labelFormatter: (index: number) => bars[index]?.label ?? "",
              },
              {
                type: "inside",
                zoomOnMouseWheel: "ctrl",
                moveOnMouseWheel: false,
                preventDefaultMouseMove: false,
              },
            ],
          }
        : {}),
      tooltip: {
        trigger: "axis",
        axisPointer: { type: "shadow" },
        formatter: (items: readonly { dataIndex: number }[]) => {
          const bar = bars[items[0]?.dataIndex ?? -1];
          return bar === undefined ? "" : describe(bar, noun(state));
        },
      },
      series,
    };
  }

  return make_chart({
    id: "ranks",
    title: "Compute, MPI and idle time",
    description: `Stacked bars of the time of ${count(number_of(ranks))} ranks`,
    caption:
      "Compute is time outside MPI without OpenMP idle time. OpenMP idle is the mean over the " +
      "rank's threads. Waiting for a CPU is summed over the rank's threads. It is part of the " +
      "other times, so it is drawn on top of them and not added." +
      (has_cpu_wait ? "" : " It was not measured in this run.") +
      (is_binned
        ? " Each bar is the mean of several ranks; the lines are the least and most computation " +
          "of these ranks."
        : ""),
    ranks_of: (index, state) => {
      if (is_binned) return [];
      if (state["group"] !== "hosts") return [ranks[index]?.rank ?? []].flat();
      const host = by_host[index]?.label;
      return ranks.filter((rank) => rank.host === host).map((rank) => rank.rank);
    },
    height: (_, state) => chart_height(bars_of(state).length),
    toggles: [
      {
        name: "group",
        label: "Bars",
        items:
          by_host.length > 1
            ? [
                { value: "ranks", label: "Ranks" },
                { value: "hosts", label: "Mean of each host" },
              ]
            : [],
      },
    ],
    legend: (colours, state) => [
      ...used_parts(bars_of(state)).map((part) => ({
        name: part_names[part],
        colour: colour_of(part, colours),
      })),
      ...(has_cpu_wait ? [{ name: cpu_wait_name, colour: colours.cpu_wait }] : []),
    ],
    option,
    data: (state) =>
      state["group"] === "hosts"
        ? {
            columns: ["Host", "Wall, s", "Compute, s", "MPI, s", "OpenMP idle, s", "CPU wait, s"],
            rows: by_host.map((bar) => [
              bar.label,
              exact(bar.wall),
              exact(bar.parts.compute),
              exact(bar.parts.mpi),
              exact(bar.parts.idle),
              exact(bar.cpu_wait),
            ]),
          }
        : {
            columns: [
              "Rank",
              "Host",
              "Process",
              "State",
              "Threads",
              "Wall, s",
              "Compute, s",
              "MPI, s",
              "OpenMP idle, s",
              "CPU, s",
              "CPU wait, s",
              "MPI calls",
              "Bytes",
              "Voluntary switches",
              "Involuntary switches",
            ],
            rows: ranks.map((rank, index) => [
              by_rank[index]?.label ?? "",
              rank.host,
              rank.pid === null ? "" : String(rank.pid),
              rank.state,
              count(rank.threads),
              exact(rank.wall_s),
              exact(rank.compute_s),
              exact(rank.mpi_s),
              exact(rank.omp_idle_s),
              exact(rank.cpu_s),
              exact(rank.cpu_wait_s),
              exact(rank.calls),
              exact(rank.bytes),
              exact(rank.voluntary_switches),
              exact(rank.involuntary_switches),
            ]),
          },
  });
}

function describe(bar: Bar, noun: string): HTMLElement {
  const share = (value: number): string =>
    `${time(value)}  (${percent(bar.wall > 0 ? value / bar.wall : null)})`;
  const title =
    noun === "host"
      ? `${bar.label}, mean of its ranks`
      : bar.compute === null
        ? `Rank ${bar.label}`
        : `Ranks ${bar.label}, mean`;
  return tip(title, [
    ["Wall time", time(bar.wall)],
    ...(bar.compute === null
      ? []
      : [
          [least_name, share(bar.compute[0])] as const,
          [most_name, share(bar.compute[1])] as const,
        ]),
    ...used_parts([bar]).map((part) => [part_names[part], share(bar.parts[part])] as const),
    [cpu_wait_name, bar.cpu_wait === null ? "not measured" : share(bar.cpu_wait)],
  ]);
}
