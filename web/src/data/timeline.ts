// SPDX-License-Identifier: BSD-3-Clause
// Reads the timeline that src/report/timeline.cpp writes; events stay packed until they are shown.
import {
  DataError,
  check_schema,
  list,
  number,
  number_or_null,
  numbers,
  object,
  objects,
  text,
  text_or_null,
} from "./reader";
import type { JsonObject } from "./reader";

/** Categories of a rank's time, in the order of the bins' columns. */
export const categories = [
  "computation",
  "point_to_point",
  "collective",
  "other_mpi",
  "waiting",
  "openmp_idle",
] as const;
export type Category = (typeof categories)[number];
export const category_names: Readonly<Record<Category, string>> = {
  computation: "Computation",
  point_to_point: "Point to point",
  collective: "Collective",
  other_mpi: "Other MPI",
  waiting: "Waiting for others",
  openmp_idle: "OpenMP idle",
};

/** The properties that equal events share. */
export interface Shape {
  kind: string;
  category: Category;
  /** "MPI_Send", or the name of an OpenMP or user region. */
  name: string;
  place: string;
  comm: string;
  partner: number | null;
  tag: number | null;
  wildcard: boolean;
}
export interface Packed {
  count: number;
  columns: string;
}
export interface Stream {
  tid: number;
  omp_thread: number;
  calls: Packed;
  openmp: Packed;
  regions: Packed;
  /** Samples of call stacks, by time. */
  samples: Packed;
}
export interface TimelineRank {
  rank: number;
  /** The same as `rank`, unless several ranks share the row; such a row has no streams. */
  last_rank: number;
  count: number;
  host: string;
  begin: number;
  end: number;
  complete: boolean;
  /** The stream whose calls count as the rank's, usually the main thread. */
  time_stream: number;
  bins: string;
  streams: Stream[];
}
/** Times are nanoseconds since the start of the trace. */
export interface Timeline {
  end: number;
  bins: number;
  whole_bin: number;
  knows_waiting: boolean;
  shapes: Shape[];
  ranks: TimelineRank[];
  messages: Packed;
  /** Messages in the trace. */
  all_messages: number;
  /** The windows in which single events were kept. */
  windows: { begin: number; end: number }[];
  events: number;
  kept_events: number;
  /** The time that a sample stands for, ns. */
  sample_ns: number;
  /** Every n-th sample was kept. */
  sample_step: number;
}

const most_bins = 65536;

/** Reads a timeline of version 1. @throws DataError when it is something else. */
export function read_timeline(value: JsonObject): Timeline {
  check_schema(value, "plait-timeline", 1);
  const bins = Math.floor(number(value["bins"]));
  const end = number(value["end_ns"]);
  if (!(bins >= 1 && bins <= most_bins && end > 0)) {
    throw new DataError(
      "The timeline in this page is damaged",
      "write the report again with plait report DIR",
    );
  }
  return {
    end,
    bins,
    whole_bin: Math.max(1, number(value["whole_bin"], 1)),
    knows_waiting: value["knows_waiting"] === true,
    shapes: read_shapes(value),
    ranks: objects(value["ranks"], (rank) => read_rank(rank, end)),
    messages: read_packed(value["messages"]),
    all_messages: number(value["all_messages"]),
    windows: list(value["windows"])
      .map(numbers)
      .flatMap(([begin, until]) =>
        begin !== undefined && until !== undefined && until > begin ? [{ begin, end: until }] : [],
      ),
    events: number(value["events"]),
    kept_events: number(value["kept_events"]),
    sample_ns: Math.max(1, number(value["sample_ns"], 1)),
    sample_step: Math.max(1, Math.floor(number(value["sample_step"], 1))),
  };
}

function read_shapes(value: JsonObject): Shape[] {
  const functions = list(value["functions"]);
  const sites = list(value["sites"]);
  const regions = list(value["regions"]);
  const comms = objects(value["comms"], (comm) => text(comm["name"]));
  const at = (names: readonly unknown[], index: unknown): string =>
    typeof index === "number" ? text(names[index]) : "";
  return list(value["shapes"]).map((item): Shape => {
    const [kind, category, name, place, comm, partner, tag, wildcard] = list(item);
    const is_region = kind === "region" || kind === "parallel" || kind === "work";
    return {
      kind: text(kind),
      category: categories.find((known) => known === category) ?? "other_mpi",
      name: is_region ? at(regions, place) || "OpenMP region" : at(functions, name) || "MPI call",
      place: is_region ? "" : at(sites, place),
      comm: typeof comm === "number" ? (comms[comm] ?? "") || `communicator ${comm}` : "",
      partner: number_or_null(partner),
      tag: number_or_null(tag),
      wildcard: wildcard === true,
    };
  });
}

function read_rank(rank: JsonObject, end: number): TimelineRank {
  const streams = objects(rank["streams"], (stream) => ({
    tid: number(stream["tid"]),
    omp_thread: number(stream["omp_thread"], -1),
    calls: read_packed(stream["calls"]),
    openmp: read_packed(stream["openmp"]),
    regions: read_packed(stream["regions"]),
    samples: read_packed(stream["samples"]),
  }));
  return {
    rank: number(rank["rank"]),
    last_rank: number(rank["last_rank"], number(rank["rank"])),
    count: Math.max(1, Math.floor(number(rank["count"], 1))),
    host: text(rank["host"]),
    begin: number(rank["begin_ns"]),
    end: number(rank["end_ns"], end),
    complete: rank["complete"] !== false,
    time_stream: Math.min(
      Math.max(0, number(rank["time_stream"])),
      Math.max(0, streams.length - 1),
    ),
    bins: text_or_null(rank["bins"]) ?? "",
    streams,
  };
}

/** "7", or "64\u2013127" of a row that several ranks share. */
export function rank_numbers(first: TimelineRank, last: TimelineRank = first): string {
  const several = last.last_rank > first.rank;
  return several ? `${first.rank}\u2013${last.last_rank}` : String(first.rank);
}

function read_packed(value: unknown): Packed {
  const packed = object(value);
  const columns = text(packed["columns"]);
  const count = Math.floor(number(packed["count"]));
  // A value takes at least one byte, and three bytes take four characters.
  const possible = count >= 0 && count <= columns.length;
  return possible ? { count, columns } : { count: 0, columns: "" };
}
