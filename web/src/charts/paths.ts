// SPDX-License-Identifier: BSD-3-Clause
// Latency and bandwidth of the machine's communication paths, with MPI and without it (the bound).
import type { State } from "../chart";
import type { Path, PingPong } from "../data/machine";
import { microseconds } from "../format";
import { make_lines_chart } from "./lines";
import type { Axis, Line, LinesSpec, Point } from "./lines";

type Points = Pick<Path, "pingpong" | "pingping" | "off_cache" | "memcpy" | "bare_pingping">;
type Pattern = "pingpong" | "pingping" | "off_cache";
const patterns: Readonly<
  Record<Pattern, { label: string; mpi: keyof Points; bare: keyof Points | null }>
> = {
  pingpong: { label: "Ping-pong", mpi: "pingpong", bare: "memcpy" },
  pingping: { label: "Ping-ping", mpi: "pingping", bare: "bare_pingping" },
  off_cache: { label: "Off-cache", mpi: "off_cache", bare: null },
};

/** GB/s of a message: from the file, or else bytes divided by the one-way time. */
function bandwidth_of(point: PingPong): number | null {
  if (point.gbs !== null && point.gbs > 0) return point.gbs;
  return point.bytes > 0 && point.us.median > 0 ? point.bytes / point.us.median / 1e3 : null;
}

function latency_point(point: PingPong): Point[] {
  const gbs = bandwidth_of(point);
  return [
    {
      x: point.bytes,
      y: point.us.median,
      statistic: point.us,
      ...(gbs === null ? {} : { also: { name: "Bandwidth", quantity: "gbs", value: gbs } }),
    },
  ];
}

function bandwidth_point(point: PingPong): Point[] {
  const gbs = bandwidth_of(point);
  if (gbs === null) return [];
  const also = { name: "Time", quantity: "us", value: point.us.median } as const;
  const at = (us: number | null): number | null =>
    us === null || us <= 0 ? null : (gbs * point.us.median) / us;
  // The longest time is the lowest bandwidth.
  const statistic = {
    median: gbs,
    min: null,
    ci_low: at(point.us.ci_high),
    ci_high: at(point.us.ci_low),
    n: point.us.n,
  };
  return [{ x: point.bytes, y: gbs, statistic, also }];
}

/** Two curves per path: with MPI (solid), and between the same cores without MPI (dashed). */
function curves_of(
  paths: readonly Path[],
  state: State,
  read: (point: PingPong) => Point[],
): Line[] {
  const { mpi, bare } = patterns[(state["pattern"] ?? "pingpong") as Pattern];
  const line = (path: Path, colour: number, of: keyof Points | null): Line => ({
    name: `${path.name}: ${of === mpi ? "MPI" : "without MPI"}`,
    points: of === null ? [] : path[of].flatMap(read),
    colour,
    dashed: of !== mpi,
  });
  return paths
    .flatMap((path, colour) => [line(path, colour, mpi), line(path, colour, bare)])
    .filter(({ points }) => points.length > 0);
}

const size_axis: Axis = { quantity: "bytes", name: "message size", log: true };

function make_path_chart(
  paths: readonly Path[],
  spec: Pick<LinesSpec, "id" | "title" | "caption" | "y">,
  read: (point: PingPong) => Point[],
): HTMLElement {
  const used = (Object.keys(patterns) as Pattern[]).filter(
    (pattern) => curves_of(paths, { pattern }, read).length > 0,
  );
  return make_lines_chart({
    ...spec,
    x: size_axis,
    toggles: [
      {
        name: "pattern",
        label: "Pattern",
        items: used.map((pattern) => ({ value: pattern, label: patterns[pattern].label })),
      },
    ],
    lines: (state) => curves_of(paths, state, read),
  });
}

/** Latency over message size, for each path. */
export function make_latency_chart(paths: readonly Path[]): HTMLElement {
  const lines = paths.flatMap((path) =>
    path.line_us === null ? [] : [`${path.name} ${microseconds(path.line_us.median)}`],
  );
  return make_path_chart(
    paths,
    {
      id: "latency",
      title: "Latency of the paths",
      caption:
        "Median half round trip (ping-pong) or time of one exchange (ping-ping) with MPI. A copy " +
        "between the same cores without MPI is the bound." +
        (lines.length > 0 ? ` One way of a cache line without MPI: ${lines.join(", ")}.` : ""),
      y: { quantity: "us", name: "time", log: true },
    },
    latency_point,
  );
}

/** Bandwidth over message size, for each path. */
export function make_bandwidth_chart(paths: readonly Path[]): HTMLElement {
  return make_path_chart(
    paths,
    {
      id: "bandwidth",
      title: "Bandwidth of the paths",
      caption:
        "Message size divided by the time in the chart of latencies: one direction, one pair of " +
        "cores at a time.",
      y: { quantity: "gbs", name: "GB/s", log: true },
    },
    bandwidth_point,
  );
}
