// SPDX-License-Identifier: BSD-3-Clause
// Draws the timeline on its canvas, and finds what is at a point of the drawing.
import type { PathPart, Phase } from "../data/analysis";
import type { Colours } from "../theme";
import { paint_axis } from "./axis";
import { describe_band, paint_band, ranks_of_bands } from "./curves";
import type { Band, PlacedBand } from "./curves";
import { messages_of_hit } from "./describe";
import type { Description } from "./describe";
import { band_px, make_layout, row_at } from "./layout";
import type { Layout, Row } from "./layout";
import type { Model } from "./model";
import {
  paint_labels,
  paint_marks,
  paint_messages,
  paint_overview,
  paint_path,
  paint_phases,
  rows_by_rank,
} from "./overlays";
import { Painter } from "./painter";
import type { Counters } from "./painter";
import { make_palette } from "./palette";
import { hit_event, paint_row, source_of } from "./rows";
import type { Hit, Source } from "./rows";
import type { SampleHit } from "./samples";
import { hit_sample, paint_strip } from "./strip";
import type { View } from "./view";

export interface Layers {
  messages: boolean;
  path: boolean;
  phases: boolean;
  samples: boolean;
  curves: boolean;
}

/** The result of a drawing: the layout, and the work that it took. */
export interface Drawn {
  layout: Layout;
  counters: Counters;
  /** The data that each row was drawn from. */
  sources: (Source | null)[];
  /** The strips of curves, and the ranks in them by their index. */
  bands: PlacedBand[];
  band_ranks: number[];
  /** Why messages are not drawn; empty if they are, or are not wanted. */
  messages_note: string;
}

/** The most ranks that may share a row. */
const most_sharing = 100_000;

const font = "11.5px system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";

function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  ratio: number,
): CanvasRenderingContext2D | null {
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) return null;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = font;
  context.textBaseline = "middle";
  context.textAlign = "left";
  return context;
}

export class Scene {
  private readonly index_of: Map<number, number>;

  constructor(
    readonly model: Model,
    readonly phases: readonly Phase[],
    readonly path: readonly PathPart[],
    readonly bands: readonly Band[] = [],
  ) {
    this.index_of = new Map();
    model.timeline.ranks.forEach(({ rank, last_rank, count }, index) => {
      // Damaged data may have any numbers.
      const last = count > 1 ? Math.min(last_rank, rank + most_sharing) : rank;
      for (let each = rank; each <= last; each += 1) this.index_of.set(each, index);
    });
  }

  /** The index of a world rank's row; null if it is not in the trace. */
  index(rank: number): number | null {
    return this.index_of.get(rank) ?? null;
  }

  draw(
    canvas: HTMLCanvasElement,
    view: View,
    layers: Layers,
    theme: Colours,
    width: number,
    ratio: number,
    hit: Hit | null,
    selected: ReadonlySet<number>,
  ): Drawn | null {
    const { model } = this;
    const layout = make_layout(
      model.timeline,
      view,
      width,
      layers.phases && this.phases.length > 0,
      layers.curves ? this.bands.length : 0,
    );
    const context = prepare(canvas, width, layout.height, ratio);
    if (context === null) return null;
    const span = { begin: view.begin, end: view.end };
    const palette = make_palette(theme);
    const painter = new Painter(context, layout, palette, span, ratio, model.timeline.shapes);
    context.fillStyle = theme.surface;
    context.fillRect(0, 0, width, layout.height);
    const sources = layout.rows.map((row) =>
      row.kind === "regions" ? null : source_of(model, view, layout, row),
    );
    layout.rows.forEach((row, index) => paint_row(painter, model, row, sources[index] ?? null));
    if (layers.samples) for (const row of layout.rows) paint_strip(painter, model, row);
    if (layers.phases) paint_phases(painter, this.phases);
    const rows = rows_by_rank(layout.rows);
    let messages_note = "";
    if (layers.messages && model.timeline.messages.count > 0) {
      const of_hit = hit === null ? { sent: [], received: [] } : messages_of_hit(model, hit);
      const strong = new Set([...of_hit.sent, ...of_hit.received]);
      messages_note = paint_messages(painter, model, rows, strong);
    }
    if (layers.path) paint_path(painter, this.path, this.index_of, rows);
    const is_selected = (index: number): boolean =>
      selected.has(model.timeline.ranks[index]?.rank ?? -1);
    const band_ranks = ranks_of_bands(this.bands, view, is_selected);
    const bands = layout.bands.map((top, index) => ({
      band: this.bands[index]!,
      top,
      height: band_px,
    }));
    for (const band of bands) paint_band(painter, band, band_ranks, is_selected);
    paint_labels(painter, model, view, selected);
    paint_marks(painter, model, view, hit);
    paint_axis(painter);
    const { counters } = painter;
    return { layout, counters, sources, bands, band_ranks, messages_note };
  }

  /** Draws the strip of the whole run. */
  draw_overview(
    canvas: HTMLCanvasElement,
    view: View,
    theme: Colours,
    layout: Layout,
    ratio: number,
  ): void {
    const height = 34;
    const context = prepare(canvas, layout.width, height, ratio);
    if (context === null) return;
    context.fillStyle = theme.surface;
    context.fillRect(0, 0, layout.width, height);
    const strip = { ...layout, height, rows: [] };
    const span = { begin: 0, end: view.run_end };
    const palette = make_palette(theme);
    const painter = new Painter(context, strip, palette, span, ratio, []);
    paint_overview(painter, this.model, view);
  }
}

/** The time at a position of the drawing. */
export function time_at(drawn: Drawn, view: View, x: number): number {
  const { left, plot_width } = drawn.layout;
  return view.begin + ((x - left) / plot_width) * view.span();
}

/** Finds what is at a point: a row, its source, and an event or a sample if one is near. */
export function find_at(
  model: Model,
  drawn: Drawn,
  view: View,
  x: number,
  y: number,
  with_samples: boolean,
): { row: Row; source: Source | null; hit: Hit | null; sample: SampleHit | null } | null {
  const row = row_at(drawn.layout, y);
  if (row === null) return null;
  const source = drawn.sources[drawn.layout.rows.indexOf(row)] ?? null;
  const { left, plot_width } = drawn.layout;
  if (x < left || x > left + plot_width) return { row, source, hit: null, sample: null };
  const tolerance = (view.span() / plot_width) * 3;
  const time = time_at(drawn, view, x);
  const sample = with_samples ? hit_sample(model, row, y, time, tolerance) : null;
  const hit = sample === null ? hit_event(model, source, row, time, tolerance) : null;
  return { row, source, hit, sample };
}

/** Describes the values of a strip of curves at a point; null outside of strips. */
export function band_at(
  model: Model,
  drawn: Drawn,
  view: View,
  x: number,
  y: number,
): Description | null {
  const { left, plot_width } = drawn.layout;
  const found = drawn.bands.find(({ top, height }) => y >= top && y < top + height);
  if (found === undefined || x < left || x > left + plot_width) return null;
  const { timeline } = model;
  const time = time_at(drawn, view, x);
  return describe_band(timeline, found.band, drawn.band_ranks, time, view.span() / plot_width);
}
