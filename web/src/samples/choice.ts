// SPDX-License-Identifier: BSD-3-Clause
// The choice of the ranks that a flame graph shows, and of those that it compares them with.
import { h } from "../dom";
import type { Child } from "../dom";
import { plural, ranges } from "../format";
import { selected_ranks } from "../selection";
import type { CallTree, Subset } from "./call_tree";
import type { Shown } from "./layout";

const all = "all";
const nothing = "";

export interface RankChoice {
  tools: Child;
  shown: () => Shown;
  names: () => readonly [string, string];
}

function option(value: string, text: string): HTMLOptionElement {
  return h("option", { value }, text);
}

/** Two lists of ranks, and a button for the slowest rank against the mean; of run 0. */
export function make_rank_choice(tree: CallTree, changed: () => void): RankChoice {
  const ranks = tree.ranks[0] ?? [];
  const singles = (): HTMLOptionElement[] =>
    ranks.map((rank) => option(String(rank), `Rank ${rank}`));
  const subject = h("select", { "aria-label": "Ranks shown" }, option(all, "All ranks"), singles());
  const base = h(
    "select",
    { "aria-label": "Compared with" },
    option(nothing, "not compared"),
    option(all, "against the mean of all ranks"),
    ranks.map((rank) => option(String(rank), `against rank ${rank}`)),
  );
  const slowest = tree.slowest_rank(0);
  const button = h("button", { type: "button", class: "show" }, "Slowest rank against mean");
  button.addEventListener("click", () => {
    subject.value = String(slowest);
    base.value = all;
    changed();
  });
  for (const list of [subject, base]) list.addEventListener("change", changed);

  /** Ranks that are selected in another chart take the place of "all ranks". */
  function subset(value: string): Subset {
    if (value !== all) return { run: 0, ranks: [Number(value)] };
    const selected = [...selected_ranks()].filter((rank) => ranks.includes(rank));
    return { run: 0, ranks: selected.length === 0 ? null : selected };
  }
  const name_of = ({ ranks: chosen }: Subset): string =>
    chosen === null
      ? "Mean of all ranks"
      : chosen.length === 1
        ? `Rank ${chosen[0]}`
        : `${plural(chosen.length, "rank")} (${ranges(chosen)})`;
  const base_of = (): Subset =>
    base.value === all ? { run: 0, ranks: null } : { run: 0, ranks: [Number(base.value)] };
  return {
    tools: ranks.length < 2 ? null : [subject, base, slowest === null ? null : button],
    shown: () => ({
      subject: subset(subject.value),
      base: base.value === nothing ? null : base_of(),
    }),
    names: () => [name_of(subset(subject.value)), name_of(base_of())],
  };
}
