// SPDX-License-Identifier: BSD-3-Clause
// Draws ranks and threads as coloured marks on the machine's cores, or on the cores they may use.
import type { Topology } from "../data/machine";
import type { PlacedThread } from "../data/profile";
import { h, s } from "../dom";
import { ranges } from "../format";
import { lay_out, nest, smallest_box } from "./boxes";
import type { Box, PlacedBox } from "./boxes";

/** Threads of one rank that may run on the same cores. */
interface Mark {
  rank: number;
  threads: number[];
  cores: number[];
  pids: string;
}

const chip_height = 16;
const chip_gap = 3;
const few_cores = 8;
const rank_hues = 8;

/** Gathers threads into marks: by rank and by the cores that they may use. */
export function make_marks(threads: readonly PlacedThread[]): Mark[] {
  const marks = new Map<string, Mark>();
  for (const thread of threads) {
    const cores = [...thread.cores].sort((a, b) => a - b);
    const key = `${thread.rank}/${cores.join(",")}`;
    const mark = marks.get(key) ?? { rank: thread.rank, threads: [], cores, pids: thread.cpus };
    mark.threads.push(thread.thread);
    marks.set(key, mark);
  }
  return [...marks.values()].sort(
    (a, b) => a.rank - b.rank || (a.threads[0] ?? 0) - (b.threads[0] ?? 0),
  );
}

function mark_label(mark: Mark): string {
  if (mark.threads.length === 1) return `${mark.rank}.${mark.threads[0]}`;
  return `${mark.rank} \u00d7${mark.threads.length}`;
}

function mark_title(mark: Mark): string {
  const threads = `thread${mark.threads.length === 1 ? "" : "s"} ${ranges(mark.threads)}`;
  const cores = `core${mark.cores.length === 1 ? "" : "s"} ${ranges(mark.cores)}`;
  return (
    `rank ${mark.rank}, ${threads}: ${mark.cores.length === 1 ? "bound to" : "any of"} ${cores}` +
    (mark.pids === "" ? "" : ` (cpus ${mark.pids})`)
  );
}

function draw_chip(mark: Mark, x: number, y: number, width: number): SVGGElement {
  const bound = mark.cores.length === 1;
  return s(
    "g",
    {
      class: `chip hue-${mark.rank % rank_hues}${bound ? "" : " unbound"}`,
      "data-rank": mark.rank,
      "data-threads": mark.threads.join(","),
    },
    s("title", {}, mark_title(mark)),
    s("rect", { x, y, width, height: chip_height, rx: 3 }),
    s(
      "text",
      { x: x + width / 2, y: y + chip_height - 4.5, "text-anchor": "middle" },
      mark_label(mark),
    ),
  );
}

function draw_more(number: number, x: number, y: number, width: number): SVGGElement {
  return s(
    "g",
    { class: "chip more-chips" },
    s(
      "text",
      { x: x + width / 2, y: y + chip_height - 4.5, "text-anchor": "middle" },
      `+${number}`,
    ),
  );
}

/** Places of marks: on one core, on each of a few cores, or in the strip of a box. */
interface Places {
  on_core: Map<number, Mark[]>;
  in_strip: Map<Box, Mark[]>;
  unknown: Mark[];
}

function sort_marks(marks: readonly Mark[], root: Box): Places {
  const places: Places = { on_core: new Map(), in_strip: new Map(), unknown: [] };
  const known = new Set(root.cores);
  const add = <K>(map: Map<K, Mark[]>, key: K, mark: Mark): void => {
    map.set(key, [...(map.get(key) ?? []), mark]);
  };
  for (const mark of marks) {
    const cores = mark.cores.filter((core) => known.has(core));
    if (cores.length === 0) {
      places.unknown.push(mark);
      continue;
    }
    const box = smallest_box(root, cores);
    if (cores.length === 1 || (cores.length <= 4 && cores.length < box.cores.length)) {
      for (const core of cores) add(places.on_core, core, mark);
    } else {
      add(places.in_strip, box, mark);
    }
  }
  return places;
}

