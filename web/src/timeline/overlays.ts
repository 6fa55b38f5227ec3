// SPDX-License-Identifier: BSD-3-Clause
// Draws labels, phases, messages, the critical path and marks over and beside the rows.
import type { PathPart, Phase } from "../data/analysis";
import { categories } from "../data/timeline";
import { first_above, within } from "./events";
import type { Hit } from "./rows";
import { can_expand } from "./layout";
import type { Row } from "./layout";
import type { Model } from "./model";
import type { Painter } from "./painter";
import type { View } from "./view";

const most_lines = 1500;
const most_looked_at = 20000;
const most_arrows = 200;
/** Shorter visits of the critical path to a rank are not drawn. */
const least_part_px = 0.7;
const ns = 1e9;
const too_many = "Too many messages to draw; zoom in.";

export function paint_labels(
  painter: Painter,
  model: Model,
  view: View,
  selected: ReadonlySet<number>,
): void {
  const { layout, palette, context } = painter;
  context.textAlign = "right";
  let free = -Infinity;
  for (const row of layout.rows) {
    const middle = row.top + row.height / 2;
    const rank = model.timeline.ranks[row.first];
    const is_selected = row.kind === "ranks" && rank !== undefined && selected.has(rank.rank);
    if (is_selected) {
      painter.rectangle(0, row.top, layout.left - 4, Math.max(2, row.height), palette.theme.line);
      context.strokeStyle = palette.mark;
      context.lineWidth = 1.5;
      context.strokeRect(layout.left, row.top - 0.5, layout.plot_width, row.height + 1);
      painter.counters.lines += 1;
    }
    if (middle - free < 11 && !is_selected) continue;
    free = middle;
    const colour = row.kind === "ranks" ? palette.theme.text : palette.theme.muted;
    painter.text(row.label, layout.left - 6, middle, colour);
    if (!can_expand(model.timeline, row) || row.height < 9) continue;
    context.textAlign = "left";
    painter.text(
      view.expanded.has(row.first) ? "\u25be" : "\u25b8",
      1,
      middle,
      palette.theme.muted,
    );
    context.textAlign = "right";
  }
  context.textAlign = "left";
}

export function paint_phases(painter: Painter, phases: readonly Phase[]): void {
  const { layout, palette, span } = painter;
  const { left, plot_width, phases_top } = layout;
  let last_x = -Infinity;
  phases.forEach((phase, index) => {
    const [begin, end] = [phase.begin_s * ns, phase.end_s * ns];
    if (end <= span.begin || begin >= span.end) return;
    const from = Math.max(left, painter.x(begin));
    const until = Math.min(left + plot_width, painter.x(end));
    if (until - last_x < 1) return;
    last_x = until;
    painter.context.globalAlpha = index % 2 === 0 ? 0.9 : 0.55;
    painter.rectangle(from, phases_top, Math.max(1, until - from - 1), 18, palette.theme.line);
    painter.context.globalAlpha = 1;
    if (until - from > 30) {
      const room = until - from - 8;
      painter.text(phase.name, from + 4, phases_top + 9, palette.theme.muted, room);
    }
    if (from > left + 1) {
      painter.context.strokeStyle = palette.theme.muted;
      painter.context.globalAlpha = 0.5;
      painter.context.setLineDash([3, 3]);
      painter.line(from, phases_top + 18, from, layout.bottom);
      painter.context.setLineDash([]);
      painter.context.globalAlpha = 1;
    }
  });
}

/** Rows by rank, for what goes from rank to rank. */
export function rows_by_rank(rows: readonly Row[]): Map<number, Row> {
  const found = new Map<number, Row>();
  for (const row of rows) {
    if (row.kind !== "ranks") continue;
    for (let rank = row.first; rank < row.last; rank += 1) found.set(rank, row);
  }
  return found;
}

const middle = (row: Row): number => row.top + row.height / 2;

/** Draws messages as lines when they are few. @returns what kept them from being drawn, if so */
export function paint_messages(
  painter: Painter,
  model: Model,
  rows: ReadonlyMap<number, Row>,
  of_hit: ReadonlySet<number>,
): string {
  const { span, palette, context } = painter;
  const messages = model.messages();
  if (messages === null) return "";
  const first = first_above(messages.reach, span.begin);
  const last = first_above(messages.begin, span.end);
  if (last - first > most_looked_at) return too_many;
  const shown: number[] = [];
  for (let i = first; i < last; i += 1) {
    painter.counters.messages += 1;
    if (messages.end[i]! < span.begin) continue;
    const [from, to] = [rows.get(messages.sender[i]!), rows.get(messages.receiver[i]!)];
    if (from !== undefined && to !== undefined && from !== to) shown.push(i);
  }
  if (shown.length > most_lines) return too_many;
  const { left, plot_width } = painter.layout;
  context.save();
  context.beginPath();
  context.rect(left, painter.layout.top, plot_width, painter.layout.bottom - painter.layout.top);
  context.clip();
  for (const i of shown) {
    const strong = of_hit.has(i);
    context.strokeStyle = palette.line;
    context.globalAlpha = strong ? 1 : shown.length > 300 ? 0.4 : 0.7;
    context.lineWidth = strong ? 2 : 1;
    const [x1, x2] = [painter.x(messages.begin[i]!), painter.x(messages.end[i]!)];
    const y1 = middle(rows.get(messages.sender[i]!)!);
    const y2 = middle(rows.get(messages.receiver[i]!)!);
    painter.line(x1, y1, x2, y2);
    if (shown.length <= most_arrows) paint_arrow(painter, x1, y1, x2, y2);
  }
  context.restore();
  return "";
}

