// SPDX-License-Identifier: BSD-3-Clause
// The canvas of one drawing; counts rectangles, lines and columns of pixels.
import { categories } from "../data/timeline";
import type { Shape } from "../data/timeline";
import type { Layout } from "./layout";
import type { Spent } from "./model";
import type { Palette } from "./palette";
import type { Span } from "./view";

/** The work of a drawing, which tests bound. */
export interface Counters {
  rectangles: number;
  lines: number;
  texts: number;
  /** Columns of pixels coloured by shares of time. */
  columns: number;
  /** Events examined one by one. */
  events: number;
  messages: number;
  /** Samples in the strips drawn. */
  samples: number;
}

const width = categories.length;
/** The most columns of all rows that one drawing colours. */
const most_columns = 40000;
/** Order of the categories from the bottom of a row upwards. */
const stacking = [0, 5, 1, 2, 3, 4] as const;

export class Painter {
  readonly counters: Counters = {
    rectangles: 0,
    lines: 0,
    texts: 0,
    columns: 0,
    events: 0,
    messages: 0,
    samples: 0,
  };
  private image: ImageData | null = null;

  constructor(
    readonly context: CanvasRenderingContext2D,
    readonly layout: Layout,
    readonly palette: Palette,
    readonly span: Span,
    readonly ratio: number,
    readonly shapes: readonly Shape[],
  ) {}

  /** The position of a time, in CSS pixels. */
  x(time: number): number {
    const { left, plot_width } = this.layout;
    return left + ((time - this.span.begin) / (this.span.end - this.span.begin)) * plot_width;
  }

  /** The time at a position. */
  time(x: number): number {
    const share = (x - this.layout.left) / this.layout.plot_width;
    return this.span.begin + share * (this.span.end - this.span.begin);
  }

  /** A rectangle from one time to another, at least a pixel wide, within the plot. */
  box(begin: number, end: number, top: number, height: number, colour: string): void {
    const { left, plot_width } = this.layout;
    const from = Math.max(left, this.x(begin));
    const until = Math.min(left + plot_width, Math.max(this.x(end), this.x(begin) + 1));
    if (until > from) this.rectangle(from, top, until - from, height, colour);
  }

  rectangle(x: number, y: number, w: number, h: number, colour: string): void {
    this.context.fillStyle = colour;
    this.context.fillRect(x, y, w, h);
    this.counters.rectangles += 1;
  }

  line(x1: number, y1: number, x2: number, y2: number): void {
    this.context.beginPath();
    this.context.moveTo(x1, y1);
    this.context.lineTo(x2, y2);
    this.context.stroke();
    this.counters.lines += 1;
  }

  text(label: string, x: number, y: number, colour: string, most = Infinity): void {
    this.context.fillStyle = colour;
    if (most === Infinity) this.context.fillText(label, x, y);
    else this.context.fillText(this.fitting(label, most), x, y);
    this.counters.texts += 1;
  }

  /** The label, cut to a width. */
  fitting(label: string, most: number): string {
    const short = label.slice(0, 80);
    if (this.context.measureText(short).width <= most) return short;
    const kept = Math.floor((most / this.context.measureText(short).width) * short.length) - 1;
    return kept < 2 ? "" : `${short.slice(0, kept)}\u2026`;
  }

  /**
   * Draws a row in which each column of pixels is a stack of its shares of time.
   * @param whole  number of ranks that share the row
   */
  shares(spent: Spent, top: number, height: number, whole: number): void {
    const { left, plot_width } = this.layout;
    // With very many rows a column is several pixels wide.
    const wide = Math.ceil((this.layout.rows.length * plot_width) / most_columns);
    const dots = Math.max(1, Math.round(this.ratio * Math.max(1, wide)));
    const [across, down] = [Math.round(plot_width * this.ratio), Math.round(height * this.ratio)];
    if (this.image === null || this.image.width !== across || this.image.height < down) {
      this.image = new ImageData(across, Math.max(1, down));
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(this.palette.empty, 0, across * down);
    let before = new Float64Array(width + 1);
    let after = new Float64Array(width + 1);
    const step = (this.span.end - this.span.begin) / (across / dots);
    spent.up_to(this.span.begin, before);
    for (let column = 0, index = 1; column < across; column += dots, index += 1) {
      after.fill(0);
      spent.up_to(this.span.begin + index * step, after);
      let filled = 0;
      let sum = 0;
      for (const category of stacking) {
        sum += Math.max(0, after[category]! - before[category]!) / (step * whole);
        const until = Math.min(down, Math.round(sum * down));
        const colour = this.palette.pixels[category]!;
        for (; filled < until; filled += 1) {
          const row = (down - 1 - filled) * across + column;
          for (let dot = 0; dot < dots && column + dot < across; dot += 1)
            pixels[row + dot] = colour;
        }
      }
      [before, after] = [after, before];
      this.counters.columns += 1;
    }
    const [x, y] = [Math.round(left * this.ratio), Math.round(top * this.ratio)];
    this.context.putImageData(this.image, x, y, 0, 0, across, down);
  }
}
