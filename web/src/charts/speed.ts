// SPDX-License-Identifier: BSD-3-Clause
// The machine's speed by cores: STREAM bandwidth, and the Jacobi kernel's P(k) under its bound.
import { axis_style, curve_style, make_chart, tip } from "../chart";
import type { Drawing, LegendItem, Option } from "../chart";
import type { Jacobi, Stream } from "../data/machine";
import type { Statistic } from "../data/statistic";
import { exact, rate, short_count } from "../format";
import type { Colours } from "../theme";

interface Point {
  cores: number;
  value: number;
  statistic: Statistic | null;
}
interface Curve {
  name: string;
  points: Point[];
  colour: number;
  dashed: boolean;
}

function stores(non_temporal: boolean): string {
  return non_temporal ? "non-temporal stores" : "ordinary stores";
}

/** Curves by name, each in the order of cores. */
function curves_of<T>(
  items: readonly T[],
  name: (item: T) => string,
  dashed: (item: T) => boolean,
  point: (item: T) => Point,
): Curve[] {
  const curves = new Map<string, Curve>();
  for (const item of items) {
    const curve = curves.get(name(item)) ?? {
      name: name(item),
      points: [],
      colour: curves.size,
      dashed: dashed(item),
    };
    curve.points.push(point(item));
    curves.set(curve.name, curve);
  }
  for (const curve of curves.values()) curve.points.sort((a, b) => a.cores - b.cores);
  return [...curves.values()];
}

/** The speed that STREAM copy allows the Jacobi kernel, as the machine file has it. */
function bounds_of(jacobi: readonly Jacobi[]): Curve[] {
  return curves_of(
    jacobi.filter((item) => item.limit_mlups !== null),
    (item) => `Bound: STREAM copy, ${stores(item.non_temporal)}`,
    () => true,
    (item) => ({ cores: item.cores, value: item.limit_mlups ?? 0, statistic: null }),
  );
}

function make_speed_chart(
  curves: readonly Curve[],
  id: string,
  title: string,
  caption: string,
  unit: string,
): HTMLElement {
  const colour = (colours: Colours, curve: Curve): string =>
    colours.series[curve.colour % colours.series.length] ?? colours.text;
  const most = Math.max(...curves.flatMap((curve) => curve.points.map((point) => point.cores)), 1);

  function option({ colours }: Drawing): Option {
    return {
      grid: { left: 8, right: 18, top: 14, bottom: 6 },
      xAxis: {
        type: "value",
        min: 0,
        max: most * 1.04,
        minInterval: 1,
        ...axis_style(colours, "cores"),
        nameGap: 26,
        splitLine: { show: false },
        axisLabel: {
          color: colours.muted,
          fontSize: 11.5,
          showMaxLabel: false,
          formatter: (value: number) => (Number.isInteger(value) ? String(value) : ""),
        },
      },
      yAxis: {
        type: "value",
        min: 0,
        ...axis_style(colours, unit),
        axisLabel: { color: colours.muted, fontSize: 11.5, formatter: short_count },
      },
      tooltip: { trigger: "item" },
      series: curves.map((curve) => ({
        name: curve.name,
        type: "line",
        ...curve_style(colours, colour(colours, curve), curve.dashed, 7),
        data: curve.points.map((point, index) => [point.cores, point.value, index]),
        tooltip: {
          formatter: (item: { data: readonly number[] }) => {
            const point = curve.points[item.data[2] ?? -1];
            if (point === undefined) return "";
            const interval: [string, string][] =
              point.statistic === null
                ? []
                : [
                    [
                      "Interval",
                      [point.statistic.ci_low, point.statistic.ci_high]
                        .map((end) => rate(end, unit))
                        .join(" to "),
                    ],
                  ];
            return tip(curve.name, [
              ["Cores", String(point.cores)],
              [curve.name.startsWith("Bound") ? "Bound" : "Median", rate(point.value, unit)],
              ...interval,
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
    height: () => 320,
    option,
    legend: (colours) =>
      curves.map((curve): LegendItem => ({
        name: curve.name,
        colour: colour(colours, curve),
        mark: curve.dashed ? "dashed" : "line",
      })),
    data: () => ({
      columns: [
        "Curve",
        "Cores",
        `Median, ${unit}`,
        `Minimum, ${unit}`,
        `Interval, ${unit}`,
        "Samples",
      ],
      rows: curves.flatMap((curve) =>
        curve.points.map(({ cores, value, statistic }) => [
          curve.name,
          exact(cores),
          exact(value),
          exact(statistic?.min ?? null),
          statistic === null ? "" : `${exact(statistic.ci_low)} to ${exact(statistic.ci_high)}`,
          exact(statistic?.n ?? null),
        ]),
      ),
    }),
  });
}

/** STREAM bandwidth over threads. */
export function make_stream_chart(stream: readonly Stream[]): HTMLElement {
  const curves = curves_of(
    stream,
    (item) => `${item.kernel}, ${stores(item.non_temporal)}`,
    (item) => !item.non_temporal,
    (item) => ({ cores: item.threads, value: item.gbs.median, statistic: item.gbs }),
  );
  const kernels = [...new Set(stream.map((item) => item.kernel))];
  for (const curve of curves) {
    curve.colour = kernels.findIndex((kernel) => curve.name.startsWith(`${kernel},`));
  }
  return make_speed_chart(
    curves,
    "stream",
    "Memory bandwidth (STREAM)",
    "As STREAM counts it: bytes read and written by the kernel, without write-allocates.",
    "GB/s",
  );
}

/** The speed P(k) of the 6-point Jacobi kernel on k cores, with its bandwidth bound. */
export function make_jacobi_chart(jacobi: readonly Jacobi[]): HTMLElement {
  const measured = curves_of(
    jacobi,
    (item) => `Jacobi, ${stores(item.non_temporal)}`,
    () => false,
    (item) => ({ cores: item.cores, value: item.mlups.median, statistic: item.mlups }),
  );
  const bounds = bounds_of(jacobi);
  for (const bound of bounds) {
    const same = measured.find((curve) => curve.name.endsWith(bound.name.split(", ")[1] ?? ""));
    bound.colour = same?.colour ?? measured.length + bound.colour;
  }
  const grid = jacobi[0]?.grid ?? [];
  return make_speed_chart(
    [...measured, ...bounds],
    "jacobi",
    "Speed of the Jacobi kernel, P(k)",
    "Million lattice updates a second" +
      (grid.length > 0 ? ` on ${grid.join(" \u00d7 ")} points` : "") +
      (bounds.length > 0
        ? "; the bound is STREAM copy at 16 B an update."
        : ". No STREAM copy, so no bound."),
    "MLUP/s",
  );
}
