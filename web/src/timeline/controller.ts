// SPDX-License-Identifier: BSD-3-Clause
// The state of the timeline and all operations that change it; draws at the next frame.
import { select_ranks, selected_ranks } from "../selection";
import type { Place } from "../selection";
import { colours, is_paper, paper_width_px } from "../theme";
import { describe_event, describe_gap, describe_shares } from "./describe";
import type { Description } from "./describe";
import { first_above } from "./events";
import { can_expand } from "./layout";
import type { Row } from "./layout";
import { describe_sample } from "./samples";
import { band_at, find_at, time_at } from "./scene";
import type { Drawn, Layers, Scene } from "./scene";
import { span_of } from "./overlays";
import type { Hit } from "./rows";
import { View } from "./view";

const ns = 1e9;
/** The most calls that a search for one call examines. */
const most_searched = 4_000_000;

export interface Canvases {
  frame: HTMLElement;
  rows: HTMLCanvasElement;
  overview: HTMLCanvasElement;
}

export class Controller {
  readonly view: View;
  readonly layers: Layers = {
    messages: true,
    path: true,
    phases: true,
    samples: true,
    curves: true,
  };
  drawn: Drawn | null = null;
  hit: Hit | null = null;
  /** The rank that keys act on. */
  cursor = 0;
  frames = 0;
  private wanted = false;

  constructor(
    readonly scene: Scene,
    private readonly canvases: Canvases,
    private readonly changed: () => void,
    run_end = scene.model.timeline.end,
  ) {
    this.view = new View(run_end, scene.model.timeline.ranks.length);
  }

  /** Shows the same window as another timeline of the same length. */
  follow(view: View): void {
    if (this.view.begin === view.begin && this.view.end === view.end) return;
    this.view.show(view.begin, view.end);
    this.refresh();
  }

