// SPDX-License-Identifier: BSD-3-Clause
// Lays out the machine as nested boxes: package, NUMA domain, cache, core.
import type { Group, Topology } from "../data/machine";

/** A box of the hierarchy: the boxes inside it, and the cores that are in none of these. */
export interface Box {
  group: Group | null;
  cores: number[];
  boxes: Box[];
  own_cores: number[];
}

/** A box with its place on the drawing. */
export interface PlacedBox {
  box: Box;
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
}
export interface PlacedCore {
  core: number;
  x: number;
  y: number;
}
export interface Layout {
  boxes: PlacedBox[];
  cores: Map<number, PlacedCore>;
  width: number;
  height: number;
}
export interface Sizes {
  core_width: number;
  core_height: number;
  strip_height: (box: Box) => number;
}

const padding = 8;
const gap = 6;
const label_height = 18;

/**
 * Nests groups by their cores, larger groups outside; for equal cores in the order package, NUMA
 * domain, cache. A group that overlaps another partly is left out, as boxes cannot show it.
 */
export function nest(topology: Topology): Box {
  const order = { package: 0, numa: 1, cache: 2 };
  const every = topology.cores.map((core) => core.id);
  const root: Box = { group: null, cores: every, boxes: [], own_cores: [] };
  const groups = topology.groups
    .filter((group) => group.cores.length > 0)
    .sort(
      (a, b) => b.cores.length - a.cores.length || order[a.kind] - order[b.kind] || a.id - b.id,
    );
  for (const group of groups) insert(root, group);
  settle(root);
  return root;
}

function insert(into: Box, group: Group): void {
  const inside = into.boxes.find((box) => group.cores.every((core) => box.cores.includes(core)));
  if (inside !== undefined) insert(inside, group);
  else if (!into.boxes.some((box) => group.cores.some((core) => box.cores.includes(core)))) {
    into.boxes.push({ group, cores: [...group.cores], boxes: [], own_cores: [] });
  }
}

function settle(box: Box): void {
  const held = new Set(box.boxes.flatMap((inner) => inner.cores));
  box.own_cores = box.cores.filter((core) => !held.has(core)).sort((a, b) => a - b);
  box.boxes.sort((a, b) => Math.min(...a.cores) - Math.min(...b.cores));
  for (const inner of box.boxes) settle(inner);
}

/** The smallest box that holds all of `cores`. */
export function smallest_box(root: Box, cores: readonly number[]): Box {
  const inside = root.boxes.find((box) => cores.every((core) => box.cores.includes(core)));
  return inside === undefined ? root : smallest_box(inside, cores);
}

interface Flow {
  width: number;
  height: number;
}

/** Places all boxes and cores in `width`; rows wrap, and all cores are of one size. */
export function lay_out(root: Box, width: number, sizes: Sizes): Layout {
  const boxes: PlacedBox[] = [];
  const cores = new Map<number, PlacedCore>();

  function place_cores(box: Box, x: number, y: number, room: number): Flow {
    const fit = Math.max(1, Math.floor((room + gap) / (sizes.core_width + gap)));
    const n = box.own_cores.length;
    if (n === 0) return { width: 0, height: 0 };
    const columns = Math.min(
      fit,
      n <= 4 ? n : Math.ceil(n / Math.max(1, Math.round(Math.sqrt(n / 2)))),
    );
    box.own_cores.forEach((core, index) =>
      cores.set(core, {
        core,
        x: x + (index % columns) * (sizes.core_width + gap),
        y: y + Math.floor(index / columns) * (sizes.core_height + gap),
      }),
    );
    const rows = Math.ceil(n / columns);
    return {
      width: columns * (sizes.core_width + gap) - gap,
      height: rows * (sizes.core_height + gap) - gap,
    };
  }

  function place_boxes(box: Box, x: number, y: number, room: number, depth: number): Flow {
    let [at_x, at_y, row_height, widest] = [x, y, 0, 0];
    let row: Box[] = [];
    const end_row = (): void => {
      for (const placed of boxes) if (row.includes(placed.box)) placed.height = row_height;
      row = [];
    };
    for (const inner of box.boxes) {
      const first = boxes.length;
      const size = place(inner, at_x, at_y, room, depth);
      if (at_x > x && at_x + size.width > x + room) {
        boxes.length = first;
        end_row();
        at_x = x;
        at_y += row_height + gap;
        row_height = 0;
        place(inner, at_x, at_y, room, depth);
      }
      row.push(inner);
      row_height = Math.max(row_height, size.height);
      widest = Math.max(widest, at_x + size.width - x);
      at_x += size.width + gap;
    }
    end_row();
    return { width: widest, height: box.boxes.length === 0 ? 0 : at_y + row_height - y };
  }

  function place(box: Box, x: number, y: number, room: number, depth: number): Flow {
    const slot = boxes.length;
    boxes.push({ box, x, y, width: 0, height: 0, depth });
    const top = y + label_height + padding;
    const inner_room = room - 2 * padding;
    const inner = place_boxes(box, x + padding, top, inner_room, depth + 1);
    const own_top =
      top + (inner.height > 0 && box.own_cores.length > 0 ? inner.height + gap : inner.height);
    const own = place_cores(box, x + padding, own_top, inner_room);
    const least = Math.min(room, 6.6 * (box.group?.label.length ?? 0) + 2 * padding);
    const strip = sizes.strip_height(box);
    const size = {
      width: Math.max(least, Math.max(inner.width, own.width) + 2 * padding),
      height: own_top + own.height + (strip > 0 ? gap + strip : 0) + padding - y,
    };
    boxes[slot] = { box, x, y, width: size.width, height: size.height, depth };
    return size;
  }

  const size = place(root, 0, 0, width, 0);
  return { boxes, cores, width: size.width, height: size.height };
}
