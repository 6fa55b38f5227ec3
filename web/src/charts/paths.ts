// SPDX-License-Identifier: BSD-3-Clause
// Latency and bandwidth of the machine's communication paths: over MPI, and the bare bound.
import { axis_style, curve_style, make_chart, tip } from "../chart";
import type { Drawing, LegendItem, Option, State } from "../chart";
import type { Path, PingPong } from "../data/machine";
import { bytes, exact, microseconds, rate, time_scale } from "../format";
import type { PlainTable } from "../table";
import type { Colours } from "../theme";
import { size_axis, size_position } from "./size_axis";

/** One curve: a path over MPI (solid), or between the same cores without MPI (dashed). */
interface Curve {
  name: string;
  points: readonly PingPong[];
  colour: number;
  bare: boolean;
}

type Pattern = "pingpong" | "pingping" | "off_cache";
const patterns: Readonly<
  Record<Pattern, { label: string; mpi: keyof Points; bare: keyof Points | null }>
> = {
  pingpong: { label: "Ping-pong", mpi: "pingpong", bare: "memcpy" },
  pingping: { label: "Ping-ping", mpi: "pingping", bare: "bare_pingping" },
  off_cache: { label: "Off-cache", mpi: "off_cache", bare: null },
};
type Points = Pick<Path, "pingpong" | "pingping" | "off_cache" | "memcpy" | "bare_pingping">;

function curves_of(paths: readonly Path[], state: State): Curve[] {
  const { mpi, bare } = patterns[(state["pattern"] ?? "pingpong") as Pattern];
  return paths
    .flatMap((path, index): Curve[] => [
      { name: `${path.name}: MPI`, points: path[mpi], colour: index, bare: false },
      {
        name: `${path.name}: bare copy`,
        points: bare === null ? [] : path[bare],
        colour: index,
        bare: true,
      },
    ])
    .filter((curve) => curve.points.length > 0);
}

function colour_of(colours: Colours, curve: Curve): string {
  return colours.series[curve.colour % colours.series.length] ?? colours.text;
}

function legend_of(curves: readonly Curve[], colours: Colours): LegendItem[] {
  return curves.map((curve) => ({
    name: curve.name,
    colour: colour_of(colours, curve),
    mark: curve.bare ? "dashed" : "line",
  }));
}

/** GB/s of a message, from the file or else bytes over its one-way time. */
function bandwidth_of(point: PingPong): number | null {
  if (point.gbs !== null && point.gbs > 0) return point.gbs;
  return point.bytes > 0 && point.us.median > 0 ? point.bytes / point.us.median / 1e3 : null;
}

function table_of(curves: readonly Curve[]): PlainTable {
  return {
    columns: [
      "Curve",
      "Size, B",
      "Median, \u00b5s",
      "Minimum, \u00b5s",
      "Interval, \u00b5s",
      "Samples",
      "GB/s",
    ],
    rows: curves.flatMap((curve) =>
      curve.points.map((point) => [
        curve.name,
        exact(point.bytes),
        exact(point.us.median),
        exact(point.us.min),
        `${exact(point.us.ci_low)} to ${exact(point.us.ci_high)}`,
        exact(point.us.n),
        exact(bandwidth_of(point)),
      ]),
    ),
  };
}

function make_curves_chart(
  paths: readonly Path[],
  id: string,
  title: string,
  caption: string,
  axis: Option,
  value: (point: PingPong) => number | null,
): HTMLElement {
  const used = (Object.keys(patterns) as Pattern[]).filter(
    (pattern) => curves_of(paths, { pattern }).length > 0,
  );

  function option({ colours, width, state }: Drawing): Option {
    const curves = curves_of(paths, state);
    const highest = Math.max(
      4,
      ...curves.flatMap((curve) => curve.points.map((point) => size_position(point.bytes))),
    );
    return {
      grid: { left: 8, right: 18, top: 14, bottom: 6 },
      xAxis: size_axis(colours, highest, width, "message size"),
      yAxis: {
        ...axis_style(colours),
        type: "log",
        ...axis,
        nameLocation: "middle",
        nameTextStyle: { color: colours.muted, fontSize: 12 },
        axisLabel: { color: colours.muted, fontSize: 11.5, ...(axis["axisLabel"] as Option) },
      },
      tooltip: { trigger: "item" },
      series: curves.map((curve) => ({
        name: curve.name,
        type: "line",
        ...curve_style(colours, colour_of(colours, curve), curve.bare, 6),
        data: curve.points.flatMap((point, index) => {
          const y = value(point);
          return y === null || y <= 0 ? [] : [[size_position(point.bytes), y, index]];
        }),
        tooltip: {
          formatter: (item: { data: readonly number[] }) => {
            const point = curve.points[item.data[2] ?? -1];
            return point === undefined
              ? ""
              : tip(curve.name, [
                  ["Size", bytes(point.bytes)],
                  ["Median", microseconds(point.us.median)],
                  [
                    "Interval",
                    `${microseconds(point.us.ci_low)} to ${microseconds(point.us.ci_high)}`,
                  ],
                  ["Bandwidth", rate(bandwidth_of(point), "GB/s")],
                ]);
          },
        },
      })),
    };
  }

  return make_chart({
    id,
    title,
    caption,
    description: title,
    height: () => 340,
    option,
    toggles: [
      {
        name: "pattern",
        label: "Pattern",
        items: used.map((pattern) => ({ value: pattern, label: patterns[pattern].label })),
      },
    ],
    legend: (colours, state) => legend_of(curves_of(paths, state), colours),
    data: (state) => table_of(curves_of(paths, state)),
  });
}

/** Latency over message size, for each path. */
export function make_latency_chart(paths: readonly Path[]): HTMLElement {
  const lines = paths.flatMap((path) =>
    path.line_us === null ? [] : [`${path.name} ${microseconds(path.line_us.median)}`],
  );
  return make_curves_chart(
    paths,
    "latency",
    "Latency of the paths",
    "Median half round trip (ping-pong) or time of one exchange (ping-ping) over MPI, and a bare " +
      "copy between the same cores as the bound." +
      (lines.length > 0 ? ` A bare cache line takes one way: ${lines.join(", ")}.` : ""),
    {
      name: "time",
      axisLabel: {
        formatter: (value: number) => {
          const { factor, unit } = time_scale(value * 1e-6);
          return `${Number((value * 1e-6 * factor).toPrecision(2))} ${unit}`;
        },
      },
    },
    (point) => point.us.median,
  );
}

/** Bandwidth over message size, for each path. */
export function make_bandwidth_chart(paths: readonly Path[]): HTMLElement {
  return make_curves_chart(
    paths,
    "bandwidth",
    "Bandwidth of the paths",
    "Message size over that time, in one direction, one pair of cores at a time.",
    {
      name: "GB/s",
      axisLabel: { formatter: (value: number) => String(Number(value.toPrecision(3))) },
    },
    bandwidth_of,
  );
}
