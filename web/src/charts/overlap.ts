// SPDX-License-Identifier: BSD-3-Clause
// A message during a computation, and a message inside a node together with one between nodes.
import type { State } from "../chart";
import type { MixedPoint, OverlapPoint } from "../data/messages";
import { bytes } from "../format";
import { items_of, make_lines_chart, measured_point } from "./lines";
import type { Line } from "./lines";

/** A toggle's value for one path, protocol and size. */
function case_of(point: OverlapPoint): string {
  return `${point.protocol}, ${bytes(point.bytes)}, ${point.path}`;
}

function points_shown(points: readonly OverlapPoint[], state: State): OverlapPoint[] {
  return points.filter(
    (point) => case_of(point) === state["message"] && point.setting === state["setting"],
  );
}

/** No overlap: the sum of both; full overlap: the longer of both. */
function overlap_bounds(points: readonly OverlapPoint[]): Line[] {
  const longest = Math.max(0, ...points.map((point) => point.work_us));
  // Each curve has its own time of the message alone; the bounds use the median of these times.
  const alones = points.map((point) => point.alone_us).sort((a, b) => a - b);
  const alone = alones[Math.floor(alones.length / 2)] ?? 0;
  const bound = (name: string, xs: readonly number[], y: (x: number) => number): Line => ({
    name,
    colour: -1,
    dashed: true,
    points: xs.map((x) => ({ x, y: y(x), statistic: null })),
  });
  return [
    bound("no overlap", [0, longest], (x) => x + alone),
    bound("full overlap", [0, Math.min(alone, longest), longest], (x) => Math.max(x, alone)),
  ];
}

/** Time of both over the time of the computation alone (Stengel 2010, figure 3.5). */
export function make_overlap_chart(points: readonly OverlapPoint[]): HTMLElement {
  const name_of = (point: OverlapPoint): string => `${point.operation}, ${point.work}-bound work`;
  const names = [...new Set(points.map(name_of))];
  return make_lines_chart({
    id: "overlap",
    title: "Message during a computation",
    caption:
      "Time from the start of the message to the end of its wait. The upper line means no " +
      "overlap, the lower line full overlap.",
    x: { quantity: "us", name: "computation alone", log: false },
    y: { quantity: "us", name: "both together", log: false },
    toggles: [
      { name: "message", label: "Message", items: items_of(points.map(case_of)) },
      {
        name: "setting",
        label: "Setting",
        items: items_of(
          points.map((point) => point.setting),
          (value) => (value === "" ? "default" : value),
        ),
      },
    ],
    lines: (state) => {
      const shown = points_shown(points, state);
      if (shown.length === 0) return [];
      const curves = names.map((name, colour): Line => ({
        name,
        colour,
        dashed: false,
        points: shown
          .filter((point) => name_of(point) === name)
          .map((point) => measured_point(point.work_us, point.total_us))
          .sort((a, b) => a.x - b.x),
      }));
      return [...curves.filter((line) => line.points.length > 0), ...overlap_bounds(shown)];
    },
  });
}

/** Time of both messages over the size of the one between nodes (Stengel 2010, figure 3.6). */
export function make_mixed_chart(points: readonly MixedPoint[]): HTMLElement {
  const sorted = [...points].sort((a, b) => a.inter_bytes - b.inter_bytes);
  const senders = [...new Set(points.map((point) => point.senders))].sort((a, b) => b - a);
  const first = sorted.filter((point) => point.senders === senders[0]);
  const least = Math.min(...points.map((point) => point.intra_bytes));
  const most = Math.max(...points.map((point) => point.intra_bytes));
  const inside =
    least === most
      ? `A message of ${bytes(least)}`
      : `Messages of ${bytes(least)} to ${bytes(most)}`;
  const bound = (name: string, y: (point: MixedPoint) => number): Line => ({
    name,
    colour: -1,
    dashed: true,
    points: first.map((point) => ({ x: point.inter_bytes, y: y(point), statistic: null })),
  });
  return make_lines_chart({
    id: "mixed",
    title: "Messages inside a node and between nodes",
    caption:
      `${inside} inside the node, started together with one between nodes: time until both are ` +
      "complete. One sender sends both; two senders send one each.",
    x: { quantity: "bytes", name: "message between nodes", log: false },
    y: { quantity: "us", name: "both together", log: false },
    lines: () => [
      ...senders.map((count, colour): Line => ({
        name: count === 1 ? "1 sender" : `${count} senders`,
        colour,
        dashed: false,
        points: sorted
          .filter((point) => point.senders === count)
          .map((point) => measured_point(point.inter_bytes, point.both_us)),
      })),
      bound("no overlap", (point) => point.intra_us.median + point.inter_us.median),
      bound("full overlap", (point) => Math.max(point.intra_us.median, point.inter_us.median)),
    ],
  });
}
