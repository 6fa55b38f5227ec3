// SPDX-License-Identifier: BSD-3-Clause
// The visible part of the run: the time window, the ranks, and which ranks show their threads.

/** The narrowest window; calls take longer than this. */
const least_span_ns = 20;

export interface Span {
  begin: number;
  end: number;
}

export class View {
  begin = 0;
  end: number;
  first_rank = 0;
  last_rank: number;
  readonly expanded = new Set<number>();
  /** The range that numbers are shown for; null: the window. */
  range: Span | null = null;

  constructor(
    readonly run_end: number,
    readonly ranks: number,
  ) {
    this.end = run_end;
    this.last_rank = ranks;
  }

  span(): number {
    return this.end - this.begin;
  }

  /** Sets the window, kept within the run. */
  show(begin: number, end: number): void {
    const span = Math.min(this.run_end, Math.max(least_span_ns, end - begin));
    const middle = (begin + end) / 2;
    const first = Math.min(Math.max(0, middle - span / 2), this.run_end - span);
    this.begin = first;
    this.end = first + span;
  }

  /** Changes the span by `factor`, with the time at `share` of the window in its place. */
  zoom(factor: number, share = 0.5): void {
    const at = this.begin + this.span() * share;
    const span = Math.min(this.run_end, Math.max(least_span_ns, this.span() * factor));
    const begin = Math.min(Math.max(0, at - span * share), this.run_end - span);
    this.begin = begin;
    this.end = begin + span;
  }

  /** Moves by a share of the window. */
  pan(share: number): void {
    const begin = Math.min(
      Math.max(0, this.begin + this.span() * share),
      this.run_end - this.span(),
    );
    this.end = begin + this.span();
    this.begin = begin;
  }

  show_ranks(first: number, last: number): void {
    this.first_rank = Math.max(0, Math.min(first, this.ranks - 1));
    this.last_rank = Math.min(this.ranks, Math.max(last, this.first_rank + 1));
  }

  /** The range whose numbers are shown. */
  measured(): Span {
    return this.range ?? { begin: this.begin, end: this.end };
  }
}
