// SPDX-License-Identifier: BSD-3-Clause
// Links the charts: the selected ranks, and requests to show a place in the timeline.

/** A place in the timeline: times in s, or a call to search for. */
export interface Place {
  ranks: readonly number[];
  begin_s?: number;
  end_s?: number;
  /** The longest such call of the first rank, or the computation before it if `before` is set. */
  call?: { function: string; site: string; before: boolean };
}

let selected: ReadonlySet<number> = new Set();
const listeners: (() => void)[] = [];
let show: ((place: Place) => void) | null = null;

/** The ranks selected in any chart. */
export function selected_ranks(): ReadonlySet<number> {
  return selected;
}

/** Selects ranks; selecting the same ranks again clears the selection. */
export function select_ranks(ranks: readonly number[]): void {
  const same = ranks.length === selected.size && ranks.every((rank) => selected.has(rank));
  selected = new Set(same ? [] : ranks);
  for (const listener of listeners) listener();
}

export function on_selection(listener: () => void): void {
  listeners.push(listener);
}

/** Sets the function that shows a place; called by the timeline. */
export function set_show(handler: (place: Place) => void): void {
  show = handler;
}

export function show_place(place: Place): void {
  show?.(place);
}
