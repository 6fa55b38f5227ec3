// SPDX-License-Identifier: BSD-3-Clause
// Draws the rows: single events if they are few, else shares of time in each column.
import type { Category, Shape } from "../data/timeline";
import { within } from "./events";
import type { Layout, Row } from "./layout";
import type { Group, GroupName, Model, Spent } from "./model";
import type { Painter } from "./painter";
import type { View } from "./view";

/** The most single events that one drawing shows in all rows. */
const most_events = 3000;
/** A stream with at most this many calls shows them even when the whole run is visible. */
const few_events = 2000;
/** If bins are wider than this, events are used, as bins would look coarse. */
const most_bin_px = 1.5;

/** The data that a row is drawn from; the pointer finds events only where they are drawn. */
export type Source =
  | { kind: "shares"; spent: Spent; whole: number }
  | {
      kind: "events";
      calls: Group;
      openmp: Group;
      /** OpenMP regions, in which a thread is idle when it has no work. */
      regions: Group | null;
    };

function has_few(group: Group, view: View, rows: number): boolean {
  const [first, last] = within(group.events, view.begin, view.end);
  return last - first <= Math.max(60, most_events / rows);
}

/** Chooses the data to draw a row from, and requests events that are not unpacked yet. */
export function source_of(model: Model, view: View, layout: Layout, row: Row): Source | null {
  const { timeline } = model;
  const bins: Source = {
    kind: "shares",
    spent: model.bins_of(row.first, row.last),
    whole: model.count(row.first, row.last),
  };
  const stream = timeline.ranks[row.first]?.streams[row.stream];
  if (row.last - row.first > 1 || stream === undefined) return bins;
  const is_rank = row.kind === "ranks";
  const bin_px = (layout.plot_width * timeline.end) / timeline.bins / view.span();
  const wanted = !is_rank || bin_px > most_bin_px || stream.calls.count <= few_events;
  if (!wanted || !model.has_events(view.begin, view.end)) return is_rank ? bins : null;
  const calls = model.group(row.first, row.stream, "calls");
  const openmp = model.group(row.first, row.stream, "openmp");
  if (calls === null || openmp === null) return is_rank ? bins : null;
  const rows = layout.rows.length;
  if (has_few(calls, view, rows) && has_few(openmp, view, rows)) {
    const main = model.group(row.first, timeline.ranks[row.first]!.time_stream, "openmp");
    const shows_regions = main !== null && openmp.sums.has_work && has_few(main, view, rows);
    return { kind: "events", calls, openmp, regions: shows_regions ? main : null };
  }
  const threads = model.threads(row.first, openmp);
  const spent: Spent = is_rank
    ? model.spent_of_rank(row.first, calls, openmp)
    : {
        up_to: (time, into) => {
          calls.sums.up_to(time, into);
          threads.up_to(time, into);
        },
      };
  return { kind: "shares", spent, whole: 1 };
}

/** Draws events; those narrower than a pixel in the same column are drawn once. */
function paint_group(
  painter: Painter,
  group: Group,
  row: Row,
  parts: (shape: Shape) => [Category | null, Category | null],
  with_names = true,
): void {
  const { events } = group;
  const { shapes } = painter;
  const [first, last] = within(events, painter.span.begin, painter.span.end);
  let column = -1;
  let drawn: Category | null = null;
  for (let i = first; i < last; i += 1) {
    painter.counters.events += 1;
    const shape = shapes[events.shape[i]!];
    if (shape === undefined || events.end[i]! < painter.span.begin) continue;
    const [before, after] = parts(shape);
    const from = painter.x(events.begin[i]!);
    const until = painter.x(events.end[i]!);
    if (until - from < 1) {
      const main =
        events.split[i]! - events.begin[i]! > events.end[i]! - events.split[i]! ? before : after;
      if (main === null || (Math.floor(from) === column && main === drawn)) continue;
      [column, drawn] = [Math.floor(from), main];
      painter.rectangle(column, row.top, 1, row.height, painter.palette.fill[main]);
      continue;
    }
    [column, drawn] = [-1, null];
    const { fill } = painter.palette;
    if (before !== null && events.split[i]! > events.begin[i]!) {
      painter.box(events.begin[i]!, events.split[i]!, row.top, row.height, fill[before]);
    }
    if (after !== null && events.end[i]! > events.split[i]!) {
      painter.box(events.split[i]!, events.end[i]!, row.top, row.height, fill[after]);
    }
    if (!with_names) continue;
    const { left, plot_width } = painter.layout;
    const seen = (x: number): number => Math.max(left, Math.min(left + plot_width, x));
    const turn = painter.x(events.split[i]!);
    if (seen(turn) - seen(from) > seen(until) - seen(turn)) {
      label(painter, shape, row, seen(from), seen(turn), before);
    } else {
      label(painter, shape, row, seen(turn), seen(until), after);
    }
  }
}

