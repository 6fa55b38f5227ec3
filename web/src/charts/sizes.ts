// SPDX-License-Identifier: BSD-3-Clause
// The histogram of message sizes, with the machine's measured ping-pong curves.
import { axis_style, make_chart, tip } from "../chart";
import type { Drawing, Option, State } from "../chart";
import type { Path } from "../data/machine";
import type { SizeClass } from "../data/calls";
import { bytes, count, exact, microseconds, short_count, short_microseconds, time,
  time_scale } from "../format";
import type { Colours } from "../theme";
import { class_end, size_axis, size_position, zero_bytes_at } from "./size_axis";

const kind_names: Readonly<Record<string, string>> = {
  point_to_point: "Point to point",
  collective: "Collective",
};

function kind_name(kind: string): string {
  return kind_names[kind] ?? kind.replace(/_/g, " ");
}

interface RenderApi {
  value: (dimension: number) => number;
  coord: (point: readonly number[]) => number[];
}

/** Makes the histogram. `sizes` holds at least one class; `paths` may be empty. */
export function make_sizes_chart(sizes: readonly SizeClass[], paths: readonly Path[]): HTMLElement {
  // Point to point first, so that a kind has the same colour in every report.
  const kinds = [...new Set(sizes.map((size) => size.kind))].sort().reverse();
  const curves = paths.filter((path) => path.pingpong.length > 0);
  const has_time = sizes.some((size) => size.time_s !== null);
  const highest = Math.max(
    ...sizes.map((size) => class_end(size.high_bytes)),
    4,
    ...curves.flatMap((path) => path.pingpong.map((point) => size_position(point.bytes))),
  );
  const value_of = (size: SizeClass, state: State): number =>
    state["measure"] === "bytes"
      ? size.bytes
      : state["measure"] === "time"
        ? (size.time_s ?? 0)
        : size.count;
  const label_of = (value: number, state: State): string => {
    if (state["measure"] === "bytes") return bytes(value);
    if (state["measure"] !== "time") return short_count(value);
    return `${Number((value * time_scale(value).factor).toPrecision(3))} ${time_scale(value).unit}`;
  };
  const bar_colour = (colours: Colours, index: number): string =>
    [colours.compute, colours.idle, colours.other, colours.cpu_wait][index % 4] ?? colours.other;
  const curve_colour = (colours: Colours, index: number): string =>
    colours.series[(index + 1) % colours.series.length] ?? colours.text;
  const curve_name = (path: Path): string => `${path.name}: half round trip`;

  function histogram(
    kind: string,
    index: number,
    floor: number,
    { colours, state }: Drawing,
  ): Option {
    const shown = sizes.filter((size) => size.kind === kind && value_of(size, state) > 0);
    return {
      name: kind_name(kind),
      type: "custom",
      color: bar_colour(colours, index),
      yAxisIndex: 0,
      clip: true,
      encode: { x: [0, 1], y: 2 },
      data: shown.map((size) => [
        size.low_bytes < 1 ? zero_bytes_at : size_position(size.low_bytes),
        class_end(size.high_bytes),
        value_of(size, state),
        sizes.indexOf(size),
      ]),
      renderItem: (_: unknown, api: RenderApi) => {
        const [left = 0, top = 0] = api.coord([api.value(0), api.value(2)]);
        const [right = 0, bottom = 0] = api.coord([api.value(1), floor]);
        const slot = (right - left - 2) / kinds.length;
        return {
          type: "rect",
          shape: {
            x: left + 1 + slot * index,
            y: top,
            width: Math.max(slot - 0.5, 1),
            height: bottom - top,
          },
          style: { fill: bar_colour(colours, index), opacity: 0.85 },
        };
      },
      tooltip: {
        formatter: (item: { data: readonly number[] }) => {
          const size = sizes[item.data[3] ?? -1];
          return size === undefined
            ? ""
            : tip(`${kind_name(size.kind)}, ${range_of(size)}`, [
                ["Calls", count(size.count)],
                ["Bytes", bytes(size.bytes)],
                ["Time in calls", time(size.time_s)],
              ]);
        },
      },
    };
  }

  function option(drawing: Drawing): Option {
    const { colours, state, width } = drawing;
    const values = sizes.map((size) => value_of(size, state)).filter((value) => value > 0);
    const low = Math.min(...values, Infinity);
    const floor = 10 ** (Math.ceil(Math.log10(Number.isFinite(low) ? low : 1)) - 1);
    const names: Readonly<Record<string, string>> = { bytes: "bytes", time: "time in calls" };
    return {
      grid: { left: 8, right: curves.length > 0 ? 8 : 16, top: 14, bottom: 6 },
      xAxis: size_axis(colours, highest, width, "message size"),
      yAxis: [
        {
          type: "log",
          min: floor,
          ...axis_style(colours, names[state["measure"] ?? ""] ?? "calls"),
          axisLabel: {
            color: colours.muted,
            fontSize: 11.5,
            formatter: (value: number) => label_of(value, state),
          },
        },
        {
          type: "log",
          show: curves.length > 0,
          position: "right",
          ...axis_style(colours, "half round trip"),
          splitLine: { show: false },
          axisLabel: {
            color: colours.muted,
            fontSize: 11.5,
            formatter: short_microseconds,
          },
        },
      ],
      tooltip: { trigger: "item" },
      series: [
        ...kinds.map((kind, index) => histogram(kind, index, floor, drawing)),
        ...curves.map((path, index) => ({
          name: curve_name(path),
          type: "line",
          yAxisIndex: 1,
          symbolSize: 6,
          symbol: ["circle", "diamond", "triangle", "rect"][index % 4],
          color: curve_colour(colours, index),
          lineStyle: { width: 2 },
          data: path.pingpong
            .filter((point) => point.us.median > 0)
            .map((point) => [size_position(point.bytes), point.us.median, point.bytes]),
          tooltip: {
            formatter: (item: { data: readonly number[] }) =>
              tip(path.name, [
                ["Size", bytes(item.data[2] ?? 0)],
                ["Half round trip, median", microseconds(item.data[1] ?? null)],
              ]),
          },
        })),
      ],
    };
  }

  return make_chart({
    id: "sizes",
    title: curves.length > 0 ? "Message sizes and the measured ping-pong" : "Messages by size",
    description:
      "Histogram of message sizes" +
      (curves.length > 0 ? " with the machine's measured ping-pong times" : ""),
    caption:
      curves.length > 0
        ? "Bars (left scale): calls of this run by bytes per call. Lines (right scale): time of " +
          "one message on each measured path of this machine. Both scales are logarithmic."
        : "The scale is logarithmic. The machine's ping-pong was not measured, so there are no " +
          "curves; run plait measure to get them.",
    height: () => 380,
    toggles: [
      {
        name: "measure",
        label: "Measure",
        items: [
          { value: "count", label: "Calls" },
          { value: "bytes", label: "Bytes" },
          ...(has_time ? [{ value: "time", label: "Time" }] : []),
        ],
      },
    ],
    legend: (colours) => [
      ...kinds.map((kind, index) => ({
        name: kind_name(kind),
        colour: bar_colour(colours, index),
      })),
      ...curves.map((path, index) => ({
        name: curve_name(path),
        colour: curve_colour(colours, index),
        mark: "line" as const,
      })),
    ],
    option,
    data: () => ({
      columns: ["Kind", "From, B", "To, B", "Calls", "Bytes", "Time in calls, s"],
      rows: sizes.map((size) => [
        kind_name(size.kind),
        exact(size.low_bytes),
        exact(size.high_bytes),
        exact(size.count),
        exact(size.bytes),
        exact(size.time_s),
      ]),
    }),
  });
}

function range_of(size: SizeClass): string {
  return size.low_bytes === size.high_bytes
    ? bytes(size.low_bytes)
    : `${bytes(size.low_bytes)} to ${bytes(size.high_bytes)}`;
}
