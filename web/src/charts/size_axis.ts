// SPDX-License-Identifier: BSD-3-Clause
// The axis of message sizes: logarithmic to base 2, with 0 bytes left of 1 byte.
import { axis_style } from "../chart";
import type { Option } from "../chart";
import { power_of_two } from "../format";
import type { Colours } from "../theme";

/** The position of 0 bytes: one step left of 1 byte. */
export const zero_bytes_at = -1;

export function size_position(bytes: number): number {
  return bytes < 1 ? zero_bytes_at : Math.log2(bytes);
}

/** The right edge of the class that ends with `high_bytes`. */
export function class_end(high_bytes: number): number {
  return high_bytes < 1 ? 0 : Math.log2(high_bytes + 1);
}

/** The axis for sizes up to `highest` (a position). */
export function size_axis(colours: Colours, highest: number, width: number, name: string): Option {
  const last = Math.ceil(highest);
  const step = Math.max(1, Math.ceil(((last + 1) * 50) / Math.max(width - 130, 100)));
  const labelled = [zero_bytes_at];
  for (let k = step === 1 ? 0 : step; k <= last; k += step) labelled.push(k);
  return {
    type: "value",
    min: zero_bytes_at,
    max: last,
    ...axis_style(colours, name),
    nameGap: 26,
    axisTick: { customValues: labelled, lineStyle: { color: colours.axis } },
    axisLabel: {
      customValues: labelled,
      color: colours.muted,
      fontSize: 11.5,
      formatter: (value: number) =>
        value === zero_bytes_at ? "0" : Number.isInteger(value) ? power_of_two(value) : "",
    },
    splitLine: { show: false },
  };
}
