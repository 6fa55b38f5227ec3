// SPDX-License-Identifier: BSD-3-Clause
// A chart of measured curves and their bounds, over message sizes, times, cores or nodes.
import { axis_style, curve_style, make_chart, tip } from "../chart";
import type { ChartSpec, Drawing, LegendItem, Option, State } from "../chart";
import type { Statistic } from "../data/statistic";
import { bytes, exact, microseconds, rate, short_count, short_microseconds } from "../format";
import type { PlainTable } from "../table";
import type { Colours } from "../theme";
import { size_axis, size_position } from "./size_axis";

/** A point of a curve; a bound has no statistic. */
export interface Point {
  x: number;
  y: number;
  statistic: Statistic | null;
  /** Another value of the same measurement, for the tooltip and the table. */
  also?: { name: string; quantity: Quantity; value: number };
}
export interface Line {
  name: string;
  points: readonly Point[];
  /** Index of the series' colour; negative: muted, without symbols. */
  colour: number;
  dashed: boolean;
  /** Name of a point's value; by default "Median", or "Bound" for a point without a statistic. */
  value_name?: string;
}

/** The quantity of an axis; "count" is a plain number. */
export type Quantity = "bytes" | "us" | "gbs" | "count" | "mlups" | "intensity" | "gflops";
export interface Axis {
  quantity: Quantity;
  name: string;
  /** Logarithmic; to base 2 for bytes. */
  log: boolean;
}
export interface LinesSpec {
  id: string;
  title: string;
  caption: string;
  x: Axis;
  y: Axis;
  toggles?: ChartSpec["toggles"];
  lines: (state: State) => readonly Line[];
}

/** A measured point. */
export function measured_point(x: number, statistic: Statistic): Point {
  return { x, y: statistic.median, statistic };
}

/** The distinct values of a list, in order of appearance, as the items of a toggle. */
export function items_of(
  values: readonly (string | number)[],
  label: (value: string) => string = (value) => value,
): { value: string; label: string }[] {
  return [...new Set(values.map(String))].map((value) => ({ value, label: label(value) }));
}

const units: Readonly<Record<Quantity, string>> = {
  bytes: "B",
  us: "\u00b5s",
  gbs: "GB/s",
  count: "",
  mlups: "MLUP/s",
  intensity: "FLOP/B",
  gflops: "GFLOP/s",
};

function text_of(quantity: Quantity, value: number): string {
  if (quantity === "bytes") return bytes(value);
  if (quantity === "count") return String(value);
  return quantity === "us" ? microseconds(value) : rate(value, units[quantity]);
}

function short_text(quantity: Quantity, value: number): string {
  if (value === 0) return "0";
  if (quantity === "count") return Number.isInteger(value) ? String(value) : "";
  if (quantity === "mlups") return short_count(value);
  if (quantity === "bytes") return bytes(value);
  return quantity === "us" ? short_microseconds(value) : String(Number(value.toPrecision(3)));
}

function colour_of(colours: Colours, line: Line): string {
  return line.colour < 0
    ? colours.muted
    : (colours.series[line.colour % colours.series.length] ?? colours.text);
}

function position(axis: Axis, value: number): number {
  return axis.quantity === "bytes" && axis.log ? size_position(value) : value;
}

function value_axis(colours: Colours, axis: Axis): Option {
  return {
    ...axis_style(colours),
    type: axis.log ? "log" : "value",
    ...(axis.log ? {} : { min: 0 }),
    name: axis.name,
    nameLocation: "middle",
    nameTextStyle: { color: colours.muted, fontSize: 12 },
    axisLabel: {
      color: colours.muted,
      fontSize: 11.5,
      hideOverlap: true,
      formatter: (value: number) => short_text(axis.quantity, value),
    },
  };
}

/** A power of two that divides an axis of bytes into four to eight parts. */
function byte_step(largest: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(largest)) - 3);
}

