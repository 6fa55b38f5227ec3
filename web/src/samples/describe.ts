// SPDX-License-Identifier: BSD-3-Clause
// Describes a frame of a flame graph: its place, share, interval, and difference.
import { count, percent, share_range, signed_time, time } from "../format";
import { frame_kind_names, wilson } from "./call_tree";
import type { Frame } from "./call_tree";
import type { Flame } from "./layout";

export interface Description {
  title: string;
  rows: [string, string][];
}

/** "28 to 34 %": the 95 % interval of a share. */
export function interval_text(hits: number, samples: number): string {
  const { low, high } = wilson(hits, samples);
  return share_range(low, high);
}

function share_text(hits: number, samples: number): string {
  if (samples === 0) return "no samples";
  return `${percent(hits / samples)} (${interval_text(hits, samples)})`;
}

/** @param names  of the subject and of what it is compared with */
export function describe_frame(
  frame: Frame,
  flame: Flame,
  names: readonly [string, string],
): Description {
  const { sums, base, value_s, base_s } = flame;
  const at = frame.index;
  const kind = frame_kind_names[frame.kind] + (frame.inlined ? ", inlined" : "");
  const rows: [string, string][] = [
    ["Place", frame.place],
    ["Kind", kind],
  ];
  if (base === null || base_s === null) {
    rows.push(
      ["With calls", time(value_s[at]!)],
      ["Share", share_text(sums.inclusive_samples[at]!, sums.total_samples)],
      ["Itself", time(sums.exclusive_s[at]!)],
      ["Samples", count(sums.inclusive_samples[at]!)],
    );
  } else {
    rows.push(
      [names[0], `${time(value_s[at]!)} per rank`],
      ["", share_text(sums.inclusive_samples[at]!, sums.total_samples)],
      [names[1], `${time(base_s[at]!)} per rank`],
      ["", share_text(base.inclusive_samples[at]!, base.total_samples)],
      ["Difference", signed_time(value_s[at]! - base_s[at]!)],
    );
  }
  return { title: frame.name, rows: rows.filter(([, value]) => value !== "") };
}

/** The description in one sentence, for screen readers. */
export function sentence({ title, rows }: Description): string {
  const parts = rows.map(([name, value]) => (name === "" ? value : `${name}: ${value}`));
  return `${title}. ${parts.join("; ")}.`;
}
