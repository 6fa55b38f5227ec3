// SPDX-License-Identifier: BSD-3-Clause
// The time axis: ticks at round times; when zoomed in, relative to a base that is shown.
import { significant, time, time_scale } from "../format";
import type { Painter } from "./painter";

/** A round step that gives at most `most` ticks. */
function round_step(span: number, most: number): number {
  const rough = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5]) if (factor * power >= rough) return factor * power;
  return 10 * power;
}

/** A time of the run with enough digits to show a difference of `step_ns`. */
export function exact_time(ns: number, step_ns: number): string {
  const { factor, unit } = time_scale(Math.max(ns, 1) * 1e-9);
  const steps = (ns * 1e-9 * factor) / (step_ns * 1e-9 * factor);
  const digits = Math.max(3, Math.min(15, Math.ceil(Math.log10(Math.max(1, steps))) + 1));
  return ns === 0 ? "0 s" : `${significant(ns * 1e-9 * factor, digits)} ${unit}`;
}

export function paint_axis(painter: Painter): void {
  const { layout, palette, span, context } = painter;
  const width = span.end - span.begin;
  const step = round_step(width, layout.plot_width / 84);
  // When zoomed in far, times have many digits, so ticks are relative to a base.
  const is_far = width < span.end / 200;
  const base = is_far ? Math.floor(span.begin / step) * step : 0;
  const scale = time_scale(Math.max(step, (is_far ? width : span.end) / 2) * 1e-9);
  const decimals = Math.max(0, -Math.floor(Math.log10(step * 1e-9 * scale.factor) + 1e-9));
  context.strokeStyle = palette.theme.axis;
  context.lineWidth = 1;
  context.textAlign = "center";
  const y = layout.bottom + 2;
  painter.line(layout.left, y, layout.left + layout.plot_width, y);
  for (let at = Math.ceil(span.begin / step) * step; at <= span.end; at += step) {
    const x = painter.x(at);
    painter.line(x, y, x, y + 4);
    const value = ((at - base) * 1e-9 * scale.factor).toFixed(decimals);
    const label = `${is_far ? "+" : ""}${value}`;
    const room = context.measureText(label).width / 2;
    if (x - room < layout.left || x + room > layout.left + layout.plot_width) continue;
    painter.text(label, x, y + 12, palette.theme.muted);
  }
  context.textAlign = "right";
  const unit = is_far ? `${exact_time(base, step)} + time, ${scale.unit}` : `time, ${scale.unit}`;
  painter.text(unit, layout.left + layout.plot_width, y + 23, palette.theme.muted);
  context.textAlign = "left";
}

/** "1.25 s to 1.75 s (500 ms)". */
export function range_text(begin: number, end: number): string {
  const step = (end - begin) / 100;
  return `${exact_time(begin, step)} to ${exact_time(end, step)} (${time((end - begin) * 1e-9)})`;
}