function label(
  painter: Painter,
  shape: Shape,
  row: Row,
  from: number,
  until: number,
  on: Category | null,
): void {
  const room = until - from - 8;
  if (room < 34 || row.height < 12 || on === null) return;
  const name = shape.name.replace(/^MPI_/, "");
  painter.text(name, from + 4, row.top + row.height / 2, painter.palette.text[on], room);
}

function paint_regions(painter: Painter, group: Group, row: Row): void {
  const { events } = group;
  const [first, last] = within(events, painter.span.begin, painter.span.end);
  if (last - first > few_events) {
    painter.text(
      "zoom in to see the regions",
      painter.layout.left + 4,
      row.top + row.height / 2,
      painter.palette.theme.muted,
    );
    return;
  }
  const open: number[] = [];
  const { series, text } = painter.palette.theme;
  for (let i = first; i < last; i += 1) {
    painter.counters.events += 1;
    while (open.length > 0 && open[open.length - 1]! <= events.begin[i]!) open.pop();
    const inset = Math.min(row.height - 4, 4 * open.length);
    open.push(events.end[i]!);
    if (events.end[i]! < painter.span.begin) continue;
    const name = painter.shapes[events.shape[i]!]?.name ?? "";
    const [top, height] = [row.top + inset, row.height - inset];
    const hue = series[(events.shape[i]! + 5) % series.length] ?? text;
    painter.context.globalAlpha = 0.45;
    painter.box(events.begin[i]!, events.end[i]!, top, height, hue);
    painter.context.globalAlpha = 1;
    const from = Math.max(painter.layout.left, painter.x(events.begin[i]!));
    const room =
      Math.min(painter.x(events.end[i]!), painter.layout.left + painter.layout.plot_width) - from;
    if (room > 34 && height >= 11) painter.text(name, from + 4, top + height / 2, text, room - 8);
  }
}

/** Draws a row from its source. */
export function paint_row(painter: Painter, model: Model, row: Row, source: Source | null): void {
  if (row.kind === "regions") {
    const regions = model.group(row.first, row.stream, "regions");
    if (regions !== null) paint_regions(painter, regions, row);
    return;
  }
  if (source === null) {
    painter.text(
      "zoom in to see the thread's events",
      painter.layout.left + 4,
      row.top + row.height / 2,
      painter.palette.theme.muted,
    );
    return;
  }
  if (source.kind === "shares") {
    painter.shares(source.spent, row.top, row.height, source.whole);
    return;
  }
  const rank = model.timeline.ranks[row.first];
  if (row.kind === "ranks" && rank !== undefined) {
    painter.box(rank.begin, rank.end, row.top, row.height, painter.palette.fill.computation);
  }
  if (source.regions !== null) {
    const idle_in = (shape: Shape): [Category | null, Category | null] =>
      shape.kind === "parallel" ? ["openmp_idle", "openmp_idle"] : [null, null];
    paint_group(painter, source.regions, row, idle_in, false);
  }
  paint_group(painter, source.openmp, row, (shape) =>
    shape.kind === "work"
      ? ["computation", "openmp_idle"]
      : source.regions === null
        ? ["computation", "computation"]
        : [null, null],
  );
  paint_group(painter, source.calls, row, (shape) => ["waiting", shape.category]);
}

/** An event under the pointer. */
export interface Hit {
  row: Row;
  group: GroupName;
  index: number;
}

/** The innermost event of a row at a time, or one that begins within `tolerance`. */
export function hit_event(
  model: Model,
  source: Source | null,
  row: Row,
  time: number,
  tolerance: number,
): Hit | null {
  const names: GroupName[] =
    row.kind === "regions" ? ["regions"] : source?.kind === "events" ? ["calls", "openmp"] : [];
  for (const margin of [0, tolerance]) {
    for (const name of names) {
      const events = model.group(row.first, row.stream, name)?.events;
      if (events === undefined) continue;
      const [first, last] = within(events, time - margin, time + margin);
      for (let i = last - 1; i >= first && i >= last - few_events; i -= 1) {
        if (events.end[i]! >= time - margin) return { row, group: name, index: i };
      }
    }
  }
  return null;
}
