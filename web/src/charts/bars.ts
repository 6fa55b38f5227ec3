// SPDX-License-Identifier: BSD-3-Clause
// The common parts of charts with a stack of times per rank: axes, bars, and areas for many ranks.
import { axis_style } from "../chart";
import type { Option } from "../chart";
import type { Colours } from "../theme";

const most_horizontal = 40;
/** From this many on, an area: thousands of bars of less than a pixel make false patterns. */
const least_area = 129;

/** Few bars lie below each other, each with its label. */
export function is_horizontal(bars: number): boolean {
  return bars <= most_horizontal;
}

export function chart_height(bars: number): number {
  return is_horizontal(bars) ? 82 + 26 * bars : 360;
}

/** The label of a rank; a selected one is marked. */
export function rank_label(label: string, is_selected: boolean): string {
  return is_selected ? `\u25b8 ${label}` : label;
}

/** Grid and axes: `labels` along one axis, named `name`, and times along the other. */
export function bar_axes(
  colours: Colours,
  labels: readonly string[],
  name: string | null,
  unit: string,
): Option {
  const horizontal = is_horizontal(labels.length);
  const names = {
    type: "category",
    data: labels,
    ...axis_style(colours),
    axisTick: { show: false },
    splitLine: { show: false },
    inverse: horizontal,
    ...(name === null
      ? {}
      : {
          name,
          nameLocation: horizontal ? "start" : "middle",
          ...(horizontal ? {} : { nameGap: 24 }),
          nameTextStyle: {
            color: colours.muted,
            fontSize: 12,
            align: horizontal ? "left" : "center",
          },
        }),
  };
  const times = {
    type: "value",
    min: 0,
    ...axis_style(colours, `time, ${unit}`),
    nameGap: horizontal ? 26 : 34,
  };
  return {
    grid: { left: 8, right: 14, top: horizontal ? 30 : 12, bottom: 6 },
    xAxis: horizontal ? times : names,
    yAxis: horizontal ? names : times,
  };
}

/** How a part of the stack is drawn: as a bar, or with very many bars as an area of steps. */
export function part_style(bars: number): Option {
  return bars >= least_area
    ? { ...step_style, lineStyle: { width: 0 }, areaStyle: { opacity: 1 } }
    : { type: "bar", barWidth: "72%" };
}

/** How a part that is drawn over the stack is drawn: as a thin bar or a line of steps. */
export function overlay_style(bars: number): Option {
  return bars >= least_area
    ? { ...step_style, lineStyle: { width: 1.2 } }
    : { type: "bar", stack: "overlay", barWidth: "18%", barGap: "-100%" };
}

const step_style = { type: "line", step: "middle", showSymbol: false, symbol: "none" };