/** Makes the drawing of one host for a width. */
export function draw_placement(
  topology: Topology,
  threads: readonly PlacedThread[],
  width: number,
): { drawing: SVGSVGElement; unknown: number } {
  const root = nest(topology);
  const places = sort_marks(make_marks(threads), root);
  // If there are few cores, each can be wider and have more marks.
  const few = topology.cores.length <= few_cores;
  const core_width = few && width >= 500 ? 92 : 52;
  const most_chips = few ? 8 : 4;
  const most = Math.max(1, ...[...places.on_core.values()].map((marks) => marks.length));
  const rows = Math.min(most, most_chips);
  const core_height = 17 + rows * (chip_height + chip_gap) + 2;
  const chip_width = core_width - 8;
  const strip_rows = (box: Box, room: number): number => {
    const marks = places.in_strip.get(box)?.length ?? 0;
    return Math.ceil(marks / Math.max(1, Math.floor((room + chip_gap) / (chip_width + chip_gap))));
  };
  // A strip is as wide as its box, which a first layout without strips determines.
  const bare = lay_out(root, width, { core_width, core_height, strip_height: () => 0 });
  const widths = new Map(bare.boxes.map((placed) => [placed.box, placed.width - 16]));
  const strip_height = (box: Box): number => {
    const needed = strip_rows(box, widths.get(box) ?? 0);
    return needed === 0 ? 0 : 15 + needed * (chip_height + chip_gap);
  };
  const layout = lay_out(root, width, { core_width, core_height, strip_height });
  const drawing = s("svg", {
    class: "placement",
    width: layout.width,
    height: layout.height,
    viewBox: `0 0 ${layout.width} ${layout.height}`,
    role: "img",
    "aria-label": "Ranks and threads on the machine's cores; the table below has the same data",
  });

  for (const placed of layout.boxes) drawing.append(draw_box(placed, root));
  for (const { core, x, y } of layout.cores.values()) {
    const marks = places.on_core.get(core) ?? [];
    const group = s(
      "g",
      { class: `core${marks.length === 0 ? " free" : ""}`, "data-core": core },
      s("rect", { x, y, width: core_width, height: core_height, rx: 3 }),
      s("text", { x: x + 5, y: y + 12 }, `c${core}`),
    );
    const fit = marks.length > most_chips ? most_chips - 1 : marks.length;
    marks
      .slice(0, fit)
      .forEach((mark, index) =>
        group.append(draw_chip(mark, x + 4, y + 17 + index * (chip_height + chip_gap), chip_width)),
      );
    if (fit < marks.length) {
      const hidden = marks.slice(fit);
      const more = draw_more(
        hidden.length,
        x + 4,
        y + 17 + fit * (chip_height + chip_gap),
        chip_width,
      );
      more.prepend(s("title", {}, hidden.map(mark_title).join("\n")));
      group.append(more);
    }
    drawing.append(group);
  }
  for (const placed of layout.boxes) {
    const marks = places.in_strip.get(placed.box);
    if (marks !== undefined) drawing.append(draw_strip(placed, marks, strip_height(placed.box)));
  }
  return { drawing, unknown: places.unknown.reduce((sum, mark) => sum + mark.threads.length, 0) };

  function draw_strip(placed: PlacedBox, marks: readonly Mark[], height: number): SVGGElement {
    const [x, y] = [placed.x + 8, placed.y + placed.height - 8 - height];
    const columns = Math.max(
      1,
      Math.floor((placed.width - 16 + chip_gap) / (chip_width + chip_gap)),
    );
    return s(
      "g",
      { class: "strip" },
      s("line", { x1: x, x2: placed.x + placed.width - 8, y1: y + 1, y2: y + 1 }),
      s("text", { x, y: y + 12 }, strip_label(placed, root)),
      marks.map((mark, index) =>
        draw_chip(
          mark,
          x + (index % columns) * (chip_width + chip_gap),
          y + 16 + Math.floor(index / columns) * (chip_height + chip_gap),
          chip_width,
        ),
      ),
    );
  }
}

function strip_label(placed: PlacedBox, root: Box): string {
  if (placed.box.cores.length === root.cores.length) return "not bound: any core";
  return placed.width < 160 ? "any core here" : "any core in this box";
}

function draw_box(placed: PlacedBox, root: Box): SVGGElement {
  const { box, x, y, width, height } = placed;
  const kind = box.group?.kind ?? "node";
  const label =
    box === root
      ? `Node \u00b7 ${root.cores.length} core${root.cores.length === 1 ? "" : "s"}`
      : (box.group?.label ?? "");
  return s(
    "g",
    { class: `box box-${kind}` },
    s("rect", { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 5 }),
    s("text", { x: x + 8, y: y + 17 }, label),
  );
}

/** The legend of solid and dashed marks. */
export function make_placement_key(): HTMLElement {
  const chip = (unbound: boolean): SVGSVGElement =>
    s(
      "svg",
      { width: 36, height: 18, "aria-hidden": "true" },
      s(
        "g",
        { class: `chip hue-0${unbound ? " unbound" : ""}` },
        s("rect", { x: 1, y: 1, width: 34, height: chip_height, rx: 3 }),
        s("text", { x: 18, y: 13, "text-anchor": "middle" }, "0.1"),
      ),
    );
  return h(
    "p",
    { class: "key" },
    chip(false),
    " rank 0, thread 1, bound to this core",
    chip(true),
    " not bound: may also run on other cores",
    h("span", {}, "0 \u00d74: four threads of rank 0"),
  );
}
