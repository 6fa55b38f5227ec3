// SPDX-License-Identifier: BSD-3-Clause
// Reads what a profile says about computation: hot spots of samples, and instrumented functions.
import { number, number_or_null, object, objects, text } from "./reader";

/** One of the hottest places of a program. Shares are of all samples, with 95 % intervals. */
export interface HotSpot {
  function: string;
  file: string;
  line: number;
  share: number;
  low: number | null;
  high: number | null;
  worst_rank: number | null;
  /** Time of the worst rank divided by the mean. */
  worst_ratio: number | null;
  worst_thread: number | null;
  /** The share of the imbalance that the place explains. */
  explains_imbalance: number | null;
}

/** One function of a program that was compiled with -finstrument-functions; all threads. */
export interface InstrumentedFunction {
  name: string;
  file: string;
  line: number;
  calls: number;
  inclusive_s: number;
  exclusive_s: number;
  ranks: number;
  threads: number;
  /** The rank with most exclusive time. */
  worst_rank: number | null;
  worst_s: number;
  /** True: too short and too frequent, so Plait stopped recording it. */
  switched_off: boolean;
}

export function read_hot_spots(value: unknown): HotSpot[] {
  return objects(object(value)["hot_spots"], (spot) => ({
    function: text(spot["function"], "(unknown function)"),
    file: text(spot["file"]),
    line: number(spot["line"]),
    share: number(spot["share"]),
    low: number_or_null(spot["low"]),
    high: number_or_null(spot["high"]),
    worst_rank: number_or_null(spot["worst_rank"]),
    worst_ratio: number_or_null(spot["worst_ratio"]),
    worst_thread: number_or_null(spot["worst_thread"]),
    explains_imbalance: number_or_null(spot["explains_imbalance"]),
  }));
}

export function read_functions(value: unknown): InstrumentedFunction[] {
  return objects(value, (item) => ({
    name: text(item["name"], "(unknown function)"),
    file: text(item["file"]),
    line: number(item["line"]),
    calls: number(item["calls"]),
    inclusive_s: number(item["inclusive_s"]),
    exclusive_s: number(item["exclusive_s"]),
    ranks: number(item["ranks"]),
    threads: number(item["threads"]),
    worst_rank: number_or_null(item["worst_rank"]),
    worst_s: number(item["worst_s"]),
    switched_off: item["switched_off"] === true,
  }));
}
