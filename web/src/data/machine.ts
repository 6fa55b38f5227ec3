// SPDX-License-Identifier: BSD-3-Clause
// Reads the machine file (docs/schemas/machine-1.schema.json).
import {
  check_schema,
  is_object,
  number,
  number_or_null,
  numbers,
  object,
  objects,
  text,
  texts,
} from "./reader";
import type { JsonObject } from "./reader";
import { bytes } from "../format";
import { read_messages, read_path_fits } from "./messages";
import type { Messages, PathFits } from "./messages";
import { read_statistic, with_statistic } from "./statistic";
import type { Statistic } from "./statistic";

export interface Group {
  kind: "package" | "numa" | "cache";
  id: number;
  label: string;
  cores: number[];
}
export interface Core {
  id: number;
  pus: number[];
}
export interface Topology {
  groups: Group[];
  cores: Core[];
  total_pus: number;
  allowed_pus: string;
  allowed_cores: number | null;
  cgroup_quota_cores: number | null;
}
export interface Stream {
  kernel: string;
  non_temporal: boolean;
  threads: number;
  array_bytes: number;
  gbs: Statistic;
}
export interface Jacobi {
  cores: number;
  grid: number[];
  non_temporal: boolean;
  /** The bound from STREAM copy; null: not measured. */
  limit_mlups: number | null;
  mlups: Statistic;
}
/** One size of a curve; `us` is one way (ping-pong, copy) or one exchange (ping-ping). */
export interface PingPong {
  bytes: number;
  us: Statistic;
  gbs: number | null;
}
export interface MultiPair {
  pairs: number;
  bytes: number;
  gbs: Statistic;
}
/** The ping-pong of one pair of cores. */
export interface PairCurve {
  pair: number[];
  pingpong: PingPong[];
}
export interface Path {
  id: string;
  name: string;
  pairs: number[][];
  pairs_total: number | null;
  pingpong: PingPong[];
  pingping: PingPong[];
  off_cache: PingPong[];
  memcpy: PingPong[];
  bare_pingping: PingPong[];
  line_us: Statistic | null;
  multi_pair: MultiPair[];
  bare_multi_pair: MultiPair[];
  multi_pair_pingping: MultiPair[];
  by_pair: PairCurve[];
  fits: PathFits;
}
export interface Measured {
  quick: boolean;
  duration_s: number | null;
  source: string;
  mpi_library: string;
  sentinel_changed: boolean;
  sentinel_spread: number | null;
  stream: Stream[];
  jacobi: Jacobi[];
  paths: Path[];
  messages: Messages;
}
export interface Machine {
  plait_version: string;
  created: string;
  host: string;
  origin: string;
  cpu_model: string;
  os: string;
  notes: string[];
  topology: Topology;
  measured: Measured | null;
}

/** Reads a machine file of schema version 1. @throws DataError when it is something else. */
export function read_machine(value: JsonObject): Machine {
  check_schema(value, "plait-machine", 1);
  const measured = value["measured"];
  return {
    plait_version: text(value["plait_version"]),
    created: text(value["created"]),
    host: text(value["host"]),
    origin: text(value["origin"]),
    cpu_model: text(value["cpu_model"]),
    os: text(value["os"]),
    notes: texts(value["notes"]),
    topology: read_topology(object(value["topology"])),
    measured: is_object(measured) ? read_measured(measured) : null,
  };
}

