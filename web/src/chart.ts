// SPDX-License-Identifier: BSD-3-Clause
// A chart in a box: ECharts with toggles, a legend of buttons, and the data as a table.
import { BarChart, CustomChart, HeatmapChart, LineChart } from "echarts/charts";
import {
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  GridComponent,
  LegendPlainComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import type { EChartsType } from "echarts/core";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import { choices, h } from "./dom";
import type { Choice } from "./dom";
import { select_ranks, selected_ranks, on_selection } from "./selection";
import { make_data_details } from "./table";
import type { PlainTable } from "./table";
import { colours, is_paper, on_theme_change, paper_width_px } from "./theme";
import type { Colours } from "./theme";

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  DataZoomInsideComponent,
  DataZoomSliderComponent,
  GridComponent,
  LegendPlainComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
  CanvasRenderer,
  SVGRenderer,
]);

/** The chosen value of each toggle of a chart. */
export type State = Readonly<Record<string, string>>;
export interface Toggle {
  name: string;
  label: string;
  items: readonly Choice[];
}
export interface LegendItem {
  name: string;
  colour: string;
  mark?: "box" | "line" | "dashed";
}
export interface Drawing {
  colours: Colours;
  state: State;
  width: number;
  paper: boolean;
  /** Ranks selected in any chart. */
  selected: ReadonlySet<number>;
}
export type Option = Record<string, unknown>;

export interface ChartSpec {
  id: string;
  title: string;
  /** The chart in one phrase, for screen readers. */
  description: string;
  caption?: string;
  /** Canvas for very many marks; otherwise SVG, which prints sharply. */
  renderer?: "svg" | "canvas";
  height: (width: number, state: State) => number;
  /** The largest width; by default, that of the box. */
  most_width?: number;
  toggles?: readonly Toggle[];
  legend?: (colours: Colours, state: State) => readonly LegendItem[];
  /** Elements beside the legend, such as a colour scale. */
  scale?: (colours: Colours, state: State) => HTMLElement | null;
  option: (drawing: Drawing) => Option;
  /** The ranks that a click on this data point selects. With it, the chart is drawn again when the
   * selection changes. */
  ranks_of?: (index: number, state: State) => readonly number[];
  data: (state: State) => PlainTable;
}

const instances: Record<string, EChartsType> = {};
const waiting: (() => void)[] = [];

/** Draws all charts made so far; call it once they are in the document. */
export function start_charts(): Record<string, EChartsType> {
  for (const start of waiting.splice(0)) start();
  return instances;
}

function base_option(): Option {
  const { text, axis, surface } = colours();
  return {
    animation: false,
    textStyle: {
      fontFamily: "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif",
      color: text,
    },
    tooltip: {
      confine: true,
      backgroundColor: surface,
      borderColor: axis,
      borderWidth: 1,
      padding: [8, 10],
      textStyle: { color: text, fontSize: 12.5 },
      transitionDuration: 0,
    },
  };
}

function merge(base: Option, option: Option): Option {
  const tooltip = { ...(base["tooltip"] as Option), ...((option["tooltip"] as Option) ?? {}) };
  return { ...base, legend: { show: false }, ...option, tooltip };
}

/** The lines and labels that all axes share. */
export function axis_style(theme: Colours, name?: string): Option {
  return {
    ...(name === undefined
      ? {}
      : { name, nameLocation: "middle", nameTextStyle: { color: theme.muted, fontSize: 12 } }),
    axisLine: { onZero: false, lineStyle: { color: theme.axis } },
    axisTick: { lineStyle: { color: theme.axis } },
    axisLabel: { color: theme.muted, fontSize: 11.5, hideOverlap: true },
    splitLine: { lineStyle: { color: theme.line } },
    minorTick: { show: false },
    minorSplitLine: { show: false },
  };
}

/** Line and symbols of a curve; a dashed curve has hollow symbols. */
export function curve_style(theme: Colours, colour: string, dashed: boolean, size: number): Option {
  return {
    color: colour,
    symbol: "circle",
    symbolSize: size,
    lineStyle: { width: 2, color: colour, type: dashed ? "dashed" : "solid" },
    itemStyle: dashed
      ? { color: theme.surface, borderColor: colour, borderWidth: 1.8 }
      : { color: colour },
  };
}