function paint_arrow(painter: Painter, x1: number, y1: number, x2: number, y2: number): void {
  const { context } = painter;
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [((x2 - x1) / length) * 6, ((y2 - y1) / length) * 6];
  context.fillStyle = painter.palette.line;
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - dx - dy / 2.5, y2 - dy + dx / 2.5);
  context.lineTo(x2 - dx + dy / 2.5, y2 - dy - dx / 2.5);
  context.fill();
}

/** The critical path: a line at the foot of the rows that own it, joined where it changes rank. */
export function paint_path(
  painter: Painter,
  parts: readonly PathPart[],
  index_of: ReadonlyMap<number, number>,
  rows: ReadonlyMap<number, Row>,
): void {
  const { span, palette, context, layout } = painter;
  context.strokeStyle = palette.path;
  const limit = layout.left + layout.plot_width;
  let [from, until, foot] = [NaN, NaN, NaN];
  const draw = (): void => {
    context.lineWidth = 3;
    if (until > from) painter.line(from, foot, until, foot);
  };
  for (const part of parts) {
    const row = rows.get(index_of.get(part.rank) ?? -1);
    const [begin, end] = [part.begin_s * ns, part.end_s * ns];
    if (row === undefined || end < span.begin || begin > span.end) continue;
    const y = row.top + row.height - 1.5;
    const x = Math.max(layout.left, painter.x(begin));
    const is_long = painter.x(end) - x >= least_part_px;
    if (y === foot || !is_long) {
      if (y === foot) until = Math.min(limit, painter.x(end));
      continue;
    }
    draw();
    context.lineWidth = 1;
    if (!Number.isNaN(foot)) painter.line(until, foot, x, y);
    [from, until, foot] = [x, Math.min(limit, painter.x(end)), y];
  }
  draw();
  context.lineWidth = 1;
}

/** Draws the selected range and the event under the pointer. */
export function paint_marks(painter: Painter, model: Model, view: View, hit: Hit | null): void {
  const { layout, palette, context } = painter;
  const height = layout.bottom - layout.top;
  if (view.range !== null) {
    const from = Math.max(layout.left, painter.x(view.range.begin));
    const until = Math.min(layout.left + layout.plot_width, painter.x(view.range.end));
    context.globalAlpha = 0.16;
    if (until > from) painter.rectangle(from, layout.top, until - from, height, palette.mark);
    context.globalAlpha = 1;
    context.strokeStyle = palette.mark;
    context.lineWidth = 1;
    for (const x of [from, until]) painter.line(x, layout.top, x, layout.bottom);
  }
  if (hit === null) return;
  const row = layout.rows.find(
    (each) =>
      each.kind === hit.row.kind && each.first === hit.row.first && each.stream === hit.row.stream,
  );
  const events = model.group(hit.row.first, hit.row.stream, hit.group)?.events;
  if (row === undefined || events === undefined) return;
  const from = Math.max(layout.left, painter.x(events.begin[hit.index]!));
  const until = Math.min(layout.left + layout.plot_width, painter.x(events.end[hit.index]!));
  if (until < layout.left || from > layout.left + layout.plot_width) return;
  context.strokeStyle = palette.mark;
  context.lineWidth = 2;
  context.strokeRect(from - 1, row.top - 1, Math.max(2, until - from) + 2, row.height + 2);
  painter.counters.lines += 1;
}

/** The whole run in a strip: the ranks' mean, and the window that is seen above. */
export function paint_overview(painter: Painter, model: Model, view: View): void {
  const { layout, palette, context } = painter;
  const all = model.bins_of(0, model.timeline.ranks.length);
  const ranks = model.count(0, model.timeline.ranks.length);
  painter.shares(all, 0, layout.height, Math.max(1, ranks));
  const from = painter.x(view.begin);
  const until = Math.max(painter.x(view.end), from + 3);
  context.globalAlpha = 0.6;
  painter.rectangle(layout.left, 0, from - layout.left, layout.height, palette.theme.surface);
  painter.rectangle(
    until,
    0,
    layout.left + layout.plot_width - until,
    layout.height,
    palette.theme.surface,
  );
  context.globalAlpha = 1;
  context.strokeStyle = palette.mark;
  context.lineWidth = 1.5;
  context.strokeRect(from, 0.75, until - from, layout.height - 1.5);
}

/** Categories that occur at all, for the legend. */
export function used_categories(model: Model): (typeof categories)[number][] {
  const sums = new Float64Array(categories.length + 1);
  model.bins_of(0, model.timeline.ranks.length).up_to(model.timeline.end, sums);
  return categories.filter((_, index) => sums[index]! > 0);
}

/** Begin and end of an event; null if it is not unpacked. */
export function span_of(model: Model, hit: Hit): { begin: number; end: number } | null {
  const events = model.group(hit.row.first, hit.row.stream, hit.group)?.events;
  return events === undefined || hit.index >= events.count
    ? null
    : { begin: events.begin[hit.index]!, end: events.end[hit.index]! };
}

/** The number of calls of the shown rows in the window. */
export function visible_events(model: Model, view: View, rows: readonly Row[]): number {
  let sum = 0;
  for (const row of rows) {
    if (row.kind !== "ranks" || row.last - row.first > 1) continue;
    const events = model.unpacked(row.first, row.stream, "calls")?.events;
    if (events === undefined) continue;
    const [first, last] = within(events, view.begin, view.end);
    sum += last - first;
  }
  return sum;
}