  /** Draws at the next frame. */
  refresh(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      this.draw();
    });
  }

  /** Draws now; unpacks a bounded number of events for the next drawing. */
  draw(): void {
    const paper = is_paper();
    const width = paper ? paper_width_px : this.canvases.frame.clientWidth;
    if (width === 0) return;
    const ratio = paper ? 2 : Math.min(3, devicePixelRatio || 1);
    const view = paper ? new View(this.view.run_end, this.view.ranks) : this.view;
    const { rows, overview } = this.canvases;
    const hit = paper ? null : this.hit;
    this.drawn = this.scene.draw(
      rows,
      view,
      this.layers,
      colours(),
      width,
      ratio,
      hit,
      selected_ranks(),
    );
    if (this.drawn !== null) {
      this.scene.draw_overview(overview, view, colours(), this.drawn.layout, ratio);
    }
    this.frames += 1;
    this.changed();
    if (!this.scene.model.is_busy()) return;
    this.scene.model.step();
    this.refresh();
  }

  zoom(factor: number, share = 0.5): void {
    this.view.zoom(factor, share);
    this.refresh();
  }

  pan(share: number): void {
    this.view.pan(share);
    this.refresh();
  }

  whole(): void {
    this.view.show(0, this.view.run_end);
    this.view.show_ranks(0, this.view.ranks);
    this.refresh();
  }

  /** Shows a time interval with a margin around it. */
  show(begin: number, end: number, margin: number): void {
    const room = Math.max(1, end - begin) * margin;
    this.view.show(begin - room, end + room);
    this.refresh();
  }

  set_range(begin: number, end: number): void {
    const [first, last] = begin < end ? [begin, end] : [end, begin];
    this.view.range = {
      begin: Math.max(0, first),
      end: Math.min(this.view.run_end, Math.max(last, first + 1)),
    };
    this.refresh();
  }

  clear(): void {
    this.view.range = null;
    this.hit = null;
    this.refresh();
  }

  show_ranks(first: number, last: number): void {
    this.view.show_ranks(first, last);
    this.refresh();
  }

  /** Shows the rows of the ranks from `first` to `last`. */
  show_world_ranks(first: number, last: number): void {
    const { ranks } = this.scene.model.timeline;
    const from = ranks.findIndex(({ last_rank }) => last_rank >= first);
    const behind = ranks.filter(({ rank }) => rank <= last).length;
    this.show_ranks(from < 0 ? ranks.length : from, behind);
  }

  toggle_threads(row: Row): void {
    if (!can_expand(this.scene.model.timeline, row)) return;
    const { expanded } = this.view;
    if (!expanded.delete(row.first)) expanded.add(row.first);
    this.refresh();
  }

  /** The row of the rank that keys act on. */
  cursor_row(): Row | null {
    const rows = this.drawn?.layout.rows ?? [];
    return (
      rows.find(
        (row) => row.kind === "ranks" && this.cursor >= row.first && this.cursor < row.last,
      ) ?? null
    );
  }

  /** Moves the selection by `step` ranks. */
  move_cursor(step: number): void {
    const { ranks } = this.scene.model.timeline;
    const is_new = selected_ranks().size === 0;
    const next = is_new ? this.cursor : this.cursor + step;
    this.cursor = Math.max(0, Math.min(ranks.length - 1, next));
    const { view } = this;
    if (this.cursor < view.first_rank || this.cursor >= view.last_rank) {
      const seen = view.last_rank - view.first_rank;
      const first = Math.max(0, Math.min(this.cursor - Math.floor(seen / 2), ranks.length - seen));
      view.show_ranks(first, first + seen);
    }
    const rank = ranks[this.cursor]?.rank;
    if (rank !== undefined && !selected_ranks().has(rank)) select_ranks([rank]);
  }

  /** Goes to the next or previous call of the selected rank. */
  step_event(direction: 1 | -1): void {
    const row = this.cursor_row();
    const rank = this.scene.model.timeline.ranks[this.cursor];
    if (row === null || rank === undefined) return;
    const own = { ...row, first: this.cursor, last: this.cursor + 1, stream: rank.time_stream };
    const events = this.scene.model.group_now(own.first, own.stream, "calls")?.events;
    if (events === undefined || events.count === 0) return;
    const { hit, view } = this;
    const is_on = hit !== null && hit.group === "calls" && hit.row.first === own.first;
    const next = is_on
      ? hit.index + direction
      : first_above(events.begin, (view.begin + view.end) / 2);
    const index = Math.max(0, Math.min(events.count - 1, next));
    this.go_to({ row: own, group: "calls", index });
  }

  /** Shows an event: moves the window to it and zooms in until it is visible. */
  go_to(hit: Hit): void {
    const span = span_of(this.scene.model, hit);
    if (span === null) return;
    this.hit = hit;
    const length = Math.max(1, span.end - span.begin);
    const wide = (length / this.view.span()) * (this.drawn?.layout.plot_width ?? 1000);
    if (wide < 4 || length > this.view.span()) this.show(span.begin, span.end, 2);
    else if (span.begin < this.view.begin || span.end > this.view.end) {
      const middle = (span.begin + span.end) / 2;
      const half = this.view.span() / 2;
      this.view.show(middle - half, middle + half);
    }
    this.refresh();
  }

  /** Zooms in until an event takes a third of the window. */
  go_to_closely(hit: Hit): void {
    const span = span_of(this.scene.model, hit);
    if (span === null) return;
    this.hit = hit;
    this.show(span.begin, span.end, 1);
  }

  /** Describes what is at a point of the drawing; sets the event under the pointer. */
  point_at(x: number, y: number): Description | null {
    if (this.drawn === null) return null;
    const { model } = this.scene;
    const found = find_at(model, this.drawn, this.view, x, y, this.layers.samples);
    const old = this.hit;
    this.hit = found?.hit ?? null;
    const same =
      old?.index === this.hit?.index &&
      old?.group === this.hit?.group &&
      old?.row === this.hit?.row;
    if (!same) this.refresh();
    if (found === null) return band_at(model, this.drawn, this.view, x, y);
    if (x < this.drawn.layout.left) return null;
    if (found.hit !== null) return describe_event(model, found.hit);
    if (found.sample !== null) return describe_sample(model, found.sample);
    const time = time_at(this.drawn, this.view, x);
    const half = (this.view.span() / this.drawn.layout.plot_width) * 1.5;
    const begin = Math.max(0, time - half);
    const end = Math.min(this.view.run_end, time + half);
    const { source, row } = found;
    if (source?.kind === "shares" && end > begin) {
      return describe_shares(model, row, source.spent, begin, end);
    }
    return source?.kind === "events" ? describe_gap(model, row, source, time) : null;
  }

  /** Shows a place that another part of the page asks for. */
  show_place(place: Place): void {
    const indices = place.ranks.flatMap((rank) => this.scene.index(rank) ?? []);
    const { view } = this;
    if (indices.some((index) => index < view.first_rank || index >= view.last_rank)) {
      view.show_ranks(0, view.ranks);
    }
    const [first] = indices;
    if (first !== undefined) this.cursor = first;
    const is_selected =
      place.ranks.length === selected_ranks().size &&
      place.ranks.every((rank) => selected_ranks().has(rank));
    if (place.ranks.length > 0 && !is_selected) select_ranks(place.ranks);
    if (place.begin_s !== undefined && place.end_s !== undefined) {
      this.set_range(place.begin_s * ns, place.end_s * ns);
      this.show(place.begin_s * ns, place.end_s * ns, 0.08);
    } else if (place.call !== undefined && first !== undefined) {
      this.show_call(first, place.call);
    }
    this.canvases.frame.scrollIntoView({ block: "center" });
    this.canvases.frame.focus({ preventScroll: true });
    this.refresh();
  }

  /** Shows the call of a site with the longest wait, or the longest computation before it. */
  private show_call(index: number, call: NonNullable<Place["call"]>): void {
    const { model } = this.scene;
    const stream = model.timeline.ranks[index]?.time_stream ?? 0;
    const events = model.group_now(index, stream, "calls")?.events;
    if (events === undefined) return;
    const fits = model.timeline.shapes.map(
      (shape) =>
        (call.function === "" || shape.name === call.function) &&
        (call.site === "" || shape.place === call.site),
    );
    let best = -1;
    let most = -1;
    const last = Math.min(events.count, most_searched);
    for (let i = 0; i < last; i += 1) {
      if (fits[events.shape[i]!] !== true) continue;
      const before = i > 0 ? events.begin[i]! - events.end[i - 1]! : 0;
      const waited = events.split[i]! - events.begin[i]!;
      const length = waited > 0 ? waited : (events.end[i]! - events.begin[i]!) * 1e-6;
      const value = call.before ? before : length;
      if (value > most) [best, most] = [i, value];
    }
    if (best < 0) return;
    const row = {
      kind: "ranks",
      first: index,
      last: index + 1,
      stream,
      label: "",
      top: 0,
      height: 0,
    } as const;
    this.hit = { row, group: "calls", index: best };
    const begin = call.before && best > 0 ? events.end[best - 1]! : events.begin[best]!;
    const end = call.before ? events.begin[best]! : events.end[best]!;
    this.set_range(begin, end);
    this.show(begin, end, 0.6);
  }
}
