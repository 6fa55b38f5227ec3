// SPDX-License-Identifier: BSD-3-Clause
// Memory and bytes of files over time, drawn below the rows on the timeline's time axis.
import type { Io, Memory } from "../data/resources";
import type { Timeline } from "../data/timeline";
import { bytes } from "../format";
import type { PlainTable } from "../table";
import { exact_time } from "./axis";
import type { Description } from "./describe";
import { first_above } from "./events";
import type { Painter } from "./painter";
import type { Span, View } from "./view";

/** A quantity of a rank over time. */
export interface Curve {
  /** Index of the rank in the timeline. */
  index: number;
  /** ns, ascending. */
  times: Float64Array;
  values: Float64Array;
  most: number;
}
/** A strip with the same quantity of several ranks. */
export interface Band {
  title: string;
  /** The value at a time is true since the time before it; otherwise it is that of a moment. */
  steps: boolean;
  text: (value: number) => string;
  curves: Curve[];
}
/** A strip of a drawing. */
export interface PlacedBand {
  band: Band;
  top: number;
  height: number;
}

const ns = 1e9;
/** The most ranks whose curves are drawn. */
const most_curves = 8;

const per_second = (value: number): string => `${bytes(value)}/s`;

function make_curve(index: number, points: readonly (readonly [number, number])[]): Curve {
  return {
    index,
    times: Float64Array.from(points, ([at]) => at),
    values: Float64Array.from(points, ([, value]) => value),
    most: points.reduce((most, [, value]) => Math.max(most, value), 0),
  };
}

/** Points with the time of the trace instead of the time since the rank's MPI_Init. */
function placed<Point extends readonly [number, ...number[]]>(
  begin: number,
  points: readonly Point[],
): { at: number; point: Point }[] {
  let last = -Infinity;
  return points.flatMap((point) => {
    const at = begin + point[0] * ns;
    if (!(at > last)) return [];
    last = at;
    return [{ at, point }];
  });
}

/** What was moved between two points, in bytes per second; the first point has none. */
function rates(points: IoPoints, begin: number, column: 1 | 2): [number, number][] {
  const all = placed(begin, points);
  return all.map(({ at, point }, i) => {
    const since = all[i - 1]?.at;
    return [at, since === undefined ? 0 : (point[column] / (at - since)) * ns];
  });
}
type IoPoints = Io["series"][number]["points"];

/** The strips of a run; those without values are left out. */
export function make_bands(timeline: Timeline, memory: Memory, io: Io): Band[] {
  const index_of = new Map(timeline.ranks.map(({ rank }, index) => [rank, index]));
  const curves = <Series extends { rank: number }>(
    series: readonly Series[],
    points: (of: Series, begin: number) => readonly (readonly [number, number])[],
  ): Curve[] =>
    series.flatMap((of) => {
      const index = index_of.get(of.rank);
      const rank = index === undefined ? undefined : timeline.ranks[index];
      if (index === undefined || rank === undefined) return [];
      const curve = make_curve(index, points(of, rank.begin));
      return curve.times.length > 1 && curve.most > 0 ? [curve] : [];
    });
  const moved = (title: string, column: 1 | 2): Band => ({
    title,
    steps: true,
    text: per_second,
    curves: curves(io.series, ({ points }, begin) => rates(points, begin, column)),
  });
  const resident = curves(memory.series, ({ points }, begin) =>
    placed(begin, points).map(({ at, point }) => [at, point[1]]),
  );
  return [
    { title: "Resident memory", steps: false, text: bytes, curves: resident },
    moved("Written to files", 2),
    moved("Read from files", 1),
  ].filter((band) => band.curves.length > 0);
}

const most_of = (curves: readonly Curve[]): number =>
  curves.reduce((most, curve) => Math.max(most, curve.most), 0);

/** The ranks in view whose curves are drawn, by their index: selected ones, and those with most. */
export function ranks_of_bands(
  bands: readonly Band[],
  view: View,
  is_selected: (index: number) => boolean,
): number[] {
  const scores = new Map<number, number>();
  for (const { curves } of bands) {
    const whole = most_of(curves);
    for (const { index, most } of curves) {
      if (index < view.first_rank || index >= view.last_rank) continue;
      const score = most / whole + (is_selected(index) ? 2 : 0);
      scores.set(index, Math.max(score, scores.get(index) ?? 0));
    }
  }
  return [...scores]
    .sort(([a, score_a], [b, score_b]) => score_b - score_a || a - b)
    .slice(0, most_curves)
    .map(([index]) => index)
    .sort((a, b) => a - b);
}

