// SPDX-License-Identifier: BSD-3-Clause
// What links the charts: the chosen ranks, and requests to show a place in the timeline.

/** A place in the timeline: times in s, or a call to be looked for. */
export interface Place {
  ranks: readonly number[];
  begin_s?: number;
  end_s?: number;
  /** The longest such call of the first rank; its computation before it when `before` is set. */
  call?: { function: string; site: string; before: boolean };
}

let chosen: ReadonlySet<number> = new Set();
const listeners: (() => void)[] = [];
let show: ((place: Place) => void) | null = null;

/** The ranks chosen in any chart. */
export function chosen_ranks(): ReadonlySet<number> {
  return chosen;
}

/** Chooses ranks; choosing what is chosen already lets go of it. */
export function choose_ranks(ranks: readonly number[]): void {
  const same = ranks.length === chosen.size && ranks.every((rank) => chosen.has(rank));
  chosen = new Set(same ? [] : ranks);
  for (const listener of listeners) listener();
}

export function on_choice(listener: () => void): void {
  listeners.push(listener);
}

/** Called by the timeline: how a place is shown. */
export function set_show(handler: (place: Place) => void): void {
  show = handler;
}

export function show_place(place: Place): void {
  show?.(place);
}