function read_topology(topology: JsonObject): Topology {
  const packages = objects(topology["packages"], (item): Group => ({
    kind: "package",
    id: number(item["id"]),
    label: `Package ${number(item["id"])}`,
    cores: numbers(item["cores"]),
  }));
  const numa = objects(topology["numa_nodes"], (item): Group => {
    const memory_bytes = number_or_null(item["memory_bytes"]);
    const memory = memory_bytes === null ? "" : ` · ${bytes(memory_bytes)}`;
    return {
      kind: "numa",
      id: number(item["id"]),
      label: `NUMA ${number(item["id"])}${memory}`,
      cores: numbers(item["cores"]),
    };
  });
  const caches = objects(topology["caches"], (item) => ({
    level: number(item["level"]),
    type: text(item["type"]),
    size: number_or_null(item["size_bytes"]),
    cores: numbers(item["cores"]),
  }))
    .filter((cache) => cache.level === 3 || (cache.level === 2 && cache.cores.length > 1))
    .map((cache, index): Group => ({
      kind: "cache",
      id: index,
      label: `L${cache.level}${cache.size === null ? "" : ` ${bytes(cache.size)}`}`,
      cores: cache.cores,
    }));
  return {
    groups: [...packages, ...numa, ...caches],
    cores: objects(topology["cores"], (core) => ({
      id: number(core["id"]),
      pus: numbers(core["pus"]),
    })),
    total_pus: number(topology["total_pus"]),
    allowed_pus: text(topology["allowed_pus"]),
    allowed_cores: number_or_null(topology["allowed_cores"]),
    cgroup_quota_cores: number_or_null(topology["cgroup_quota_cores"]),
  };
}

function read_pingpong(value: unknown, statistic: string): PingPong[] {
  return with_statistic(value, statistic, (item, us) => ({
    bytes: number(item["bytes"]),
    us,
    gbs: number_or_null(item["bandwidth_gbs"]),
  })).sort((a, b) => a.bytes - b.bytes);
}

function read_path(path: JsonObject): Path {
  return {
    id: text(path["id"]),
    name: text(path["name"], text(path["id"])),
    pairs: Array.isArray(path["pairs"]) ? path["pairs"].map(numbers) : [],
    pairs_total: number_or_null(path["pairs_total"]),
    pingpong: read_pingpong(path["mpi_pingpong"], "half_round_trip_us"),
    pingping: read_pingpong(path["mpi_pingping"], "time_us"),
    bare_pingping: read_pingpong(path["bare_pingping"], "time_us"),
    off_cache: read_pingpong(path["mpi_pingpong_off_cache"], "half_round_trip_us"),
    memcpy: read_pingpong(path["bare_memcpy"], "one_way_us"),
    line_us: read_statistic(path["bare_line_us"]),
    multi_pair: read_multi_pair(path["mpi_multi_pair"]),
    bare_multi_pair: read_multi_pair(path["bare_multi_pair"]),
    multi_pair_pingping: read_multi_pair(path["mpi_multi_pair_pingping"]),
    by_pair: objects(path["by_pair"], (item) => ({
      pair: numbers(item["pair"]),
      pingpong: read_pingpong(item["mpi_pingpong"], "half_round_trip_us"),
    })),
    fits: read_path_fits(path),
  };
}

function read_multi_pair(value: unknown): MultiPair[] {
  return with_statistic(value, "bandwidth_gbs", (item, gbs) => ({
    pairs: number(item["pairs"]),
    bytes: number(item["bytes"]),
    gbs,
  }));
}

function read_measured(measured: JsonObject): Measured {
  const sentinel = object(measured["sentinel"]);
  return {
    quick: measured["quick"] === true,
    duration_s: number_or_null(measured["duration_s"]),
    source: text(measured["source"]),
    mpi_library: text(object(measured["mpi"])["library"]),
    sentinel_changed: sentinel["changed"] === true,
    sentinel_spread: number_or_null(sentinel["spread"]),
    stream: with_statistic(measured["stream"], "gbs", (item, gbs) => ({
      kernel: text(item["kernel"]),
      non_temporal: item["non_temporal"] === true,
      threads: number(item["threads"]),
      array_bytes: number(item["array_bytes"]),
      gbs,
    })),
    jacobi: with_statistic(measured["jacobi"], "mlups", (item, mlups) => ({
      cores: number(item["cores"]),
      grid: numbers(item["grid"]),
      non_temporal: item["non_temporal"] === true,
      limit_mlups: typeof item["limit_mlups"] === "number" ? item["limit_mlups"] : null,
      mlups,
    })),
    paths: objects(measured["paths"], read_path),
    messages: read_messages(measured),
  };
}
