// SPDX-License-Identifier: BSD-3-Clause
// The timeline's section, and the buttons in other sections that show a place in it.
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { show_place } from "../selection";
import type { Place } from "../selection";
import { make_timeline } from "../timeline/timeline";

/** The section; null for a run without a trace. */
export function make_timeline_section(report: Report): HTMLElement | null {
  const { timeline, timeline_problem, analysis, samples, profile } = report;
  if (timeline === null && timeline_problem === null) return null;
  return section(
    "timeline",
    "Timeline",
    timeline === null || timeline.ranks.length === 0
      ? absent(`${timeline_problem ?? "The trace contains no events"}.`)
      : make_timeline(timeline, analysis, null, samples, profile),
  );
}

/** True if the page has a timeline, which also shows memory and files over time. */
export function has_timeline({ timeline }: Report): boolean {
  return timeline !== null && timeline.ranks.length > 0;
}

/** A button that shows a place in the timeline; nothing when there is no timeline. */
export function make_show_button(report: Report, label: string, place: Place): Child {
  if (!has_timeline(report)) return null;
  const button = h(
    "button",
    { type: "button", class: "show", title: "Show in the timeline", "aria-label": label },
    "Show",
  );
  button.addEventListener("click", () => show_place(place));
  return button;
}
