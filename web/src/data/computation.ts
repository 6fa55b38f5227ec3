// SPDX-License-Identifier: BSD-3-Clause
// Reads what a profile says about computation: hot spots of samples, and instrumented functions.
import { is_object, number, number_or_null, object, objects, text } from "./reader";

/** One of the hottest places of a program. Shares are of the samples in code. */
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

/** The function in which the rank with most time in code differs from the mean. */
export interface Difference {
  function: string;
  file: string;
  line: number;
  rank: number;
  ratio: number;
  /** The share of the rank's excess that is in the function. */
  explains: number;
}

/** A number of a rank or thread; -1: none. */
function index(value: unknown): number | null {
  const read = number_or_null(value);
  return read === null || read < 0 ? null : read;
}

export function read_difference(value: unknown): Difference | null {
  const of = object(value)["difference"];
  if (!is_object(of)) return null;
  return {
    function: text(of["function"], "(unknown function)"),
    file: text(of["file"]),
    line: number(of["line"]),
    rank: number(of["rank"]),
    ratio: number(of["ratio"]),
    explains: number(of["explains"]),
  };
}

export function read_hot_spots(value: unknown): HotSpot[] {
  return objects(object(value)["hot_spots"], (spot) => ({
    function: text(spot["function"], "(unknown function)"),
    file: text(spot["file"]),
    line: number(spot["line"]),
    share: number(spot["share"]),
    low: number_or_null(spot["low"]),
    high: number_or_null(spot["high"]),
    worst_rank: index(spot["worst_rank"]),
    worst_ratio: number_or_null(spot["worst_ratio"]),
    worst_thread: index(spot["worst_thread"]),
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
