// SPDX-License-Identifier: BSD-3-Clause
// A strip of cells, one for each rank or group of ranks, coloured by value.
import { h } from "../dom";
import { colours, on_theme_change } from "../theme";

const most_cells = 128;

/** The largest values of at most 128 groups of ranks in a row. */
export function group_values(values: readonly number[]): number[] {
  const size = Math.max(1, Math.ceil(values.length / most_cells));
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    Math.max(...values.slice(i * size, (i + 1) * size)),
  );
}

/** The strip; `text` says it in one phrase. The scale begins at 0. */
export function make_strip(values: readonly number[], text: string): HTMLElement {
  const groups = group_values(values);
  const most = Math.max(1e-300, ...groups);
  const cells = groups.map(() => h("span"));
  const paint = (): void => {
    const { ramp } = colours();
    groups.forEach((value, i) => {
      const step = Math.round((value / most) * (ramp.length - 1));
      cells[i]!.style.background = value === 0 ? "var(--track)" : ramp[step]!;
    });
  };
  on_theme_change(paint);
  paint();
  return h("span", { class: "rank-strip", role: "img", "aria-label": text, title: text }, cells);
}
