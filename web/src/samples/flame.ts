// SPDX-License-Identifier: BSD-3-Clause
// The flame graph: frames as bars below their callers, with zoom, search and differences.
import { tip } from "../chart";
import { h, s } from "../dom";
import type { Child } from "../dom";
import { exact, percent, time } from "../format";
import { on_selection } from "../selection";
import { make_data_details } from "../table";
import type { PlainTable } from "../table";
import { colours, is_paper, on_theme_change, paper_width_px } from "../theme";
import type { CallTree, Frame } from "./call_tree";
import { cell_paint, legend_of } from "./colour";
import { describe_frame, sentence } from "./describe";
import { make_flame, matched_share, place_cells } from "./layout";
import type { Cell, Flame, Shown } from "./layout";

const row_px = 20;
const character_px = 6.7;
const least_px = 0.8;
const keys_help =
  "Up and down go to the caller and to the widest called function, left and right to the " +
  "functions beside it; Enter zooms, Escape zooms out.";

export interface FlameSpec {
  id: string;
  title: string;
  caption: string;
  tree: CallTree;
  /** What is shown now; asked again by `draw`. */
  shown: () => Shown;
  /** Names of both sides of a difference. */
  names: () => readonly [string, string];
  /** Elements beside the search box. */
  tools: Child;
}

export interface FlameChart {
  figure: HTMLElement;
  /** Draws again after what is shown has changed. */
  draw: () => void;
}

/** The part of a name that fits `width` pixels. */
function fitting(name: string, width: number): string {
  const room = Math.floor((width - 6) / character_px);
  if (name.length <= room) return name;
  return room < 3 ? "" : `${name.slice(0, room - 1)}\u2026`;
}

function table_of(flame: Flame, tree: CallTree): PlainTable {
  const { base_s } = flame;
  const rows = tree.frames
    .filter((frame) => flame.weight[frame.index]! > 0)
    .map((frame) => {
      const value = flame.value_s[frame.index]!;
      const mine = [
        `${"\u00b7 ".repeat(frame.depth)}${frame.short}`,
        frame.place,
        exact(value),
      ];
      if (base_s !== null) return [...mine, exact(base_s[frame.index]!)];
      return [...mine, exact(flame.sums.exclusive_s[frame.index]!)];
    });
  const last = base_s === null ? "Itself, s" : "Compared with, s per rank";
  const first = base_s === null ? "With calls, s" : "Shown, s per rank";
  return { columns: ["Function", "Place", first, last], rows };
}

