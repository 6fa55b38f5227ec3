// SPDX-License-Identifier: BSD-3-Clause
// The machine's speed by cores: STREAM bandwidth, and the Jacobi kernel's P(k) under its bound.
import type { Jacobi, Stream } from "../data/machine";
import { make_lines_chart, measured_point } from "./lines";
import type { Axis, Line, Point } from "./lines";

const cores_axis: Axis = { quantity: "count", name: "cores", log: false };

function stores(non_temporal: boolean): string {
  return non_temporal ? "non-temporal stores" : "ordinary stores";
}

/** A curve for each kind of stores of a kernel, in the order of cores. */
function curves_by_stores<T extends { non_temporal: boolean }>(
  items: readonly T[],
  name: string,
  point: (item: T) => Point,
): (Omit<Line, "colour" | "dashed"> & { non_temporal: boolean })[] {
  return [...new Set(items.map((item) => item.non_temporal))].map((non_temporal) => ({
    non_temporal,
    name: `${name}, ${stores(non_temporal)}`,
    points: items
      .filter((item) => item.non_temporal === non_temporal)
      .map(point)
      .sort((a, b) => a.x - b.x),
  }));
}

/** STREAM bandwidth over threads. */
export function make_stream_chart(stream: readonly Stream[]): HTMLElement {
  const kernels = [...new Set(stream.map((item) => item.kernel))];
  const lines = kernels.flatMap((kernel, colour) =>
    curves_by_stores(
      stream.filter((item) => item.kernel === kernel),
      kernel,
      (item) => measured_point(item.threads, item.gbs),
    ).map((curve): Line => ({ ...curve, colour, dashed: !curve.non_temporal })),
  );
  return make_lines_chart({
    id: "stream",
    title: "Memory bandwidth (STREAM)",
    caption: "As STREAM counts it: bytes read and written by the kernel, without write-allocates.",
    x: cores_axis,
    y: { quantity: "gbs", name: "GB/s", log: false },
    lines: () => lines,
  });
}

/** The speed P(k) of the 6-point Jacobi kernel on k cores, with its bandwidth bound. */
export function make_jacobi_chart(jacobi: readonly Jacobi[]): HTMLElement {
  const colour = (non_temporal: boolean): number => (non_temporal ? 1 : 0);
  const measured = curves_by_stores(jacobi, "Jacobi", (item) =>
    measured_point(item.cores, item.mlups),
  );
  const bounds = curves_by_stores(
    jacobi.filter((item) => item.limit_mlups !== null),
    "Bound: STREAM copy",
    (item) => ({ x: item.cores, y: item.limit_mlups ?? 0, statistic: null }),
  );
  const lines = [
    ...measured.map((curve) => ({ ...curve, colour: colour(curve.non_temporal), dashed: false })),
    ...bounds.map((curve) => ({ ...curve, colour: colour(curve.non_temporal), dashed: true })),
  ];
  const grid = jacobi[0]?.grid ?? [];
  return make_lines_chart({
    id: "jacobi",
    title: "Speed of the Jacobi kernel, P(k)",
    caption:
      "Million lattice updates per second on k cores" +
      (grid.length > 0 ? `, ${grid.join(" \u00d7 ")} points.` : ".") +
      (bounds.length > 0
        ? " The bound is the STREAM copy bandwidth at 16 B per update."
        : " There is no bound, because STREAM copy was not measured."),
    x: cores_axis,
    y: { quantity: "mlups", name: "MLUP/s", log: false },
    lines: () => lines,
  });
}
