// SPDX-License-Identifier: BSD-3-Clause
// Latency and bandwidth of the machine's communication paths: over MPI, and the bare bound.
import { axis_style, make_chart, tip } from "../chart";
import type { Drawing, LegendItem, Option } from "../chart";
import type { Path, PingPong } from "../data/machine";
import { bytes, exact, microseconds, rate, time_scale } from "../format";
import type { PlainTable } from "../table";
import type { Colours } from "../theme";
import { size_axis, size_position } from "./size_axis";

/** One curve: a path over MPI (solid), or between the same cores without MPI (dashed). */
interface Curve { name: string; path: string; points: readonly PingPong[]; colour: number; bare: boolean }

function curves_of(paths: readonly Path[]): Curve[] {
  return paths.flatMap((path, index): Curve[] => [
    { name: `${path.name}: MPI`, path: path.name, points: path.pingpong, colour: index, bare: false },
    { name: `${path.name}: bare copy`, path: path.name, points: path.memcpy, colour: index, bare: true },
  ]).filter((curve) => curve.points.length > 0);
}

function legend_of(curves: readonly Curve[], colours: Colours): LegendItem[] {
  return curves.map((curve) => ({
    name: curve.name, colour: colours.series[curve.colour % colours.series.length] ?? colours.text,
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
    columns: ["Curve", "Size, B", "Median, \u00b5s", "Minimum, \u00b5s", "Interval, \u00b5s", "Samples", "GB/s"],
    rows: curves.flatMap((curve) => curve.points.map((point) => [
      curve.name, exact(point.bytes), exact(point.us.median), exact(point.us.min),
      `${exact(point.us.ci_low)} to ${exact(point.us.ci_high)}`, exact(point.us.n),
      exact(bandwidth_of(point)),
    ])),
  };
}

function make_curves_chart(
  paths: readonly Path[], id: string, title: string, caption: string, axis: Option,
  value: (point: PingPong) => number | null,
): HTMLElement {
  const curves = curves_of(paths);
  const highest = Math.max(4, ...curves.flatMap((curve) =>
    curve.points.map((point) => size_position(point.bytes))));

  function option({ colours, width }: Drawing): Option {
    return {
      grid: { left: 8, right: 18, top: 14, bottom: 6 },
      xAxis: size_axis(colours, highest, width, "message size"),
      yAxis: { ...axis_style(colours), type: "log", ...axis,
        nameLocation: "middle", nameTextStyle: { color: colours.muted, fontSize: 12 },
        axisLabel: { color: colours.muted, fontSize: 11.5, ...(axis["axisLabel"] as Option) } },
      tooltip: { trigger: "item" },
      series: curves.map((curve) => ({
        name: curve.name, type: "line", symbolSize: 6, symbol: curve.bare ? "emptyCircle" : "circle",
        color: colours.series[curve.colour % colours.series.length],
        lineStyle: { width: 2, type: curve.bare ? "dashed" : "solid" },
        data: curve.points.flatMap((point, index) => {
          const y = value(point);
          return y === null || y <= 0 ? [] : [[size_position(point.bytes), y, index]];
        }),
        tooltip: { formatter: (item: { data: readonly number[] }) => {
          const point = curve.points[item.data[2] ?? -1];
          return point === undefined ? "" : tip(curve.name, [
            ["Size", bytes(point.bytes)], ["One way, median", microseconds(point.us.median)],
            ["Interval", `${microseconds(point.us.ci_low)} to ${microseconds(point.us.ci_high)}`],
            ["Bandwidth", rate(bandwidth_of(point), "GB/s")]]);
        } },
      })),
    };
  }

  return make_chart({
    id, title, caption, description: title, height: () => 340, option,
    legend: (colours) => legend_of(curves, colours), data: () => table_of(curves),
  });
}

/** Latency over message size, for each path. */
export function make_latency_chart(paths: readonly Path[]): HTMLElement {
  const lines = paths.flatMap((path) => path.line_us === null ? []
    : [`${path.name} ${microseconds(path.line_us.median)}`]);
  return make_curves_chart(paths, "latency", "Latency of the paths",
    "Median half round trip over MPI, and a bare copy between the same cores as the bound." +
      (lines.length > 0 ? ` A bare cache line takes one way: ${lines.join(", ")}.` : ""),
    { name: "one way", axisLabel: { formatter: (value: number) => {
      const { factor, unit } = time_scale(value * 1e-6);
      return `${Number((value * 1e-6 * factor).toPrecision(2))} ${unit}`;
    } } },
    (point) => point.us.median);
}

/** Bandwidth over message size, for each path. */
export function make_bandwidth_chart(paths: readonly Path[]): HTMLElement {
  return make_curves_chart(paths, "bandwidth", "Bandwidth of the paths",
    "Message size over one-way time, one pair of cores at a time.",
    { name: "GB/s", axisLabel: { formatter: (value: number) => String(Number(value.toPrecision(3))) } },
    bandwidth_of);
}