/** Makes the figure; `tree` has at least one frame. */
export function make_flame_chart(spec: FlameSpec): FlameChart {
  const { tree } = spec;
  let flame = make_flame(tree, spec.shown());
  let cells: Cell[] = [];
  let root: Frame | null = null;
  let cursor: Frame | null = null;
  let needle = "";

  const drawing = s("svg", { "aria-hidden": "true", class: "flame" });
  const frame_box = h(
    "div",
    {
      class: "flame-frame chart-frame",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "flame graph",
      "aria-label": spec.title,
      "aria-describedby": `${spec.id}-keys`,
    },
    drawing,
  );
  const box = h("div", { class: "timeline-tip", role: "tooltip", hidden: true });
  const spoken = h("p", { class: "unseen", role: "status" });
  const seen = h("p", { class: "note flame-seen", role: "status" });
  const legend = h("div", { class: "legend" });
  const search = h("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": `Search functions in: ${spec.title}`,
    autocomplete: "off",
    spellcheck: "false",
  });
  const out = h("button", { type: "button" }, "Zoom out");

  const matches = ({ name, place }: Frame): boolean =>
    needle !== "" && `${name} ${place}`.toLowerCase().includes(needle);

  function describe_view(): string {
    const parts = [
      flame.base_total_s === null
        ? `All samples: ${time(flame.total_s)}.`
        : `${spec.names()[0]}: ${time(flame.total_s)} per rank; ` +
          `${spec.names()[1]}: ${time(flame.base_total_s)} per rank.`,
    ];
    if (root !== null) {
      const share = flame.weight[root.index]! / Math.max(1e-300, flame.total_weight);
      parts.push(`Zoomed to ${root.short}: ${percent(share)}.`);
    }
    if (needle !== "") {
      parts.push(`Matches: ${percent(matched_share(tree, flame, matches))} of the samples.`);
    }
    return parts.join(" ");
  }

  function bar(cell: Cell, width: number, largest: number): SVGElement {
    const { frame, row } = cell;
    const paint = cell_paint(cell, largest, colours());
    const [x, wide] = [cell.left * width, Math.max(least_px, cell.width * width - 1)];
    const group = s(
      "g",
      {
        class: [
          "frame",
          frame === cursor ? "cursor" : "",
          needle !== "" ? (matches(frame) ? "match" : "faint") : "",
        ]
          .filter((name) => name !== "")
          .join(" "),
        "data-frame": frame.index,
      },
      s("rect", {
        x: x.toFixed(2), y: row * row_px, width: wide.toFixed(2), height: row_px - 1,
        fill: paint.fill,
      }),
    );
    const text = fitting(frame.short, wide);
    if (text !== "") {
      const at = { x: (x + 3).toFixed(2), y: row * row_px + 14, fill: paint.text };
      group.append(s("text", at, text));
    }
    return group;
  }

  function draw(): void {
    const width = is_paper() ? paper_width_px : frame_box.clientWidth;
    if (width === 0) return;
    cells = place_cells(tree, flame, root, least_px / width);
    const rows = cells.reduce((most, { row }) => Math.max(most, row + 1), 1);
    const largest = cells.reduce(
      (most, { value_s, base_s }) => Math.max(most, Math.abs(value_s - (base_s ?? value_s))),
      0,
    );
    drawing.setAttribute("width", String(width));
    drawing.setAttribute("height", String(rows * row_px));
    drawing.replaceChildren(...cells.map((cell) => bar(cell, width, largest)));
    legend.replaceChildren(
      ...legend_of(cells, colours()).map(({ name, colour }) => {
        const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
        swatch.style.color = colour;
        return h("span", { class: "legend-item" }, swatch, name);
      }),
    );
    seen.textContent = describe_view();
    out.disabled = root === null;
  }

  function zoom(frame: Frame | null): void {
    root = frame;
    draw();
  }

  function move_to(frame: Frame | undefined | null): void {
    if (frame === undefined || frame === null) return;
    cursor = frame;
    spoken.textContent = sentence(describe_frame(frame, flame, spec.names()));
    draw();
    show_tip(frame);
  }

  function show_tip(frame: Frame | null): void {
    const cell = frame === null ? undefined : cells.find((one) => one.frame === frame);
    box.hidden = cell === undefined;
    if (cell === undefined) return;
    const { title, rows } = describe_frame(cell.frame, flame, spec.names());
    box.replaceChildren(tip(title, rows));
    const width = frame_box.clientWidth;
    const left = Math.min(cell.left * width + 12, width - box.offsetWidth);
    box.style.left = `${Math.max(0, left)}px`;
    box.style.top = `${(cell.row + 1) * row_px + 4}px`;
  }

  function frame_of(target: EventTarget | null): Frame | null {
    const group = target instanceof Element ? target.closest("[data-frame]") : null;
    const at = group?.getAttribute("data-frame");
    return at === null || at === undefined ? null : (tree.frames[Number(at)] ?? null);
  }

  function beside(step: number): Frame | undefined {
    const row = cells.filter(({ row: at }) => at === (cursor?.depth ?? 0));
    const at = row.findIndex(({ frame }) => frame === cursor);
    return row[at < 0 ? 0 : at + step]?.frame;
  }

  function below(): Frame | undefined {
    if (cursor === null) return cells[0]?.frame;
    return cells.find(({ frame }) => frame.parent === cursor)?.frame;
  }

  const actions: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move_to(below()),
    ArrowUp: () => move_to(cursor === null ? cells[0]?.frame : cursor.parent),
    ArrowRight: () => move_to(beside(1)),
    ArrowLeft: () => move_to(beside(-1)),
    Enter: () => zoom(cursor),
    Escape: () => {
      cursor = null;
      show_tip(null);
      zoom(null);
    },
  };
  frame_box.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  frame_box.addEventListener("blur", () => show_tip(null));
  drawing.addEventListener("pointermove", (event) => show_tip(frame_of(event.target)));
  drawing.addEventListener("pointerleave", () => show_tip(null));
  drawing.addEventListener("click", (event) => {
    const frame = frame_of(event.target);
    if (frame === null) return;
    cursor = frame;
    zoom(frame === root ? null : frame);
  });
  search.addEventListener("input", () => {
    needle = search.value.trim().toLowerCase();
    draw();
  });
  out.addEventListener("click", () => zoom(null));

  let last_width = 0;
  new ResizeObserver(() => {
    if (frame_box.clientWidth === last_width || is_paper()) return;
    last_width = frame_box.clientWidth;
    draw();
  }).observe(frame_box);
  on_theme_change(draw);

  function refresh(): void {
    flame = make_flame(tree, spec.shown());
    details.open = false;
    draw();
  }
  on_selection(refresh);
  const details = make_data_details(spec.title, () => table_of(flame, tree));
  const figure = h(
    "figure",
    { class: "chart-box", id: `chart-${spec.id}` },
    h(
      "div",
      { class: "chart-head" },
      h("h3", {}, spec.title),
      h("div", { class: "chart-tools" }, spec.tools, search, out),
    ),
    legend,
    h("div", { class: "flame-box" }, frame_box, box),
    seen,
    spoken,
    h("p", { class: "unseen", id: `${spec.id}-keys` }, keys_help),
    h("figcaption", {}, spec.caption),
    details,
  );
  return { figure, draw: refresh };
}
