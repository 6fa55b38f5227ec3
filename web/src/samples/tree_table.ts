// SPDX-License-Identifier: BSD-3-Clause
// The call tree as a table that unfolds: inclusive and exclusive time, samples, and each rank.
import { choices, h } from "../dom";
import type { Child } from "../dom";
import { count, percent, significant, time } from "../format";
import type { CallTree, Frame, Sums } from "./call_tree";
import { make_strip } from "./rank_strip";

/** Frames with at least this share are unfolded at first. */
const opened_share = 0.05;
const most_opened = 24;
const most_children = 50;

interface Extremes {
  rank: number;
  /** Of the largest value to the mean. */
  ratio: number;
}

function worst_of(values: readonly number[], ranks: readonly number[]): Extremes | null {
  const sum = values.reduce((all, value) => all + value, 0);
  if (values.length < 2 || sum === 0) return null;
  const most = Math.max(...values);
  return { rank: ranks[values.indexOf(most)]!, ratio: (most * values.length) / sum };
}

function by_weight(frames: readonly Frame[], sums: Sums): Frame[] {
  return frames
    .filter(({ index }) => sums.inclusive_samples[index]! > 0)
    .sort((a, b) => sums.inclusive_s[b.index]! - sums.inclusive_s[a.index]!);
}

/** Makes the table with the choice of the metric that the ranks are coloured by. */
export function make_tree_table(tree: CallTree): HTMLElement {
  const sums = tree.sums({ run: 0, ranks: null });
  const ranks = tree.ranks[0] ?? [];
  const open = new Set<Frame>();
  let inclusive = true;
  const body = h("tbody");

  function open_hot(frames: readonly Frame[]): void {
    for (const frame of by_weight(frames, sums)) {
      const is_hot = sums.inclusive_s[frame.index]! >= opened_share * sums.total_s;
      if (!is_hot || open.size >= most_opened) return;
      open.add(frame);
      open_hot(frame.children);
    }
  }

  function bar_cell(value: number): HTMLElement {
    const share = sums.total_s > 0 ? value / sums.total_s : 0;
    const bar = h("span", { class: "cell-bar", "aria-hidden": "true" });
    bar.style.width = `${Math.min(1, share) * 100}%`;
    return h(
      "td",
      { class: "number with-bar" },
      h("span", { class: "cell-track" }, bar),
      h("span", {}, value === 0 ? "0" : percent(share)),
      h("div", { class: "place" }, time(value)),
    );
  }

  function rank_cells(frame: Frame): Child {
    if (ranks.length < 2) return null;
    const values = tree.of_ranks(0, frame, inclusive);
    const worst = worst_of(values, ranks);
    const text =
      worst === null
        ? "no samples"
        : `rank ${worst.rank}: ${significant(worst.ratio)} times the mean`;
    return [
      h("td", {}, make_strip(values, text)),
      h("td", { class: "number" }, worst === null ? "\u2013" : `${significant(worst.ratio)} \u00d7`,
        worst === null ? null : h("div", { class: "place" }, `rank ${worst.rank}`)),
    ];
  }

  function make_row(frame: Frame, children: readonly Frame[]): HTMLElement {
    const is_open = open.has(frame);
    const toggle = h(
      "button",
      {
        type: "button",
        class: "tree-toggle",
        "aria-expanded": String(is_open),
        "aria-label": `${is_open ? "Close" : "Open"} ${frame.short}`,
      },
      is_open ? "\u25be" : "\u25b8",
    );
    const set = (value: boolean): void => {
      if (value) open.add(frame);
      else open.delete(frame);
      fill(frame);
    };
    toggle.addEventListener("click", () => set(!open.has(frame)));
    toggle.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
      event.preventDefault();
      set(event.key === "ArrowRight");
    });
    const name = h("td", { class: "tree-name" });
    name.style.setProperty("--depth", String(Math.min(frame.depth, 24)));
    name.append(
      children.length === 0 ? h("span", { class: "tree-leaf" }) : toggle,
      h("code", { title: frame.name }, frame.short),
      frame.place === "" ? "" : h("span", { class: "place" }, ` ${frame.place}`),
    );
    return h(
      "tr",
      {
        "aria-level": frame.depth + 1,
        "aria-expanded": children.length === 0 ? null : String(is_open),
        "data-frame": frame.index,
      },
      name,
      bar_cell(sums.inclusive_s[frame.index]!),
      bar_cell(sums.exclusive_s[frame.index]!),
      h("td", { class: "number" }, count(sums.inclusive_samples[frame.index]!)),
      rank_cells(frame),
    );
  }

  /** @param focused  the frame whose button gets the focus again */
  function fill(focused: Frame | null): void {
    const rows: HTMLElement[] = [];
    const add = (frames: readonly Frame[]): void => {
      for (const frame of by_weight(frames, sums).slice(0, most_children)) {
        const children = by_weight(frame.children, sums);
        rows.push(make_row(frame, children));
        if (open.has(frame)) add(children);
      }
    };
    add(tree.roots);
    body.replaceChildren(...rows);
    if (focused === null) return;
    body.querySelector<HTMLElement>(`[data-frame="${focused.index}"] button`)?.focus();
  }

  open_hot(tree.roots);
  fill(null);
  const caption = "Call tree";
  const header = (title: string, numeric: boolean): HTMLElement =>
    h("th", { scope: "col", class: numeric ? "number" : null }, title);
  const metrics = [
    { value: "inclusive", label: "With calls" },
    { value: "exclusive", label: "Itself" },
  ];
  return h(
    "div",
    { class: "table-box" },
    ranks.length < 2
      ? null
      : h(
          "div",
          { class: "chart-tools tree-tools" },
          choices("Ranks are coloured by", metrics, "inclusive", (value) => {
            inclusive = value === "inclusive";
            fill(null);
          }),
        ),
    h(
      "div",
      { class: "table-scroll", tabindex: "0", role: "region", "aria-label": caption },
      h(
        "table",
        { class: "call-tree", role: "treegrid", "aria-label": caption },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            header("Function", false),
            header("With calls", true),
            header("Itself", true),
            header("Samples", true),
            ranks.length < 2 ? null : [header("By rank", false), header("Most", true)],
          ),
        ),
        body,
      ),
    ),
  );
}
