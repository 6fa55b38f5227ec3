// SPDX-License-Identifier: BSD-3-Clause
// The communication matrix as a heat map with a logarithmic colour scale and node borders.
import { axis_style, make_chart, tip } from "../chart";
import type { Drawing, Option, State } from "../chart";
import type { Matrix, Traffic } from "../data/calls";
import type { Rank } from "../data/profile";
import { h } from "../dom";
import { bytes, count, exact } from "../format";
import { text_on } from "../theme";
import type { Colours } from "../theme";

const most_cells = 256;
const most_labelled = 8;

/** Ranks per cell: 1 for up to 256 ranks, then if possible a divisor of the ranks of a node. */
export function ranks_per_cell(size: number, nodes: readonly number[]): number {
  const least = Math.ceil(size / most_cells);
  const on_first = nodes.filter((node) => node === nodes[0]).length;
  for (let bin = least; bin <= 2 * least; bin += 1) if (on_first % bin === 0) return bin;
  return least;
}

/** Positions k such that rank k is on another node than rank k - 1. */
export function node_borders(nodes: readonly number[]): number[] {
  return nodes.flatMap((node, rank) => (rank > 0 && node !== nodes[rank - 1] ? [rank] : []));
}

/** Adds up the traffic of the ranks of each cell. */
export function bin_traffic(traffic: readonly Traffic[], bin: number): Traffic[] {
  if (bin === 1) return [...traffic];
  const cells = new Map<number, Traffic>();
  for (const item of traffic) {
    const from = Math.floor(item.from / bin);
    const to = Math.floor(item.to / bin);
    const cell = cells.get(from * 65536 + to) ?? { from, to, messages: 0, bytes: 0 };
    cell.messages += item.messages;
    cell.bytes += item.bytes;
    cells.set(from * 65536 + to, cell);
  }
  return [...cells.values()];
}

interface View {
  cells: Traffic[];
  value: (cell: Traffic) => number;
  low: number;
  high: number;
}

