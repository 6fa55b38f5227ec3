// SPDX-License-Identifier: BSD-3-Clause
// The roofline model: the speed of regions and ranks by operations per byte, below what memory and
// cores permit.
import type { Roofline, RooflinePoint } from "../data/resources";
import { make_lines_chart } from "./lines";
import type { Line } from "./lines";

/** Curves that a legend can show. */
const most_points = 12;
/** How far the bounds extend beyond the points, and beyond where they meet. */
const margin = 4;

/** The intensities at which the lines begin and end; where the highest two meet is between. */
function range_of({ points, bounds, peaks }: Roofline): [number, number] {
  const intensities = points.map(({ intensity }) => intensity);
  const [bound, peak] = [bounds[0], peaks[0]];
  if (bound && peak && bound.gbs > 0) intensities.push(peak.gflops / bound.gbs);
  return [Math.min(...intensities) / margin, Math.max(...intensities) * margin];
}

/** A roof for each bandwidth, up to the peak, and one for each peak. The axes are logarithmic. */
function bound_lines(roofline: Roofline): Line[] {
  const [begin, end] = range_of(roofline);
  const highest = roofline.peaks[0]?.gflops ?? Infinity;
  const line = (name: string, ends: [number, number][], index: number): Line => ({
    name,
    points: ends.map(([x, y]) => ({ x, y, statistic: null })),
    colour: -1,
    dashed: index > 0,
  });
  const memory = roofline.bounds.map(({ name, gbs }, index) => {
    const top = Math.min(end, highest / gbs);
    return line(`Memory: ${name}`, [[begin, begin * gbs], [top, top * gbs]], index);
  });
  const fastest = roofline.bounds[0]?.gbs ?? Infinity;
  const cores = roofline.peaks.map(({ name, gflops }, index) =>
    line(`Cores: ${name}`, [[Math.max(begin, gflops / fastest), gflops], [end, gflops]], index),
  );
  return [...memory, ...cores];
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
      "regions per node, and of ranks. The lines are what memory and cores permit." +
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
