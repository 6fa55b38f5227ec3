// SPDX-License-Identifier: BSD-3-Clause
// The event timeline: its tools, canvas and numbers, and its links to the other charts.
import { tip } from "../chart";
import type { Analysis } from "../data/analysis";
import { category_names, rank_numbers } from "../data/timeline";
import type { Samples } from "../data/samples";
import type { Profile } from "../data/profile";
import type { Timeline, TimelineRank } from "../data/timeline";
import { choices, h } from "../dom";
import { plural } from "../format";
import { on_selection, set_show } from "../selection";
import { make_data_details } from "../table";
import { colours, is_paper, on_theme_change } from "../theme";
import { Controller } from "./controller";
import { bands_table, curve_colour, make_bands } from "./curves";
import { contents_sentence, describe_event, sentence } from "./describe";
import type { Description } from "./describe";
import { attach_keys, keys_help } from "./keys";
import { Model } from "./model";
import { numbers_table, show_numbers } from "./numbers";
import { used_categories, visible_events } from "./overlays";
import { make_palette } from "./palette";
import { attach_overview, attach_pointer } from "./pointer";
import { Scene } from "./scene";
import type { Layers } from "./scene";

/** The last timeline made, for tests. */
export let timeline_made: Controller | null = null;

function button(label: string, title: string, act: () => void): HTMLButtonElement {
  const made = h("button", { type: "button", title, "aria-label": title }, label);
  made.addEventListener("click", act);
  return made;
}

function layer_button(
  label: string,
  name: keyof Layers,
  controller: Controller,
): HTMLButtonElement {
  const made = h("button", { type: "button", "aria-pressed": "true" }, label);
  made.addEventListener("click", () => {
    controller.layers[name] = !controller.layers[name];
    made.setAttribute("aria-pressed", String(controller.layers[name]));
    controller.refresh();
  });
  return made;
}

/** The box for the ranks to show: "0-31" or "7". */
function make_ranks_box(
  controller: Controller,
  ranks: readonly TimelineRank[],
): HTMLElement {
  const box = h("input", {
    type: "text",
    size: 9,
    inputmode: "numeric",
    placeholder: `0\u2013${ranks[ranks.length - 1]?.last_rank ?? 0}`,
    "aria-label": "Ranks shown, such as 0-31",
    autocomplete: "off",
    spellcheck: "false",
  });
  box.addEventListener("change", () => {
    const [first, last] = (box.value.match(/\d+/g) ?? []).map(Number);
    if (first === undefined) controller.show_ranks(0, ranks.length);
    else controller.show_world_ranks(first, last ?? first);
  });
  return h("label", { class: "ranks-box" }, "Ranks ", box);
}

function make_tip(
  frame: HTMLElement,
): (description: Description | null, x: number, y: number) => void {
  const box = h("div", { class: "timeline-tip", role: "tooltip" });
  box.hidden = true;
  frame.append(box);
  return (description, x, y) => {
    box.hidden = description === null;
    if (description === null) return;
    box.replaceChildren(tip(description.title, description.rows));
    const width = box.offsetWidth;
    const beside = x + 16 + width <= frame.clientWidth ? x + 16 : x - 16 - width;
    box.style.left = `${Math.max(0, Math.min(beside, frame.clientWidth - width))}px`;
    box.style.top = `${y + 18}px`;
  };
}

/** Timelines of several runs, with one scale and one window. */
export interface Linked {
  /** Of the longest run, ns. */
  run_end: number;
  controllers: Controller[];
}

/** One of two timelines beside each other. */
export interface Side {
  letter: string;
  linked: Linked;
}

/** What the strips show; empty without samples. */
function samples_sentence(model: Model): string {
  if (!model.has_samples()) return "";
  const { sample_step } = model.timeline;
  return (
    "The strip at the bottom of a row has the samples of call stacks, coloured by function, or, " +
    "if many are visible, by kind: code, MPI, OpenMP, Python, system. " +
    (sample_step > 1 ? `Of ${sample_step} samples, one is kept. ` : "")
  );
}

