// SPDX-License-Identifier: BSD-3-Clause
// Reads the MPI calls of a profile: by function, site, communicator, peer, size and pair of ranks.
import {
  list,
  number,
  number_or_null,
  numbers,
  object,
  objects,
  text,
  text_or_null,
  texts,
} from "./reader";
import type { JsonObject } from "./reader";

export interface Call {
  name: string;
  count: number;
  bytes: number;
  time_s: number;
  max_s: number | null;
}
export interface Frame {
  func: string;
  /** Without parameters and template arguments. */
  name: string;
  file: string | null;
  line: number | null;
  module: string | null;
  offset: string | null;
}
export interface Site {
  id: number;
  call: string;
  /** The index in `frames` of the caller that distinguishes the path; null: none is needed. */
  caller: number | null;
  frames: Frame[];
  communicator: number;
  count: number;
  bytes: number;
  time_s: number;
  time_min_s: number | null;
  time_max_s: number | null;
  time_min_rank: number | null;
  time_max_rank: number | null;
  before_s: number | null;
  ranks: number | null;
}
/** Calls that came through the same frames, divided by what called these. */
export interface Caller {
  frames: string[];
  count: number;
  time_s: number;
  callers: Caller[];
}
export interface Communicator {
  id: number;
  name: string;
  size: number | null;
  calls: number;
  bytes: number;
  time_s: number;
}
export interface PeerClass {
  name: string;
  count: number;
  bytes: number;
  time_s: number | null;
}
export interface SizeClass {
  kind: string;
  low_bytes: number;
  high_bytes: number;
  count: number;
  bytes: number;
  time_s: number | null;
}
/** What rank `from` sent to rank `to`. */
export interface Traffic {
  from: number;
  to: number;
  messages: number;
  bytes: number;
}
export interface Matrix {
  size: number;
  nodes: number[];
  point_to_point: Traffic[];
  collective: Traffic[];
  /** Entries with few bytes that the profile left out. */
  left_out: number;
  /** More than 1: from and to are numbers of cells with so many ranks. */
  ranks_per_cell: number;
}
/** The parts of a profile that are about MPI calls. */
export interface Calls {
  calls: Call[];
  sites: Site[];
  caller_tree: Caller[];
  communicators: Communicator[];
  peer_classes: PeerClass[];
  sizes: SizeClass[];
  matrix: Matrix;
}

/** Reads the parts of the profile `value` that are about MPI calls. */
export function read_calls(value: JsonObject, world_size: number): Calls {
  return {
    calls: objects(value["calls"], (call) => ({
      name: text(call["name"]),
      count: number(call["count"]),
      bytes: number(call["bytes"]),
      time_s: number(call["time_s"]),
      max_s: number_or_null(call["max_s"]),
    })),
    sites: objects(value["sites"], (site) => read_site(site)),
    caller_tree: read_callers(value["caller_tree"]),
    communicators: objects(value["communicators"], (communicator) => ({
      id: number(communicator["id"], -1),
      name: text(communicator["name"]) || `communicator ${text(communicator["id"])}`,
      size: number_or_null(communicator["size"]),
      calls: number(communicator["calls"]),
      bytes: number(communicator["bytes"]),
      time_s: number(communicator["time_s"]),
    })),
    peer_classes: objects(value["peer_classes"], (peers) => ({
      name: text(peers["class"]),
      count: number(peers["count"]),
      bytes: number(peers["bytes"]),
      time_s: number_or_null(peers["time_s"]),
    })),
    sizes: objects(value["sizes"], (size) => ({
      kind: text(size["kind"]),
      low_bytes: number(size["low_bytes"]),
      high_bytes: number(size["high_bytes"], number(size["low_bytes"])),
      count: number(size["count"]),
      bytes: number(size["bytes"]),
      time_s: number_or_null(size["time_s"]),
    })),
    matrix: read_matrix(object(value["matrix"]), world_size),
  };
}

function read_callers(value: unknown): Caller[] {
  return objects(value, (caller) => ({
    frames: texts(caller["frames"]),
    count: number(caller["count"]),
    time_s: number(caller["time_s"]),
    callers: read_callers(caller["callers"]),
  }));
}

function read_site(site: JsonObject): Site {
  return {
    id: number(site["id"]),
    call: text(site["call"]),
    caller: number_or_null(site["caller"]),
    frames: objects(site["frames"], (frame) => ({
      func: text(frame["function"]),
      name: text(frame["name"]) || text(frame["function"]),
      file: text_or_null(frame["file"]),
      line: number_or_null(frame["line"]),
      module: text_or_null(frame["module"]),
      offset: text_or_null(frame["offset"]),
    })),
    communicator: number(site["communicator"], -1),
    count: number(site["count"]),
    bytes: number(site["bytes"]),
    time_s: number(site["time_s"]),
    time_min_s: number_or_null(site["time_min_s"]),
    time_max_s: number_or_null(site["time_max_s"]),
    time_min_rank: number_or_null(site["time_min_rank"]),
    time_max_rank: number_or_null(site["time_max_rank"]),
    before_s: number_or_null(site["before_s"]),
    ranks: number_or_null(site["ranks"]),
  };
}

function read_matrix(matrix: JsonObject, world_size: number): Matrix {
  const size = number(matrix["size"], world_size);
  const traffic = (value: unknown): Traffic[] =>
    list(value)
      .map(numbers)
      .flatMap(([from, to, messages, bytes]) =>
        from !== undefined && to !== undefined && from >= 0 && to >= 0 && from < size && to < size
          ? [{ from, to, messages: messages ?? 0, bytes: bytes ?? 0 }]
          : [],
      );
  return {
    size,
    nodes: numbers(matrix["nodes"]),
    point_to_point: traffic(matrix["point_to_point"]),
    collective: traffic(matrix["collective"]),
    left_out: number(matrix["left_out"]),
    ranks_per_cell: number(matrix["ranks_per_cell"], 1),
  };
}
