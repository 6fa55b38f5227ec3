// SPDX-License-Identifier: BSD-3-Clause
// Reads measured quantities: a median with its interval.
import { number_or_null, object, objects } from "./reader";
import type { JsonObject } from "./reader";

/** The distribution of a time or rate; charts draw its median. */
export interface Statistic {
  min: number | null;
  median: number;
  ci_low: number | null;
  ci_high: number | null;
  n: number | null;
}

export function read_statistic(value: unknown): Statistic | null {
  const statistic = object(value);
  const median = number_or_null(statistic["median"]);
  if (median === null) return null;
  return {
    median,
    min: number_or_null(statistic["min"]),
    ci_low: number_or_null(statistic["ci_low"]),
    ci_high: number_or_null(statistic["ci_high"]),
    n: number_or_null(statistic["n"]),
  };
}

/** Reads the objects that have the statistic `name`; without a median there is nothing to draw. */
export function with_statistic<T>(
  value: unknown,
  name: string,
  read: (item: JsonObject, statistic: Statistic) => T,
): T[] {
  return objects(value, (item) => {
    const statistic = read_statistic(item[name]);
    return statistic === null ? [] : [read(item, statistic)];
  }).flat();
}