/** The colour of a rank's curves. */
export function curve_colour(series: readonly string[], position: number): string {
  return series[position % series.length] ?? "";
}

/** The indices of the points that a window needs, with one on either side. */
function seen(curve: Curve, span: Span): [number, number] {
  const first = Math.max(0, first_above(curve.times, span.begin) - 1);
  return [first, Math.min(curve.times.length, first_above(curve.times, span.end) + 1)];
}

function paint_curve(
  painter: Painter,
  { band, top, height }: PlacedBand,
  curve: Curve,
  most: number,
): void {
  const { context } = painter;
  const y = (value: number): number => top + height - 1 - (value / most) * (height - 16);
  const [first, last] = seen(curve, painter.span);
  context.beginPath();
  for (let i = first; i < last; i += 1) {
    const [at, value] = [painter.x(curve.times[i]!), y(curve.values[i]!)];
    if (i === first) context.moveTo(at, value);
    else if (band.steps) {
      context.lineTo(painter.x(curve.times[i - 1]!), value);
      context.lineTo(at, value);
    } else context.lineTo(at, value);
  }
  context.stroke();
  painter.counters.lines += 1;
}

/** Draws a strip from 0 to the largest value of these ranks in the run. */
export function paint_band(
  painter: Painter,
  placed_band: PlacedBand,
  ranks: readonly number[],
  is_selected: (index: number) => boolean,
): void {
  const { band, top, height } = placed_band;
  const { context, layout, palette } = painter;
  const curves = band.curves.filter(({ index }) => ranks.includes(index));
  const most = most_of(curves);
  context.strokeStyle = palette.theme.line;
  context.lineWidth = 1;
  painter.line(layout.left, top + height, layout.left + layout.plot_width, top + height);
  const title = most > 0 ? `${band.title}, up to ${band.text(most)}` : band.title;
  painter.text(title, layout.left + 4, top + 7, palette.theme.muted, layout.plot_width - 8);
  if (most <= 0) return;
  context.save();
  context.beginPath();
  context.rect(layout.left, top, layout.plot_width, height);
  context.clip();
  for (const curve of curves) {
    context.strokeStyle = curve_colour(palette.theme.series, ranks.indexOf(curve.index));
    context.lineWidth = is_selected(curve.index) ? 3.5 : 2;
    paint_curve(painter, placed_band, curve, most);
  }
  context.restore();
}

/** The value at a time: of the last moment before it, or of the step it is in. */
function value_at({ times, values }: Curve, steps: boolean, time: number): number | null {
  const next = first_above(times, time);
  return (steps ? (next === 0 ? undefined : values[next]) : values[next - 1]) ?? null;
}

/** The values of a strip at a time. */
export function describe_band(
  timeline: Timeline,
  band: Band,
  ranks: readonly number[],
  time: number,
  step_ns: number,
): Description {
  const values = band.curves
    .filter(({ index }) => ranks.includes(index))
    .map((curve): [string, string] => {
      const value = value_at(curve, band.steps, time);
      const rank = timeline.ranks[curve.index]?.rank ?? curve.index;
      return [`Rank ${rank}`, value === null ? "\u2013" : band.text(value)];
    });
  return { title: band.title, rows: [["Time", exact_time(Math.max(0, time), step_ns)], ...values] };
}

/** All values, of the ranks that are drawn. */
export function bands_table(
  timeline: Timeline,
  bands: readonly Band[],
  ranks: readonly number[],
): PlainTable {
  return {
    columns: ["Curve", "Rank", "Time, s", "Value, B or B/s"],
    rows: bands.flatMap((band) =>
      band.curves
        .filter(({ index }) => ranks.includes(index))
        .flatMap((curve) =>
          Array.from(curve.times, (at, i) => [
            band.title,
            String(timeline.ranks[curve.index]?.rank ?? curve.index),
            String(at / ns),
            String(Math.round(curve.values[i] ?? 0)),
          ]),
        ),
    ),
  };
}
