// SPDX-License-Identifier: BSD-3-Clause
// The layout of a flame graph: where each frame is drawn, as shares of the width.
import type { CallTree, Frame, Subset, Sums } from "./call_tree";

/** A frame's place: `left` and `width` from 0 to 1; with its values on both sides. */
export interface Cell {
  frame: Frame;
  row: number;
  left: number;
  width: number;
  /** Mean per rank in a difference, else the sum, s. */
  value_s: number;
  /** Of the side that is compared with; null: no difference. */
  base_s: number | null;
}

/** What a flame graph shows: some ranks, and what they are compared with. */
export interface Shown {
  subject: Subset;
  base: Subset | null;
}

export interface Flame {
  shown: Shown;
  sums: Sums;
  base: Sums | null;
  /** By frame; widths are proportional to it. */
  weight: Float64Array;
  value_s: Float64Array;
  base_s: Float64Array | null;
  total_s: number;
  base_total_s: number | null;
  total_weight: number;
}

function ranks_of(tree: CallTree, { run, ranks }: Subset): number {
  return Math.max(1, ranks === null ? (tree.ranks[run]?.length ?? 0) : ranks.length);
}

/**
 * The values of a flame graph. In a difference, values are means per rank and a frame is as wide as
 * the mean of both sides, so that frames that only one side has are drawn too.
 */
export function make_flame(tree: CallTree, shown: Shown): Flame {
  const sums = tree.sums(shown.subject);
  if (shown.base === null) {
    const { inclusive_s: value_s, total_s } = sums;
    return {
      shown, sums, base: null, weight: value_s, value_s, base_s: null, total_s,
      base_total_s: null, total_weight: total_s,
    };
  }
  const base = tree.sums(shown.base);
  const [mine, theirs] = [ranks_of(tree, shown.subject), ranks_of(tree, shown.base)];
  const value_s = sums.inclusive_s.map((value) => value / mine);
  const base_s = base.inclusive_s.map((value) => value / theirs);
  const total_s = sums.total_s / mine;
  const base_total_s = base.total_s / theirs;
  return {
    shown, sums, base, value_s, base_s, total_s, base_total_s,
    weight: value_s.map((value, i) => (value + base_s[i]!) / 2),
    total_weight: (total_s + base_total_s) / 2,
  };
}

/**
 * Places the frames below `root` (null: all), the widest first; leaves out those narrower than
 * `least`. The callers of `root` are drawn above it over the whole width.
 */
export function place_cells(
  tree: CallTree,
  flame: Flame,
  root: Frame | null,
  least: number,
): Cell[] {
  const cells: Cell[] = [];
  const add = (frame: Frame, left: number, width: number): void => {
    cells.push({
      frame,
      row: frame.depth,
      left,
      width,
      value_s: flame.value_s[frame.index]!,
      base_s: flame.base_s?.[frame.index] ?? null,
    });
  };
  const whole = root === null ? flame.total_weight : flame.weight[root.index]!;
  if (whole <= 0) return cells;
  for (let above = root?.parent ?? null; above !== null; above = above.parent) add(above, 0, 1);
  const place = (frames: readonly Frame[], from: number): void => {
    let left = from;
    const sorted = [...frames].sort(
      (a, b) =>
        flame.weight[b.index]! - flame.weight[a.index]! || a.short.localeCompare(b.short, "en"),
    );
    for (const frame of sorted) {
      const width = flame.weight[frame.index]! / whole;
      if (width < least || width === 0) break;
      add(frame, left, width);
      place(frame.children, left);
      left += width;
    }
  };
  place(root === null ? tree.roots : [root], 0);
  return cells.sort((a, b) => a.row - b.row || a.left - b.left);
}

/** The share of the samples below frames for which `matches` is true; each sample counts once. */
export function matched_share(
  tree: CallTree,
  flame: Flame,
  matches: (frame: Frame) => boolean,
): number {
  if (flame.total_weight <= 0) return 0;
  let sum = 0;
  const pending = [...tree.roots];
  for (let frame = pending.pop(); frame !== undefined; frame = pending.pop()) {
    if (matches(frame)) sum += flame.weight[frame.index]!;
    else pending.push(...frame.children);
  }
  return sum / flame.total_weight;
}