function x_axis(colours: Colours, axis: Axis, lines: readonly Line[], width: number): Option {
  const ends = lines.flatMap((line) => line.points.map((point) => position(axis, point.x)));
  if (axis.quantity === "bytes" && axis.log) {
    return size_axis(colours, Math.max(4, ...ends), width, axis.name);
  }
  return {
    ...value_axis(colours, axis),
    ...(axis.quantity === "bytes" ? { interval: byte_step(Math.max(1, ...ends)) } : {}),
    ...(axis.quantity === "count" ? { minInterval: 1 } : {}),
    nameGap: 26,
    splitLine: { show: false },
  };
}

function heading(name: string, quantity: Quantity): string {
  return units[quantity] === "" ? name : `${name}, ${units[quantity]}`;
}

function table_of(spec: LinesSpec, lines: readonly Line[]): PlainTable {
  const { quantity } = spec.y;
  const value_names = [...new Set(lines.map(({ value_name }) => value_name ?? "Median"))];
  const also = lines.flatMap(({ points }) => points.flatMap((point) => point.also ?? []))[0];
  return {
    columns: [
      "Curve",
      heading(spec.x.name, spec.x.quantity),
      heading(value_names.join(" or "), quantity),
      heading("Minimum", quantity),
      heading("Interval", quantity),
      "Samples",
      ...(also === undefined ? [] : [heading(also.name, also.quantity)]),
    ],
    rows: lines.flatMap((line) =>
      line.points.map(({ x, y, statistic, also: other }) => [
        line.name,
        exact(x),
        exact(y),
        exact(statistic?.min ?? null),
        statistic === null ? "" : `${exact(statistic.ci_low)} to ${exact(statistic.ci_high)}`,
        exact(statistic?.n ?? null),
        ...(also === undefined ? [] : [exact(other?.value ?? null)]),
      ]),
    ),
  };
}

function tip_of(spec: LinesSpec, line: Line, point: Point): HTMLElement {
  const { quantity } = spec.y;
  const interval: [string, string][] =
    point.statistic === null
      ? []
      : [
          [
            "Interval",
            [point.statistic.ci_low, point.statistic.ci_high]
              .map((end) => (end === null ? "" : text_of(quantity, end)))
              .join(" to "),
          ],
        ];
  return tip(line.name, [
    [spec.x.name, text_of(spec.x.quantity, point.x)],
    [
      line.value_name ?? (point.statistic === null ? "Bound" : "Median"),
      text_of(quantity, point.y),
    ],
    ...interval,
    ...(point.also === undefined
      ? []
      : [[point.also.name, text_of(point.also.quantity, point.also.value)] as const]),
  ]);
}

function series_of(spec: LinesSpec, line: Line, colours: Colours): Option {
  return {
    name: line.name,
    type: "line",
    ...curve_style(colours, colour_of(colours, line), line.dashed, line.colour < 0 ? 0 : 6),
    data: line.points.flatMap((point, index) =>
      spec.y.log && point.y <= 0 ? [] : [[position(spec.x, point.x), point.y, index]],
    ),
    tooltip: {
      formatter: (item: { data: readonly number[] }) => {
        const point = line.points[item.data[2] ?? -1];
        return point === undefined ? "" : tip_of(spec, line, point);
      },
    },
  };
}

export function make_lines_chart(spec: LinesSpec): HTMLElement {
  const option = ({ colours, width, state }: Drawing): Option => {
    const lines = spec.lines(state);
    return {
      grid: { left: 8, right: 18, top: 14, bottom: 6 },
      xAxis: x_axis(colours, spec.x, lines, width),
      yAxis: value_axis(colours, spec.y),
      tooltip: { trigger: "item" },
      series: lines.map((line) => series_of(spec, line, colours)),
    };
  };
  return make_chart({
    id: spec.id,
    title: spec.title,
    caption: spec.caption,
    description: spec.title,
    height: () => 320,
    option,
    ...(spec.toggles === undefined ? {} : { toggles: spec.toggles }),
    legend: (colours, state) =>
      spec.lines(state).map((line): LegendItem => ({
        name: line.name,
        colour: colour_of(colours, line),
        mark: line.dashed ? "dashed" : "line",
      })),
    data: (state) => table_of(spec, spec.lines(state)),
  });
}
