// SPDX-License-Identifier: BSD-3-Clause
// The colours of frames: by kind, or by difference from less (blue) to more (red).
import { text_on } from "../theme";
import type { Colours } from "../theme";
import { frame_kind_names, frame_kinds } from "./call_tree";
import type { FrameKind } from "./call_tree";
import type { Cell } from "./layout";

export interface Paint {
  fill: string;
  text: string;
}

export function kind_colour(kind: FrameKind, theme: Colours): string {
  return {
    code: theme.compute,
    mpi: theme.mpi,
    openmp: theme.idle,
    python: theme.series[2] ?? theme.compute,
    system: theme.other,
    waiting: theme.cpu_wait,
  }[kind];
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** The colour at `share` of the way between two colours. */
export function blend(from: string, to: string, share: number): string {
  const end = channels(to);
  return `#${channels(from)
    .map((value, i) =>
      Math.round(value + (end[i]! - value) * share)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

export function painted(fill: string): Paint {
  const [red = 0, green = 0, blue = 0] = channels(fill).map((value) => value / 255);
  return { fill, text: text_on(red, green, blue) };
}

/** Blue, neutral, red: less, the same, more. */
export function difference_colours(theme: Colours): { less: string; same: string; more: string } {
  return { less: theme.series[0]!, same: theme.line, more: theme.waiting };
}

/** @param change  from -1 to 1, of the largest change shown */
export function change_paint(change: number, theme: Colours): Paint {
  const { less, same, more } = difference_colours(theme);
  return painted(blend(same, change < 0 ? less : more, Math.min(1, Math.abs(change))));
}

/** The paint of a cell; `largest_s` is the largest difference shown. */
export function cell_paint(cell: Cell, largest_s: number, theme: Colours): Paint {
  if (cell.base_s === null) return painted(kind_colour(cell.frame.kind, theme));
  return change_paint(largest_s > 0 ? (cell.value_s - cell.base_s) / largest_s : 0, theme);
}

/** Names and colours for a legend: of the kinds that occur, or of a difference. */
export function legend_of(
  cells: readonly Cell[],
  theme: Colours,
): { name: string; colour: string }[] {
  if (cells.some(({ base_s }) => base_s !== null)) {
    const { less, same, more } = difference_colours(theme);
    return [
      { name: "Less", colour: less },
      { name: "The same", colour: same },
      { name: "More", colour: more },
    ];
  }
  return frame_kinds
    .filter((kind) => cells.some(({ frame }) => frame.kind === kind))
    .map((kind) => ({ name: frame_kind_names[kind], colour: kind_colour(kind, theme) }));
}