/** What the strips of curves show; empty without them. */
function bands_sentence(scene: Scene): string {
  const titles = scene.bands.map(({ title }) => title.toLowerCase());
  if (titles.length === 0) return "";
  return (
    `Below the rows, on the same time axis: ${titles.join(", ")}, of the selected ranks and ` +
    "those with most. What files moved between two samples is shown as bytes per second. "
  );
}

/**
 * @param sampled   the call tree of the samples in the timeline
 * @param used      memory and files over time; null: not shown
 */
export function make_timeline(
  timeline: Timeline,
  analysis: Analysis | null,
  side: Side | null = null,
  sampled: Samples | null = null,
  used: Pick<Profile, "memory" | "io"> | null = null,
): HTMLElement {
  const suffix = side === null ? "" : `-${side.letter.toLowerCase()}`;
  const model = new Model(timeline, sampled);
  const shared = timeline.ranks.some(({ count }) => count > 1) ? " or of several" : "";
  const bands = used === null ? [] : make_bands(timeline, used.memory, used.io);
  const scene = new Scene(model, analysis?.phases ?? [], analysis?.path ?? [], bands);
  const rows = h("canvas", { "aria-hidden": "true" });
  const overview = h("canvas", { class: "overview", "aria-hidden": "true" });
  const frame = h(
    "div",
    {
      class: "timeline-frame",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "timeline",
      "aria-label":
        `Timeline of ${plural(model.count(0, timeline.ranks.length), "rank")}` +
        (side === null ? "" : ` of ${side.letter}`),
      "aria-describedby": `timeline-keys${suffix}`,
    },
    rows,
  );
  const seen = h("p", { class: "note timeline-seen" });
  const spoken = h("p", { class: "unseen", role: "status" });
  const numbers = h("div", { class: "timeline-numbers" });
  const legend = h("div", { class: "legend" });
  const curve_legend = h("div", { class: "legend" });
  const range_tools = h("div", { class: "chart-tools range-tools" });
  let last_width = 0;
  let dragging: "select" | "move" = "select";

  const on_drawn = (): void => {
    const { view, drawn } = controller;
    side?.linked.controllers.forEach((other) => other.follow(view));
    const events = visible_events(model, view, drawn?.layout.rows ?? []);
    const single = drawn?.sources.some((source) => source?.kind === "events") === true;
    seen.textContent = [
      single
        ? `${plural(events, "call")} visible.`
        : "Shares of time; zoom in to see single calls.",
      drawn?.messages_note ?? "",
    ]
      .filter((part) => part !== "")
      .join(" ");
    const ranks = [view.first_rank, view.last_rank] as const;
    const span = is_paper() ? { begin: 0, end: view.run_end } : view.measured();
    const is_range = view.range !== null && !is_paper();
    show_numbers(numbers, model, make_palette(colours()), ranks, span, is_range);
    range_tools.hidden = view.range === null;
    draw_curve_legend();
  };
  const canvases = { frame, rows, overview };
  const controller = new Controller(scene, canvases, on_drawn, side?.linked.run_end);
  side?.linked.controllers.push(controller);
  timeline_made = controller;
  const show_tip = make_tip(frame);
  attach_pointer(frame, controller, { drag: () => dragging, tip: show_tip });
  attach_overview(overview, controller);
  attach_keys(frame, controller, (what) => {
    const description =
      what === "event" && controller.hit !== null ? describe_event(model, controller.hit) : null;
    show_tip(description, 60, controller.drawn?.layout.bottom ?? 0);
    const rank = timeline.ranks[controller.cursor];
    spoken.textContent =
      description !== null
        ? sentence(description)
        : rank === undefined
          ? ""
          : `${rank.count > 1 ? "Ranks" : "Rank"} ${rank_numbers(rank)}`;
  });
  if (side === null) set_show((place) => controller.show_place(place));
  on_selection(() => controller.refresh());
  range_tools.append(
    button("Zoom to range", "Zoom to the selected range", () => {
      const { range } = controller.view;
      if (range !== null) controller.show(range.begin, range.end, 0.02);
    }),
    button("Clear range", "Clear the selected range", () => controller.clear()),
  );

  const draw_curve_legend = (): void => {
    const { drawn } = controller;
    const ranks = (drawn?.bands.length ?? 0) > 0 ? (drawn?.band_ranks ?? []) : [];
    curve_legend.replaceChildren(
      ...ranks.map((index, position) => {
        const line = h("span", { class: "swatch line", "aria-hidden": "true" });
        line.style.color = curve_colour(colours().series, position);
        const rank = timeline.ranks[index]?.rank ?? index;
        return h("span", { class: "legend-item" }, line, `Rank ${rank}`);
      }),
    );
  };
  const draw_legend = (): void => {
    const palette = make_palette(colours());
    legend.replaceChildren(
      ...used_categories(model).map((name) => {
        const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
        swatch.style.color = palette.fill[name];
        return h("span", { class: "legend-item" }, swatch, category_names[name]);
      }),
    );
    if (scene.path.length === 0) return;
    const line = h("span", { class: "swatch line", "aria-hidden": "true" });
    line.style.color = palette.path;
    legend.append(h("span", { class: "legend-item" }, line, "Critical path"));
  };
  new ResizeObserver(() => {
    if (frame.clientWidth === last_width || is_paper()) return;
    last_width = frame.clientWidth;
    controller.draw();
  }).observe(frame);
  on_theme_change(() => {
    draw_legend();
    controller.draw();
  });
  draw_legend();

  return h(
    "figure",
    { class: "chart-box", id: `chart-timeline${suffix}` },
    h(
      "div",
      { class: "chart-head" },
      h("h3", {}, side === null ? "Ranks over time" : `Ranks of ${side.letter} over time`),
      h(
        "div",
        { class: "chart-tools" },
        h(
          "div",
          { class: "choices", role: "group", "aria-label": "Window" },
          button("+", "Zoom in", () => controller.zoom(0.5)),
          button("\u2212", "Zoom out", () => controller.zoom(2)),
          button("\u2190", "Earlier", () => controller.pan(-0.5)),
          button("\u2192", "Later", () => controller.pan(0.5)),
          button("Whole run", "Show the whole run", () => controller.whole()),
        ),
        choices(
          "Effect of a drag",
          [
            { value: "select", label: "Drag: select" },
            { value: "move", label: "move" },
          ],
          dragging,
          (value) => (dragging = value === "move" ? "move" : "select"),
        ),
        h(
          "div",
          { class: "choices", role: "group", "aria-label": "Layers" },
          timeline.messages.count > 0 ? layer_button("Messages", "messages", controller) : null,
          scene.path.length > 0 ? layer_button("Critical path", "path", controller) : null,
          scene.phases.length > 0 ? layer_button("Phases", "phases", controller) : null,
          model.has_samples() ? layer_button("Samples", "samples", controller) : null,
          bands.length > 0 ? layer_button("Memory and files", "curves", controller) : null,
        ),
        timeline.ranks.length > 1 ? make_ranks_box(controller, timeline.ranks) : null,
      ),
    ),
    legend,
    overview,
    frame,
    curve_legend,
    seen,
    spoken,
    range_tools,
    numbers,
    h("p", { class: "unseen", id: `timeline-keys${suffix}` }, keys_help),
    h(
      "figcaption",
      {},
      `${contents_sentence(model)} Each row is the main thread of a rank${shared}. ` +
        "When zoomed out, each column of a row shows shares of time. Click a rank's number to " +
        "see its threads and regions. Zoom with Ctrl and the mouse wheel, or with the wheel " +
        "after a click; double-click a call to zoom to it. " +
        samples_sentence(model) +
        bands_sentence(scene) +
        (timeline.knows_waiting
          ? "The time that a call waited for others is drawn in front of it."
          : "The time that calls waited for others is unknown."),
    ),
    make_data_details("time of the ranks in this window", () =>
      numbers_table(
        model,
        [controller.view.first_rank, controller.view.last_rank],
        controller.view.measured(),
      ),
    ),
    bands.length === 0
      ? null
      : make_data_details("memory and files over time", () =>
          bands_table(timeline, bands, controller.drawn?.band_ranks ?? []),
        ),
  );
}
