// SPDX-License-Identifier: BSD-3-Clause
// The callers of each MPI function as a tree that unfolds where call paths differ.
import type { Caller } from "../data/calls";
import type { Profile } from "../data/profile";
import { h, section } from "../dom";
import type { Child } from "../dom";
import { count, percent, time } from "../format";

/** Functions shown, and callers of each frame; the table of call sites has all. */
const most_functions = 12;
const most_callers = 20;

/** "exchange (halo.c:12) ‹ step (main.c:80)": what calls stands behind what is called. */
function path_of(caller: Caller): Child {
  return caller.frames.map((frame, i) => [i === 0 ? "" : " \u2039 ", h("code", {}, frame)]);
}

function make_item(caller: Caller, whole: number, open: boolean): HTMLElement {
  const share = whole > 0 ? `${percent(caller.time_s / whole)}, ${time(caller.time_s)}` : "";
  const line = [h("span", { class: "share" }, share), path_of(caller)];
  const calls = h("span", { class: "place" }, ` ${count(caller.count)} calls`);
  if (caller.callers.length === 0) return h("li", { class: "leaf" }, line, calls);
  const left_out = caller.callers.length - most_callers;
  return h(
    "li",
    {},
    h(
      "details",
      { open },
      h("summary", {}, line, calls),
      h(
        "ul",
        {},
        caller.callers.slice(0, most_callers).map((one) => make_item(one, whole, false)),
        left_out > 0 ? h("li", { class: "place leaf" }, `${count(left_out)} more callers`) : null,
      ),
    ),
  );
}

/** No section if no call path is known. */
export function make_callers(profile: Profile): HTMLElement | null {
  const trees = profile.caller_tree.filter(
    ({ frames, callers }) => frames.length > 1 || callers.length > 0,
  );
  if (trees.length === 0) return null;
  const whole = profile.caller_tree.reduce((sum, tree) => sum + tree.time_s, 0);
  return section(
    "callers",
    "Callers",
    h(
      "p",
      { class: "lead" },
      "Who calls MPI: each function with its call paths, which unfold where they differ. The " +
        "share is that of the time in MPI, summed over ranks.",
    ),
    h(
      "ul",
      { class: "callers" },
      trees.slice(0, most_functions).map((tree, i) => make_item(tree, whole, i < 3)),
    ),
  );
}
