// SPDX-License-Identifier: BSD-3-Clause
// The roofline model: the speed of regions and ranks by operations per byte, below what memory
// permits.
import type { Roofline, RooflinePoint } from "../data/resources";
import { make_lines_chart } from "./lines";
import type { Line } from "./lines";

/** Curves that a legend can show. */
const most_points = 12;
/** How far the bounds extend beyond the points. */
const margin = 4;

/** A roof for each bandwidth: straight with two logarithmic axes. */
function bound_lines({ points, bounds }: Roofline): Line[] {
  const intensities = points.map(({ intensity }) => intensity);
  const ends = [Math.min(...intensities) / margin, Math.max(...intensities) * margin];
  return bounds.map(({ name, gbs }, index) => ({
    name: `Memory: ${name}`,
    points: ends.map((x) => ({ x, y: x * gbs, statistic: null })),
    colour: -1,
    dashed: index > 0,
  }));
}

function point_line(name: string, point: RooflinePoint, colour: number): Line {
  return {
    name,
    points: [{ x: point.intensity, y: point.gflops, statistic: null }],
    colour,
    dashed: false,
    value_name: "Speed",
  };
}

/** Null without points. */
export function make_roofline_chart(roofline: Roofline): HTMLElement | null {
  const points = roofline.points.filter(({ intensity, gflops }) => intensity > 0 && gflops > 0);
  if (points.length === 0) return null;
  const of_regions = points.filter(({ rank }) => rank < 0).slice(0, most_points);
  const of_ranks = points.filter(({ rank }) => rank >= 0).slice(0, most_points);
  const items = [
    ...(of_regions.length > 0 ? [{ value: "regions", label: "Regions" }] : []),
    ...(of_ranks.length > 0 ? [{ value: "ranks", label: "Ranks" }] : []),
  ];
  return make_lines_chart({
    id: "roofline",
    title: "Roofline",
    caption:
      "Floating-point speed between MPI calls by operations per byte of memory traffic: of " +
      "regions per node, and of ranks. A line is what memory permits. The speed of the cores " +
      "themselves is not measured, so it has no line." +
      (points.length > of_regions.length + of_ranks.length
        ? ` At most ${most_points} points are shown; the table of figures has all regions.`
        : ""),
    x: { quantity: "intensity", name: "operations per byte", log: true },
    y: { quantity: "gflops", name: "GFLOP/s", log: true },
    toggles: [{ name: "of", label: "Points", items }],
    lines: (state) => [
      ...bound_lines({ ...roofline, points }),
      ...(state["of"] === "ranks"
        ? of_ranks.map((point, colour) => point_line(`rank ${point.rank}`, point, colour))
        : of_regions.map((point, colour) =>
            point_line(point.region || "(whole run)", point, colour),
          )),
    ],
  });
}
