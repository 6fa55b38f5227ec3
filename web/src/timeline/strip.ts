// SPDX-License-Identifier: BSD-3-Clause
// The strip of samples at the bottom of a row: coloured by function, or by kind if there are many.
import type { Samples } from "../data/samples";
import { kind_colour } from "../samples/colour";
import type { FrameKind } from "../samples/call_tree";
import { first_above } from "./events";
import type { Row } from "./layout";
import type { Model } from "./model";
import type { Painter } from "./painter";
import { kind_of, sample_at } from "./samples";
import type { SampleHit, Track } from "./samples";

const strip_px = 6;
/** Lower rows have no strip. */
const least_row_px = 14;
/** Samples that are closer than this are coloured by kind. */
const least_sample_px = 3;
/** The most single samples, and the most columns, that one drawing shows in all rows. */
const most_drawn = 3000;
/** The most samples of a column that are looked at. */
const most_of_column = 32;

/** The place of a row's strip; null: it has none. */
function strip_of(row: Row): { top: number; height: number } | null {
  const has_room = row.height >= least_row_px && row.last - row.first === 1;
  if (row.kind === "regions" || !has_room) return null;
  return { top: row.top + row.height - strip_px, height: strip_px };
}

/** The colour of a sample's function; samples that are not in code have that of their kind. */
function function_colour(painter: Painter, sampled: Samples, track: Track, index: number): string {
  const { theme } = painter.palette;
  const kind = kind_of(sampled, track, index);
  if (kind !== "code" && kind !== "python" && kind !== "system") return kind_colour(kind, theme);
  const hues = theme.series.filter((hue) => hue !== theme.mpi);
  const of = sampled.nodes[track.node[index]!]!.function;
  return hues[of % hues.length] ?? theme.compute;
}

function paint_by_function(
  painter: Painter,
  sampled: Samples,
  track: Track,
  strip: { top: number; height: number },
  first: number,
  last: number,
): void {
  for (let i = first; i < last; i += 1) {
    const colour = function_colour(painter, sampled, track, i);
    painter.box(track.begin[i]!, track.at[i]!, strip.top, strip.height, colour);
  }
}

/** The kind of most samples [first, last). */
function main_kind(sampled: Samples, track: Track, first: number, last: number): FrameKind {
  const counts = new Map<FrameKind, number>();
  const step = Math.max(1, Math.floor((last - first) / most_of_column));
  let most: FrameKind = "code";
  for (let i = first; i < last; i += step) {
    const kind = kind_of(sampled, track, i);
    counts.set(kind, (counts.get(kind) ?? 0) + track.samples[i]!);
    if (counts.get(kind)! > (counts.get(most) ?? 0)) most = kind;
  }
  return most;
}

/** Columns with the kind of most of their samples; adjacent ones of one kind are drawn at once. */
function paint_by_kind(
  painter: Painter,
  sampled: Samples,
  track: Track,
  strip: { top: number; height: number },
): void {
  const { left, plot_width, rows } = painter.layout;
  const wide = Math.max(2, Math.ceil((rows.length * plot_width) / most_drawn));
  let from = left;
  let drawn: FrameKind | null = null;
  const flush = (until: number): void => {
    if (drawn === null) return;
    const colour = kind_colour(drawn, painter.palette.theme);
    painter.rectangle(from, strip.top, until - from, strip.height, colour);
  };
  for (let x = left; x < left + plot_width; x += wide) {
    const first = first_above(track.at, painter.time(x));
    const last = first_above(track.begin, painter.time(Math.min(x + wide, left + plot_width)));
    const kind = last > first ? main_kind(sampled, track, first, last) : null;
    if (kind === drawn) continue;
    flush(x);
    [from, drawn] = [x, kind];
  }
  flush(left + plot_width);
}

/** Draws the samples of a row, and requests those that are not unpacked yet. */
export function paint_strip(painter: Painter, model: Model, row: Row): void {
  const strip = strip_of(row);
  const track = strip === null ? null : model.samples(row.first, row.stream);
  if (strip === null || track === null || model.sampled === null) return;
  const first = first_above(track.at, painter.span.begin);
  const last = first_above(track.begin, painter.span.end);
  if (last <= first) return;
  painter.counters.samples += last - first;
  painter.rectangle(
    painter.layout.left,
    strip.top - 1,
    painter.layout.plot_width,
    strip.height + 1,
    painter.palette.theme.surface,
  );
  const few = Math.max(60, most_drawn / painter.layout.rows.length);
  const by_function =
    last - first <= Math.min(few, painter.layout.plot_width / least_sample_px);
  if (by_function) paint_by_function(painter, model.sampled, track, strip, first, last);
  else paint_by_kind(painter, model.sampled, track, strip);
}

/** The sample at a point of a row; null: the point is not on its strip, or there is none. */
export function hit_sample(
  model: Model,
  row: Row,
  y: number,
  time: number,
  tolerance: number,
): SampleHit | null {
  const strip = strip_of(row);
  if (strip === null || y < strip.top) return null;
  const track = model.samples(row.first, row.stream);
  const index = track === null ? -1 : sample_at(track, time, tolerance);
  return track === null || index < 0 ? null : { row, track, index };
}
