// SPDX-License-Identifier: BSD-3-Clause
// The timeline's colours: one per category, with the hues of the other charts.
import { categories } from "../data/timeline";
import type { Category } from "../data/timeline";
import { text_on } from "../theme";
import type { Colours } from "../theme";

export interface Palette {
  theme: Colours;
  fill: Readonly<Record<Category, string>>;
  /** The same as pixels (ABGR, as little-endian machines store RGBA). */
  pixels: Uint32Array;
  empty: number;
  /** Text on a category's colour. */
  text: Readonly<Record<Category, string>>;
  /** Marks over the rows: the selected rank, the critical path. */
  mark: string;
  path: string;
  line: string;
}

function channels(colour: string): [number, number, number] {
  const at = (from: number): number => parseInt(colour.slice(from, from + 2), 16);
  return [at(1), at(3), at(5)];
}

function pixel(colour: string): number {
  const [red, green, blue] = channels(colour);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export function make_palette(theme: Colours): Palette {
  const fill: Record<Category, string> = {
    computation: theme.compute,
    point_to_point: theme.series[2] ?? theme.mpi,
    collective: theme.mpi,
    other_mpi: theme.other,
    waiting: theme.waiting,
    openmp_idle: theme.idle,
  };
  return {
    theme,
    fill,
    pixels: Uint32Array.from(categories, (name) => pixel(fill[name])),
    empty: pixel(theme.surface),
    text: Object.fromEntries(
      categories.map((name) => {
        const [red, green, blue] = channels(fill[name]);
        return [name, text_on(red / 255, green / 255, blue / 255)];
      }),
    ) as Record<Category, string>,
    mark: theme.text,
    path: theme.path,
    line: theme.text,
  };
}
