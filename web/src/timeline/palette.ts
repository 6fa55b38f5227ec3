// SPDX-License-Identifier: BSD-3-Clause
// The timeline's colours: one a category, in the hues that the other charts use for the same.
import { categories } from "../data/timeline";
import type { Category } from "../data/timeline";
import type { Colours } from "../theme";

export interface Palette {
  theme: Colours;
  fill: Readonly<Record<Category, string>>;
  /** The same as pixels (ABGR, as little-endian machines store RGBA). */
  pixels: Uint32Array;
  empty: number;
  /** Text on a category's colour. */
  text: Readonly<Record<Category, string>>;
  /** Marks over the rows: the chosen rank, the critical path. */
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

/** Black or white, whichever stands out (relative luminance, WCAG 2.2). */
function text_on(colour: string): string {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => (value / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.2 ? "#10151a" : "#ffffff";
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
    text: Object.fromEntries(categories.map((name) => [name, text_on(fill[name])])) as Record<
      Category,
      string
    >,
    mark: theme.text,
    path: theme.path,
    line: theme.text,
  };
}
