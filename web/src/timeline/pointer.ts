// SPDX-License-Identifier: BSD-3-Clause
// Mouse, pen and touch on the timeline: point, select, drag, pinch, wheel.
import { select_ranks } from "../selection";
import type { Controller } from "./controller";
import type { Description } from "./describe";
import { row_at } from "./layout";
import { time_at } from "./scene";

export interface PointerUi {
  /** The effect of a drag. */
  drag: () => "select" | "move";
  /** Shows a description beside the pointer; null hides it. */
  tip: (description: Description | null, x: number, y: number) => void;
}

const click_px = 4;

interface Drag {
  x: number;
  y: number;
  begin: number;
  time: number;
  moved: boolean;
}

export function attach_pointer(frame: HTMLElement, controller: Controller, ui: PointerUi): void {
  const { view } = controller;
  const pointers = new Map<number, number>();
  let drag: Drag | null = null;
  let pinch = 0;

  const position = (event: MouseEvent): [number, number] => {
    const box = frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const plot_width = (): number => controller.drawn?.layout.plot_width ?? 1;
  const left = (): number => controller.drawn?.layout.left ?? 0;

  frame.addEventListener("pointerdown", (event) => {
    if (controller.drawn === null || event.button !== 0) return;
    const [x, y] = position(event);
    pointers.set(event.pointerId, x);
    frame.setPointerCapture(event.pointerId);
    ui.tip(null, 0, 0);
    drag = { x, y, begin: view.begin, time: time_at(controller.drawn, view, x), moved: false };
    if (pointers.size === 2) pinch = spread_of();
  });

  const spread_of = (): number => {
    const [a = 0, b = 0] = [...pointers.values()];
    return Math.max(8, Math.abs(a - b));
  };

  frame.addEventListener("pointermove", (event) => {
    if (controller.drawn === null) return;
    const [x, y] = position(event);
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, x);
    if (pointers.size === 2) {
      const spread = spread_of();
      controller.zoom(pinch / spread, share_of(middle_of()));
      pinch = spread;
      if (drag !== null) drag.moved = true;
      return;
    }
    if (drag === null) {
      ui.tip(controller.point_at(x, y), x, y);
      return;
    }
    if (!drag.moved && Math.abs(x - drag.x) < click_px) return;
    drag.moved = true;
    if (ui.drag() === "select" && !event.shiftKey) {
      controller.set_range(drag.time, time_at(controller.drawn, view, x));
    } else {
      const moved = ((x - drag.x) / plot_width()) * view.span();
      view.show(drag.begin - moved, drag.begin - moved + view.span());
      controller.refresh();
    }
  });

  const middle_of = (): number => {
    const [a = 0, b = 0] = [...pointers.values()];
    return (a + b) / 2;
  };
  const share_of = (x: number): number => Math.max(0, Math.min(1, (x - left()) / plot_width()));

  frame.addEventListener("pointerup", (event) => {
    pointers.delete(event.pointerId);
    const ended = drag;
    if (pointers.size === 0) drag = null;
    if (ended === null || ended.moved || event.button !== 0) return;
    click(ended.x, ended.y);
    // Touch has no hovering, so a tap shows the description.
    if (event.pointerType !== "mouse")
      ui.tip(controller.point_at(ended.x, ended.y), ended.x, ended.y);
  });
  frame.addEventListener("pointercancel", (event) => {
    pointers.delete(event.pointerId);
    drag = null;
  });
  frame.addEventListener("pointerleave", () => {
    if (drag === null) ui.tip(null, 0, 0);
  });

  function click(x: number, y: number): void {
    const row = controller.drawn === null ? null : row_at(controller.drawn.layout, y);
    if (row === null) return;
    const { ranks } = controller.scene.model.timeline;
    if (row.last - row.first > 1) {
      controller.show_ranks(row.first, row.last);
      return;
    }
    const rank = ranks[row.first]?.rank;
    controller.cursor = row.first;
    if (x < left() && row.kind === "ranks") controller.toggle_threads(row);
    if (rank !== undefined) select_ranks([rank]);
  }

  frame.addEventListener("dblclick", (event) => {
    const [x] = position(event);
    if (x < left()) return;
    if (controller.hit !== null) controller.go_to_closely(controller.hit);
    else controller.zoom(0.25, share_of(x));
  });

  frame.addEventListener(
    "wheel",
    (event) => {
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      const is_meant = event.ctrlKey || event.metaKey || document.activeElement === frame;
      if (!sideways && !is_meant) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const [x] = position(event);
      if (sideways && !event.ctrlKey) {
        controller.pan(((event.deltaX || event.deltaY) * lines) / plot_width());
      } else {
        controller.zoom(Math.exp(event.deltaY * lines * 0.002), share_of(x));
      }
    },
    { passive: false },
  );
}

/** A drag on the overview strip moves the window there. */
export function attach_overview(canvas: HTMLCanvasElement, controller: Controller): void {
  const { view } = controller;
  let down = false;
  const move = (event: PointerEvent): void => {
    if (controller.drawn === null) return;
    const { left, plot_width } = controller.drawn.layout;
    const x = event.clientX - canvas.getBoundingClientRect().left;
    const middle = ((x - left) / plot_width) * view.run_end;
    view.show(middle - view.span() / 2, middle + view.span() / 2);
    controller.refresh();
  };
  canvas.addEventListener("pointerdown", (event) => {
    down = true;
    canvas.setPointerCapture(event.pointerId);
    move(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (down) move(event);
  });
  for (const name of ["pointerup", "pointercancel"] as const) {
    canvas.addEventListener(name, () => (down = false));
  }
}
