// SPDX-License-Identifier: BSD-3-Clause
// Time by category up to any time, for one rank or several.
import { categories } from "../data/timeline";
import type { Timeline, TimelineRank } from "../data/timeline";
import { finish, read_columns } from "./columns";

const width = categories.length;

export class Bins {
  /** Sums over the bins before each edge: bins + 1 rows of one value per category, in ns. */
  private constructor(
    private readonly sums: Float64Array,
    private readonly bin_ns: number,
  ) {}

  /** The sums over the ranks of a row. */
  static of_rank(timeline: Timeline, rank: TimelineRank): Bins {
    const { bins } = timeline;
    const bin_ns = timeline.end / bins;
    const columns = finish(
      read_columns(
        rank.bins,
        bins,
        categories.map(() => "unsigned"),
      ),
    );
    const sums = new Float64Array((bins + 1) * width);
    const whole_ns = bin_ns * rank.count;
    for (let bin = 0; bin < bins && columns !== null; bin += 1) {
      for (let c = 0; c < width; c += 1) {
        const share = Math.min(1, columns[c]![bin]! / timeline.whole_bin);
        sums[(bin + 1) * width + c] = sums[bin * width + c]! + share * whole_ns;
      }
    }
    return new Bins(sums, bin_ns);
  }

  static together(all: readonly Bins[]): Bins {
    const [first] = all;
    if (first === undefined) return new Bins(new Float64Array(2 * width), 1);
    if (all.length === 1) return first;
    const sums = new Float64Array(first.sums.length);
    for (const bins of all) for (let i = 0; i < sums.length; i += 1) sums[i]! += bins.sums[i]!;
    return new Bins(sums, first.bin_ns);
  }

  /** Adds the time by category up to `time` (ns) to `into`. */
  up_to(time: number, into: Float64Array): void {
    const last = this.sums.length / width - 1;
    const position = Math.min(last, Math.max(0, time / this.bin_ns));
    const bin = Math.min(last - 1, Math.floor(position));
    const part = position - bin;
    for (let c = 0; c < width; c += 1) {
      const low = this.sums[bin * width + c]!;
      into[c]! += low + (this.sums[(bin + 1) * width + c]! - low) * part;
    }
  }
}
