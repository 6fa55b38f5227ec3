// SPDX-License-Identifier: BSD-3-Clause
// The choice of the ranks and the phase that a flame graph shows, and of the ranks that it compares
// them with.
import { h } from "../dom";
import type { Child } from "../dom";
import { plural, ranges, time } from "../format";
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

/** Two lists of ranks, a button for the slowest rank against the mean, and phases; of run 0. */
export function make_rank_choice(tree: CallTree, changed: () => void): RankChoice {
  const ranks = tree.ranks[0] ?? [];
  const phases = tree.runs[0]?.phases ?? [];
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
  const phase = h(
    "select",
    { "aria-label": "Phase shown" },
    option(all, "Whole run"),
    phases.map(({ name, begin_s, end_s }, index) =>
      option(String(index), `${name}, ${time(begin_s)} to ${time(end_s)}`),
    ),
  );
  const slowest = tree.slowest_rank(0);
  const button = h("button", { type: "button", class: "show" }, "Slowest rank against mean");
  button.addEventListener("click", () => {
    subject.value = String(slowest);
    base.value = all;
    changed();
  });
  for (const list of [subject, base, phase]) list.addEventListener("change", changed);

  const of_phase = (): Pick<Subset, "phase"> =>
    phase.value === all ? {} : { phase: Number(phase.value) };
  /** Ranks that are selected in another chart take the place of "all ranks". */
  function subset(value: string): Subset {
    if (value !== all) return { run: 0, ranks: [Number(value)], ...of_phase() };
    const selected = [...selected_ranks()].filter((rank) => ranks.includes(rank));
    return { run: 0, ranks: selected.length === 0 ? null : selected, ...of_phase() };
  }
  const name_of = ({ ranks: chosen, phase: at }: Subset): string => {
    const of_ranks =
      chosen === null
        ? "Mean of all ranks"
        : chosen.length === 1
          ? `Rank ${chosen[0]}`
          : `${plural(chosen.length, "rank")} (${ranges(chosen)})`;
    return at === undefined ? of_ranks : `${of_ranks} in ${phases[at]?.name ?? ""}`;
  };
  const base_of = (): Subset => ({
    run: 0,
    ranks: base.value === all ? null : [Number(base.value)],
    ...of_phase(),
  });
  const of_ranks = ranks.length < 2 ? [] : [subject, base, slowest === null ? null : button];
  return {
    tools: [...of_ranks, phases.length < 2 ? null : phase],
    shown: () => ({
      subject: subset(subject.value),
      base: base.value === nothing ? null : base_of(),
    }),
    names: () => [name_of(subset(subject.value)), name_of(base_of())],
  };
}