/** Makes the heat map. `matrix` holds traffic of at least one kind. */
export function make_matrix_chart(matrix: Matrix, ranks: readonly Rank[]): HTMLElement {
  const is_binned = matrix.ranks_per_cell > 1;
  const bin = is_binned ? matrix.ranks_per_cell : ranks_per_cell(matrix.size, matrix.nodes);
  const cells = Math.ceil(matrix.size / bin);
  const binned = {
    point_to_point: bin_traffic(matrix.point_to_point, is_binned ? 1 : bin),
    collective: bin_traffic(matrix.collective, is_binned ? 1 : bin),
  };
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(cells / 16)));
  const side = Math.min(680, Math.max(320, cells * 130 + 60));
  const borders = node_borders(matrix.nodes);
  const borders_drawn = borders.length <= Math.max(2, matrix.size / 3);
  const hosts = new Map(ranks.map((rank) => [rank.rank, rank.host]));
  const name_of = (cell: number): string => {
    if (bin > 1) return `ranks ${cell * bin}\u2013${Math.min(matrix.size, (cell + 1) * bin) - 1}`;
    const host = hosts.get(cell);
    return host === undefined ? `rank ${cell}` : `rank ${cell} (${host})`;
  };
  const label_of = (cell: number): string => String(cell * bin);
  const is_bytes = (state: State): boolean => state["measure"] === "bytes";

  function view(state: State): View {
    const value = (cell: Traffic): number => (is_bytes(state) ? cell.bytes : cell.messages);
    const shown = (
      state["kind"] === "collective" ? binned.collective : binned.point_to_point
    ).filter((cell) => value(cell) > 0);
    let low = Infinity;
    let high = 0;
    for (const cell of shown) {
      low = Math.min(low, value(cell));
      high = Math.max(high, value(cell));
    }
    // The scale spans at least a decade, so that nearly equal cells look alike.
    return {
      cells: shown,
      value,
      low: high === 0 ? 0.1 : Math.min(low, high / 10),
      high: high || 1,
    };
  }

  function option({ colours, state, selected }: Drawing): Option {
    const { cells: shown, value, low, high } = view(state);
    const axis = (name: string): Option => ({
      type: "category",
      data: Array.from({ length: cells }, (_, index) =>
        bin === 1 && selected.has(index) ? `\u25b8${label_of(index)}` : label_of(index),
      ),
      ...axis_style(colours, name),
      splitLine: { show: false },
      axisTick: { show: false },
      axisLabel: {
        color: colours.muted,
        fontSize: 11.5,
        interval: (index: number) => index % every === 0,
      },
      axisLine: { lineStyle: { color: colours.axis } },
    });
    const gap = cells <= 64 ? 1 : 0;
    return {
      grid: { left: 6, right: 6, top: 6, bottom: 6, show: true, borderColor: colours.line },
      xAxis: { ...axis("to rank"), position: "bottom", nameGap: 26 },
      yAxis: { ...axis("from rank"), inverse: true },
      visualMap: {
        show: false,
        type: "continuous",
        min: Math.log10(low),
        max: Math.log10(high),
        dimension: 2,
        seriesIndex: 0,
        inRange: { color: colours.ramp },
      },
      tooltip: {
        formatter: (item: { data: { value: readonly number[] } }) => {
          const cell = shown[item.data.value[3] ?? -1];
          return cell === undefined
            ? ""
            : tip(`${name_of(cell.from)} \u2192 ${name_of(cell.to)}`, [
                ["Messages", count(cell.messages)],
                ["Bytes", bytes(cell.bytes)],
                ["Mean size", cell.messages > 0 ? bytes(cell.bytes / cell.messages) : "\u2013"],
              ]);
        },
      },
      series: [
        {
          type: "heatmap",
          name: "traffic",
          progressive: 0,
          itemStyle: { borderWidth: gap, borderColor: colours.surface },
          emphasis: { itemStyle: { borderColor: colours.text, borderWidth: 1 } },
          label: {
            show: cells <= most_labelled,
            fontSize: 11.5,
            formatter: (item: { data: { value: readonly number[] } }) => {
              const cell = shown[item.data.value[3] ?? -1];
              return cell === undefined
                ? ""
                : is_bytes(state)
                  ? bytes(cell.bytes)
                  : count(cell.messages);
            },
          },
          data: shown.map((cell, index) => {
            const log = Math.log10(value(cell));
            const share = (log - Math.log10(low)) / Math.log10(high / low);
            return {
              value: [cell.to, cell.from, log, index],
              ...(cells <= most_labelled ? { label: { color: label_colour(colours, share) } } : {}),
            };
          }),
        },
        ...(borders_drawn && borders.length > 0 ? [border_lines(colours)] : []),
      ],
    };
  }

  function border_lines(colours: Colours): Option {
    return {
      type: "custom",
      name: "node borders",
      silent: true,
      clip: true,
      z: 5,
      encode: { x: -1, y: -1 },
      data: borders.map((border) => [border / bin]),
      renderItem: (_: unknown, api: CustomApi) => {
        const [width = 0, height = 0] = api.size([1, 1]);
        const [x0 = 0, y0 = 0] = api.coord([0, 0]);
        const at = api.value(0) - 0.5;
        const line = (shape: Option): Option => ({
          type: "line",
          shape,
          style: { stroke: colours.border, lineWidth: 1.2, opacity: 0.75 },
        });
        const [left, top] = [x0 - width / 2, y0 - height / 2];
        return {
          type: "group",
          children: [
            line({ x1: x0 + at * width, x2: x0 + at * width, y1: top, y2: top + cells * height }),
            line({
              y1: y0 + at * height,
              y2: y0 + at * height,
              x1: left,
              x2: left + cells * width,
            }),
          ],
        };
      },
    };
  }

  const kinds = [
    { value: "point_to_point", label: "Point to point" },
    { value: "collective", label: "Implied by collectives" },
  ].filter(({ value }) => binned[value as keyof typeof binned].length > 0);
  return make_chart({
    id: "matrix",
    title:
      kinds.length === 1
        ? `Communication matrix: ${kinds[0]!.label.toLowerCase()}`
        : "Communication matrix",
    description: `Heat map of the traffic between ${count(matrix.size)} ranks`,
    caption: [
      matrix.left_out > 0
        ? `${count(matrix.left_out)} pairs with the fewest bytes are left out.`
        : "",
      bin > 1 ? `Each cell adds up ${bin} \u00d7 ${bin} ranks.` : "",
      borders.length === 0
        ? ""
        : borders_drawn
          ? "Lines separate the ranks of different nodes."
          : "Node borders are not drawn, because most neighbouring ranks are on different nodes.",
      "The colour scale is logarithmic; an empty cell means no traffic.",
      "Implied by collectives: the data that each rank must receive from each other rank, " +
        "whatever the algorithm.",
    ]
      .filter((line) => line !== "")
      .join(" "),
    renderer: cells > 48 ? "canvas" : "svg",
    most_width: side,
    ranks_of: (index, state) => {
      const cell = view(state).cells[index];
      if (cell === undefined || bin > 1) return [];
      return cell.from === cell.to ? [cell.from] : [cell.from, cell.to];
    },
    height: (width) => Math.min(width, side),
    toggles: [
      { name: "kind", label: "Kind of traffic", items: kinds },
      {
        name: "measure",
        label: "Measure",
        items: [
          { value: "bytes", label: "Bytes" },
          { value: "messages", label: "Messages" },
        ],
      },
    ],
    scale: (colours, state) => {
      const { low, high, cells: shown } = view(state);
      return shown.length === 0
        ? h("span", { class: "note" }, "No traffic of this kind.")
        : colour_scale(colours, low, high, is_bytes(state) ? bytes : count);
    },
    option,
    data: (state) => {
      const { cells: shown, value } = view(state);
      const sorted = [...shown].sort((a, b) => value(b) - value(a));
      return {
        columns: [
          bin > 1 ? "From ranks" : "From rank",
          bin > 1 ? "To ranks" : "To rank",
          "Messages",
          "Bytes",
        ],
        rows: sorted.map((cell) => [
          name_of(cell.from).replace(/^ranks? /, ""),
          name_of(cell.to).replace(/^ranks? /, ""),
          exact(cell.messages),
          exact(cell.bytes),
        ]),
      };
    },
  });
}

/** The text colour on the ramp's colour at `share`. */
function label_colour({ ramp }: Colours, share: number): string {
  const position = share * (ramp.length - 1);
  const [low, high] = [Math.floor(position), Math.ceil(position)];
  const channel = (colour: string | undefined, at: number): number =>
    parseInt((colour ?? "#000000").slice(at, at + 2), 16) / 255;
  const mixed = (at: number): number => {
    const from = channel(ramp[low], at);
    return from + (channel(ramp[high], at) - from) * (position - low);
  };
  return text_on(mixed(1), mixed(3), mixed(5));
}

interface CustomApi {
  value: (dimension: number) => number;
  coord: (point: readonly number[]) => number[];
  size: (extent: readonly number[]) => number[];
}

function colour_scale(
  colours: Colours,
  low: number,
  high: number,
  show: (value: number) => string,
): HTMLElement {
  const bar = h("span", { class: "ramp", "aria-hidden": "true" });
  bar.style.background = `linear-gradient(to right, ${colours.ramp.join(", ")})`;
  return h("span", { class: "colour-scale" }, show(low), bar, `${show(high)} (log)`);
}
