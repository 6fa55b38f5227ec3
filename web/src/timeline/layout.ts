// SPDX-License-Identifier: BSD-3-Clause
// Positions of the timeline's rows: ranks (several per row if there are many), threads, regions.
import { rank_numbers } from "../data/timeline";
import type { Timeline } from "../data/timeline";
import type { View } from "./view";

export interface Row {
  kind: "ranks" | "thread" | "regions";
  /** Ranks [first, last), by their index. */
  first: number;
  last: number;
  stream: number;
  label: string;
  top: number;
  height: number;
}
export interface Layout {
  width: number;
  height: number;
  left: number;
  plot_width: number;
  phases_top: number;
  top: number;
  /** Of the rows and the strips of curves below them. */
  bottom: number;
  rows: Row[];
  /** The tops of the strips of curves. */
  bands: number[];
}

const most_rows_px = 520;
const most_row_px = 30;
const least_row_px = 3;
const phases_px = 20;
const axis_px = 30;
/** The height of a strip of curves, and the gap above it. */
export const band_px = 58;
const band_gap_px = 8;

/** True for a row of a single rank that has threads or regions to show. */
export function can_expand(timeline: Timeline, row: Row): boolean {
  const rank = timeline.ranks[row.first];
  if (row.kind !== "ranks" || row.last - row.first !== 1 || rank === undefined) return false;
  return rank.streams.length > 1 || (rank.streams[0]?.regions.count ?? 0) > 0;
}

function rows_of(timeline: Timeline, view: View, together: number): Omit<Row, "top" | "height">[] {
  const rows: Omit<Row, "top" | "height">[] = [];
  for (let first = view.first_rank; first < view.last_rank; first += together) {
    const last = Math.min(view.last_rank, first + together);
    const rank = timeline.ranks[first];
    if (rank === undefined) break;
    const final = timeline.ranks[last - 1] ?? rank;
    rows.push({
      kind: "ranks",
      first,
      last,
      stream: rank.time_stream,
      label: rank_numbers(rank, final),
    });
    if (last - first > 1 || !view.expanded.has(first)) continue;
    rank.streams.forEach((stream, index) => {
      const name = stream.omp_thread >= 0 ? `thread ${stream.omp_thread}` : `tid ${stream.tid}`;
      if (stream.regions.count > 0) {
        rows.push({ kind: "regions", first, last, stream: index, label: "regions" });
      }
      if (index !== rank.time_stream || rank.streams.length > 1) {
        rows.push({ kind: "thread", first, last, stream: index, label: name });
      }
    });
  }
  return rows;
}

/** Lays the rows out for a drawing of this width. */
export function make_layout(
  timeline: Timeline,
  view: View,
  width: number,
  with_phases: boolean,
  bands: number,
): Layout {
  const ranks = Math.max(1, view.last_rank - view.first_rank);
  const together = Math.ceil((ranks * least_row_px) / most_rows_px);
  const rows = rows_of(timeline, view, together);
  const row_px = Math.floor(
    Math.max(least_row_px, Math.min(most_row_px, most_rows_px / Math.max(1, rows.length))),
  );
  const left = view.expanded.size > 0 ? 64 : Math.max(34, 12 + 7.2 * longest_label(rows));
  const phases_top = 2;
  const top = with_phases ? phases_top + phases_px + 4 : 4;
  const placed = rows.map((row, index) => ({
    ...row,
    top: top + index * row_px,
    height: row_px - (row_px >= 10 ? 3 : row_px >= 5 ? 1 : 0),
  }));
  const rows_bottom = top + rows.length * row_px;
  const bottom = rows_bottom + bands * (band_px + band_gap_px);
  return {
    width,
    height: Math.ceil(bottom + axis_px),
    left: Math.ceil(left),
    plot_width: Math.max(1, Math.floor(width - Math.ceil(left) - 2)),
    phases_top,
    top,
    bottom,
    rows: placed,
    bands: Array.from(
      { length: bands },
      (_, index) => rows_bottom + band_gap_px + index * (band_px + band_gap_px),
    ),
  };
}

function longest_label(rows: readonly { label: string }[]): number {
  return rows.reduce((most, row) => Math.max(most, row.label.length), 1);
}

/** The row at a height; null between and outside rows. */
export function row_at(layout: Layout, y: number): Row | null {
  return layout.rows.find((row) => y >= row.top && y < row.top + Math.max(row.height, 3)) ?? null;
}
