// SPDX-License-Identifier: BSD-3-Clause
// Several pairs at once, pairs of one core, all-to-all and collectives, over message sizes.
import type { State } from "../chart";
import type { MultiPair, Path } from "../data/machine";
import type { AllToAllPoint, CollectivePoint } from "../data/messages";
import { plural } from "../format";
import { items_of, make_lines_chart, measured_point } from "./lines";
import type { Line } from "./lines";

const size_axis = { quantity: "bytes", name: "message size", log: true } as const;

/** Groups items into curves by name, each sorted by x. */
function lines_by<T>(
  items: readonly T[],
  name: (item: T) => string,
  point: (item: T) => Line["points"][number],
): Line[] {
  const names = [...new Set(items.map(name))];
  return names.map((title, colour) => ({
    name: title,
    colour,
    dashed: false,
    points: items
      .filter((item) => name(item) === title)
      .map(point)
      .sort((a, b) => a.x - b.x),
  }));
}

const patterns = [
  { value: "multi_pair", label: "Ping-pong" },
  { value: "multi_pair_pingping", label: "Ping-ping" },
] as const;

function pairs_of(paths: readonly Path[], state: State): readonly MultiPair[] {
  const path = paths.find(({ id }) => id === state["path"]) ?? paths[0];
  if (path === undefined) return [];
  return path[(state["pattern"] ?? "multi_pair") as "multi_pair" | "multi_pair_pingping"];
}

/** True if several pairs were measured at enough sizes for curves; otherwise a table is shown. */
export function has_pair_curves(path: Path): boolean {
  const items = [...path.multi_pair, ...path.multi_pair_pingping];
  return new Set(items.map((item) => item.bytes)).size >= 3;
}

/** Bandwidth over message size, a curve for each number of pairs (Stengel 2010, figures 1.2 to
 * 1.6). */
export function make_pairs_chart(paths: readonly Path[]): HTMLElement {
  const shown = [...paths].filter(has_pair_curves).reverse();
  return make_lines_chart({
    id: "pairs",
    title: "Several pairs at once",
    caption:
      "Total bandwidth of all pairs, in one direction. If more pairs do not add bandwidth, one " +
      "pair can fill the path.",
    x: size_axis,
    y: { quantity: "gbs", name: "GB/s", log: false },
    toggles: [
      {
        name: "path",
        label: "Path",
        items: shown.map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        name: "pattern",
        label: "Pattern",
        items: patterns.filter(({ value }) => shown.some((path) => path[value].length > 0)),
      },
    ],
    lines: (state) =>
      lines_by(
        [...pairs_of(shown, state)].sort((a, b) => a.pairs - b.pairs),
        (item) => plural(item.pairs, "pair"),
        (item) => measured_point(item.bytes, item.gbs),
      ),
  });
}

/** Time over message size from one core to each of the others (Henriksen 2008, figure 5.3). */
export function make_by_pair_chart(paths: readonly Path[]): HTMLElement {
  const measured = paths.filter((path) => path.by_pair.length > 0);
  const first = Math.min(
    ...measured.flatMap((path) => path.by_pair.map(({ pair }) => pair[0] ?? 0)),
  );
  const lines = measured.flatMap((path, colour): Line[] =>
    path.by_pair
      .filter(({ pair }) => pair[0] === first)
      .map(({ pair, pingpong }) => ({
        name: `${pair.join("\u2013")}, ${path.name}`,
        colour,
        dashed: false,
        points: pingpong.map((point) => measured_point(point.bytes, point.us)),
      })),
  );
  return make_lines_chart({
    id: "by-pair",
    title: `From core ${first} to each other core`,
    caption: "Half a round trip of each measured pair; one colour per path.",
    x: { quantity: "bytes", name: "message size", log: false },
    y: { quantity: "us", name: "time", log: false },
    lines: () => lines,
  });
}

/** Bandwidth of a process over message size, a curve for each placement on the nodes (Jost and
 * Robins 2010, figures 8 and 9). */
export function make_all_to_all_chart(points: readonly AllToAllPoint[]): HTMLElement {
  return make_lines_chart({
    id: "all-to-all",
    title: "All-to-all by processes per node",
    caption:
      "Send bandwidth of one process. Packed: sockets are filled one after another. Spread: the " +
      "processes are distributed over all sockets.",
    x: { ...size_axis, name: "bytes to each process" },
    y: { quantity: "gbs", name: "GB/s per process", log: true },
    toggles: [
      {
        name: "nodes",
        label: "Nodes",
        items: items_of(
          points.map((point) => point.nodes),
          (value) => plural(Number(value), "node"),
        ),
      },
    ],
    lines: (state) =>
      lines_by(
        points.filter((point) => String(point.nodes) === state["nodes"]),
        (point) =>
          `${point.ranks_per_node} per node, ${point.ranks_per_socket} per socket, ` +
          point.placement,
        (point) => measured_point(point.bytes, point.gbs),
      ),
  });
}

/** Time of a collective over its size, a curve for each number of ranks. */
export function make_collectives_chart(points: readonly CollectivePoint[]): HTMLElement {
  const sizes = (operation: string): number =>
    new Set(points.filter((point) => point.operation === operation).map(({ bytes }) => bytes)).size;
  // A barrier has one size and thus no curve, so it comes last.
  const operations = [...new Set(points.map((point) => point.operation))].sort(
    (a, b) => sizes(b) - sizes(a),
  );
  return make_lines_chart({
    id: "collectives",
    title: "Collectives",
    caption: "Time until the last rank has finished, over the bytes that one rank contributes.",
    x: { ...size_axis, name: "bytes per rank" },
    y: { quantity: "us", name: "time", log: true },
    toggles: [
      {
        name: "operation",
        label: "Operation",
        items: items_of(operations),
      },
    ],
    lines: (state) =>
      lines_by(
        points.filter((point) => point.operation === state["operation"]),
        (point) => `${plural(point.ranks, "rank")} on ${plural(point.nodes, "node")}`,
        (point) => measured_point(point.bytes, point.us),
      ),
  });
}