/** The content of a tooltip, made of text nodes only. */
export function tip(title: string, rows: readonly (readonly [string, string])[]): HTMLElement {
  return h(
    "div",
    { class: "tip" },
    h("strong", {}, title),
    h(
      "dl",
      {},
      rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
  );
}

function make_swatch(item: LegendItem): HTMLElement {
  const swatch = h("span", { class: `swatch ${item.mark ?? "box"}`, "aria-hidden": "true" });
  swatch.style.color = item.colour;
  return swatch;
}

/** Makes the box; the chart itself is drawn by start_charts(). */
export function make_chart(spec: ChartSpec): HTMLElement {
  const state: Record<string, string> = {};
  for (const toggle of spec.toggles ?? []) state[toggle.name] = toggle.items[0]?.value ?? "";
  const hidden = new Set<string>();
  const legend = h("div", { class: "legend" });
  const canvas = h("div", { class: "chart", role: "img", "aria-label": spec.description });
  const title = h("h3", {}, spec.title);
  let chart: EChartsType | null = null;

  function draw_legend(): void {
    const items = spec.legend?.(colours(), state) ?? [];
    const scale = spec.scale?.(colours(), state) ?? null;
    legend.replaceChildren(
      ...items.map((item) => {
        const shown = !hidden.has(item.name);
        const button = h(
          "button",
          { type: "button", "aria-pressed": String(shown) },
          make_swatch(item),
          item.name,
        );
        button.addEventListener("click", () => {
          if (shown) hidden.add(item.name);
          else hidden.delete(item.name);
          draw();
        });
        return button;
      }),
      ...(scale === null ? [] : [scale]),
    );
    legend.hidden = legend.childElementCount === 0;
  }

  function draw(): void {
    if (chart === null) return;
    const room = is_paper() ? paper_width_px : canvas.parentElement!.clientWidth;
    const width = Math.min(room, spec.most_width ?? room);
    const height = spec.height(width, state);
    canvas.style.height = `${height}px`;
    chart.resize({ width, height });
    const option = merge(
      base_option(),
      spec.option({
        colours: colours(),
        state,
        width,
        paper: is_paper(),
        selected: selected_ranks(),
      }),
    );
    const selected = Object.fromEntries([...hidden].map((name) => [name, false]));
    chart.setOption({ ...option, legend: { show: false, selected } }, { notMerge: true });
    chart.getZr().flush();
    draw_paper();
    draw_legend();
  }

  /** Browsers may not print all layers of a canvas that was just drawn, so print one flat copy. */
  function draw_paper(): void {
    canvas.parentElement!.querySelector(":scope > canvas")?.remove();
    canvas.hidden = is_paper() && spec.renderer === "canvas";
    if (chart === null || !canvas.hidden) return;
    const copy = chart.renderToCanvas({ pixelRatio: 2 });
    copy.style.cssText = `display: block; width: ${chart.getWidth()}px`;
    canvas.parentElement!.append(copy);
  }

  /** A click selects the ranks of the bar or cell below it. */
  function link(made: EChartsType): void {
    const { ranks_of } = spec;
    if (ranks_of === undefined) return;
    made.on("click", ({ dataIndex }) => {
      if (typeof dataIndex === "number") select_ranks(ranks_of(dataIndex, state));
    });
    on_selection(draw);
  }

  const toggles = (spec.toggles ?? [])
    .filter((toggle) => toggle.items.length > 1)
    .map((toggle) =>
      choices(toggle.label, toggle.items, state[toggle.name] ?? "", (value) => {
        state[toggle.name] = value;
        draw();
        details.open = false;
      }),
    );
  const details = make_data_details(spec.title, () => spec.data(state));
  waiting.push(() => {
    chart = init(canvas, null, { renderer: spec.renderer ?? "svg", width: 300, height: 200 });
    instances[spec.id] = chart;
    link(chart);
    let last_width = 0;
    new ResizeObserver(() => {
      const width = canvas.parentElement!.clientWidth;
      if (width === last_width || is_paper()) return;
      last_width = width;
      draw();
    }).observe(canvas.parentElement!);
    last_width = canvas.parentElement!.clientWidth;
    draw();
    on_theme_change(draw);
  });
  return h(
    "figure",
    { class: "chart-box", id: `chart-${spec.id}` },
    h("div", { class: "chart-head" }, title, h("div", { class: "chart-tools" }, toggles)),
    legend,
    h("div", { class: "chart-frame" }, canvas),
    spec.caption === undefined ? null : h("figcaption", {}, spec.caption),
    details,
  );
}
