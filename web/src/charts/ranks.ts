// SPDX-License-Identifier: BSD-3-Clause
// The time of each rank: compute, MPI, OpenMP idle, and the CPU time that others took from it.
import { axis_style, make_chart, tip } from "../chart";
import type { Drawing, Option, State } from "../chart";
import type { Rank } from "../data/profile";
import { count, exact, percent, time, time_scale } from "../format";
import type { Colours } from "../theme";

/** A bar: one rank, or the mean of the ranks of one host. */
interface Bar {
  label: string;
  /** null: of several ranks. */
  rank: number | null;
  wall: number;
  parts: Record<Part, number>;
  taken: number | null;
}
type Part = "compute" | "mpi" | "idle" | "other";
const part_names: Record<Part, string> = {
  compute: "Compute",
  mpi: "MPI",
  idle: "OpenMP idle",
  other: "Before Init, after Finalize",
};
const taken_name = "CPU taken by others";
const parts = ["compute", "mpi", "idle", "other"] as const;
const most_horizontal = 40;
/** From here on steps of an area: thousands of bars of less than a pixel make false patterns. */
const least_area = 129;

function bar_of_rank(rank: Rank): Bar {
  const idle = rank.omp_idle_s ?? 0;
  const other = rank.wall_s - rank.compute_s - rank.mpi_s - idle;
  return {
    label: String(rank.rank),
    rank: rank.rank,
    wall: rank.wall_s,
    taken: rank.cpu_taken_s,
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
      wall: mean((bar) => bar.wall),
      taken: bars.every((bar) => bar.taken === null) ? null : mean((bar) => bar.taken ?? 0),
      parts: {
        compute: mean((bar) => bar.parts.compute),
        mpi: mean((bar) => bar.parts.mpi),
        idle: mean((bar) => bar.parts.idle),
        other: mean((bar) => bar.parts.other),
      },
    };
  });
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
  const by_host = bars_of_hosts(ranks);
  const bars_of = (state: State): Bar[] => (state["group"] === "hosts" ? by_host : by_rank);
  const noun = (state: State): string => (state["group"] === "hosts" ? "host" : "rank");
  const longest = Math.max(...by_rank.map((bar) => bar.wall), 1e-12);
  const scale = time_scale(longest);
  const has_taken = by_rank.some((bar) => bar.taken !== null);

  function option({ colours, state, paper, chosen }: Drawing): Option {
    const bars = bars_of(state);
    const horizontal = bars.length <= most_horizontal;
    const area = bars.length >= least_area;
    const steps = { type: "line", step: "middle", showSymbol: false, symbol: "none" };
    // The thin bar comes first: overlapping bars are centred by the width of the last.
    const series: Option[] = [];
    if (has_taken) {
      series.push({
        name: taken_name,
        color: colours.taken,
        z: 4,
        ...(area
          ? { ...steps, lineStyle: { width: 1.2 } }
          : { type: "bar", stack: "taken", barWidth: "18%", barGap: "-100%" }),
        data: bars.map((bar) => (bar.taken ?? 0) * scale.factor),
      });
    }
    for (const part of used_parts(bars)) {
      series.push({
        name: part_names[part],
        stack: "time",
        color: colour_of(part, colours),
        ...(area
          ? { ...steps, lineStyle: { width: 0 }, areaStyle: { opacity: 1 } }
          : { type: "bar", barWidth: "72%" }),
        data: bars.map((bar) => bar.parts[part] * scale.factor),
      });
    }
    const names = {
      type: "category",
      data: bars.map((bar) =>
        bar.rank !== null && chosen.has(bar.rank) ? `\u25b8 ${bar.label}` : bar.label,
      ),
      ...axis_style(colours),
      axisTick: { show: false },
      splitLine: { show: false },
      inverse: horizontal,
      ...(horizontal && noun(state) === "host"
        ? {}
        : {
            name: noun(state),
            nameLocation: horizontal ? "start" : "middle",
            ...(horizontal ? {} : { nameGap: 24 }),
            nameTextStyle: {
              color: colours.muted,
              fontSize: 12,
              align: horizontal ? "left" : "center",
            },
          }),
    };
    const times = {
      type: "value",
      min: 0,
      ...axis_style(colours, `time, ${scale.unit}`),
      nameGap: horizontal ? 26 : 34,
    };
    const zoom = !horizontal && !paper && bars.length > 96;
    return {
      grid: { left: 8, right: 14, top: horizontal ? 30 : 12, bottom: zoom ? 74 : 6 },
      xAxis: horizontal ? times : names,
      yAxis: horizontal ? names : times,
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
    description: `Stacked bars of the time of ${count(ranks.length)} ranks`,
    caption:
      "Compute is time outside MPI and outside OpenMP waiting; OpenMP idle is the mean of the " +
      "rank's threads. CPU taken by others, summed over its threads, lies within the others: " +
      "it is drawn over them, not added." +
      (has_taken ? "" : " CPU taken by others was not measured."),
    ranks_of: (index, state) => {
      if (state["group"] !== "hosts") return [ranks[index]?.rank ?? []].flat();
      const host = by_host[index]?.label;
      return ranks.filter((rank) => rank.host === host).map((rank) => rank.rank);
    },
    height: (_, state) => {
      const bars = bars_of(state).length;
      return bars <= most_horizontal ? 82 + 26 * bars : 360;
    },
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
      ...(has_taken ? [{ name: taken_name, colour: colours.taken }] : []),
    ],
    option,
    data: (state) =>
      state["group"] === "hosts"
        ? {
            columns: ["Host", "Wall, s", "Compute, s", "MPI, s", "OpenMP idle, s", "CPU taken, s"],
            rows: by_host.map((bar) => [
              bar.label,
              exact(bar.wall),
              exact(bar.parts.compute),
              exact(bar.parts.mpi),
              exact(bar.parts.idle),
              exact(bar.taken),
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
              "CPU taken, s",
              "MPI calls",
              "Bytes",
              "Voluntary switches",
              "Involuntary switches",
            ],
            rows: ranks.map((rank) => [
              String(rank.rank),
              rank.host,
              rank.pid === null ? "" : String(rank.pid),
              rank.state,
              count(rank.threads),
              exact(rank.wall_s),
              exact(rank.compute_s),
              exact(rank.mpi_s),
              exact(rank.omp_idle_s),
              exact(rank.cpu_s),
              exact(rank.cpu_taken_s),
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
  return tip(noun === "host" ? `${bar.label}, mean of its ranks` : `Rank ${bar.label}`, [
    ["Wall time", time(bar.wall)],
    ...used_parts([bar]).map((part) => [part_names[part], share(bar.parts[part])] as const),
    [taken_name, bar.taken === null ? "not measured" : share(bar.taken)],
  ]);
}
