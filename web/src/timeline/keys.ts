// SPDX-License-Identifier: BSD-3-Clause
// The keyboard on the timeline; docs/reference/report.md lists the keys.
import type { Controller } from "./controller";

/** The keys, for screen readers. */
export const keys_help =
  "Left and right move in time, up and down select a rank; plus and minus zoom; Home shows the " +
  "whole run; N and P go to the next and the previous call; Enter shows the threads of the rank; " +
  "Escape clears the selection.";

/** @param after  called when a key has selected another rank or call */
export function attach_keys(
  frame: HTMLElement,
  controller: Controller,
  after: (what: "rank" | "event") => void,
): void {
  const actions: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    ArrowLeft: (event) => controller.pan(event.shiftKey ? -0.8 : -0.2),
    ArrowRight: (event) => controller.pan(event.shiftKey ? 0.8 : 0.2),
    ArrowUp: () => {
      controller.move_cursor(-1);
      after("rank");
    },
    ArrowDown: () => {
      controller.move_cursor(1);
      after("rank");
    },
    "+": () => controller.zoom(0.5),
    "=": () => controller.zoom(0.5),
    "-": () => controller.zoom(2),
    Home: () => controller.whole(),
    "0": () => controller.whole(),
    n: () => {
      controller.step_event(1);
      after("event");
    },
    p: () => {
      controller.step_event(-1);
      after("event");
    },
    Enter: () => {
      const row = controller.cursor_row();
      if (row !== null) controller.toggle_threads(row);
    },
    Escape: () => controller.clear(),
  };
  frame.addEventListener("keydown", (event) => {
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action(event);
  });
}
