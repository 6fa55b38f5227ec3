// SPDX-License-Identifier: BSD-3-Clause
// Reads the OpenMP part of a profile: parallel regions and threads.
import { number, number_or_null, objects, text, text_or_null } from "./reader";
import type { JsonObject } from "./reader";

export interface OpenmpRegion {
  func: string;
  file: string | null;
  line: number | null;
  count: number;
  threads: number | null;
  time_s: number;
  busy_s: number | null;
  idle_s: number | null;
}
export interface OpenmpThread {
  rank: number;
  thread: number;
  busy_s: number;
  idle_s: number;
}
export interface Openmp {
  measured: string | null;
  used: boolean;
  runtime: string;
  regions: OpenmpRegion[];
  threads: OpenmpThread[];
}

/** Reads the "openmp" object of a profile. */
export function read_openmp(openmp: JsonObject): Openmp {
  const measured = text(openmp["measured"], "not measured");
  return {
    measured: measured === "gomp" || measured === "ompt" ? measured : null,
    used: measured !== "no OpenMP",
    runtime: text(openmp["runtime"]),
    regions: objects(openmp["regions"], (region) => ({
      func: text(region["function"]),
      file: text_or_null(region["file"]),
      line: number_or_null(region["line"]),
      count: number(region["count"]),
      threads: number_or_null(region["threads"]),
      time_s: number(region["time_s"]),
      busy_s: number_or_null(region["busy_s"]),
      idle_s: number_or_null(region["idle_s"]),
    })),
    threads: objects(openmp["threads"], (thread) => ({
      rank: number(thread["rank"]),
      thread: number(thread["thread"]),
      busy_s: number(thread["busy_s"]),
      idle_s: number(thread["idle_s"]),
    })),
  };
}
