// SPDX-License-Identifier: BSD-3-Clause
// What a run used besides time: counted events, memory, files.
import { is_object, list, number, number_or_null, object, objects, text } from "./reader";
import type { JsonObject } from "./reader";

/** Counts by event, in the order of the events; null: not counted. */
export type Counts = readonly (number | null)[];

export interface CountedEvent {
  name: string;
  threads: number;
  problem: string;
  /** The part of the time in which it counted; the rest is estimated. */
  counted: number;
}
export interface CountedRegion {
  /** Empty: the whole run. */
  region: string;
  outside: Counts;
  inside: Counts;
}
/** A figure that follows from counts, beside its bound. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  bound: number | null;
  bound_name: string;
}
export interface DerivedFigure extends Figure {
  /** Empty: the whole run. */
  region: string;
}
/** Counts of a phase. */
export interface PhaseCounters {
  events: string[];
  outside: Counts;
  inside: Counts;
  ranks: { rank: number; outside: Counts; inside: Counts }[];
  derived: Figure[];
}
export interface Energy {
  host: string;
  name: string;
  joules: number;
  watts: number;
}
/** A point of the roofline model. */
export interface RooflinePoint {
  /** -1: a node, the mean of all. */
  rank: number;
  /** Empty: the whole run. */
  region: string;
  /** Floating-point operations per byte of memory traffic. */
  intensity: number;
  gflops: number;
}
export interface Roofline {
  points: RooflinePoint[];
  /** Memory bandwidths. */
  bounds: { name: string; gbs: number }[];
  /** Peak speeds of the cores. */
  peaks: { name: string; gflops: number }[];
  /** What was not measured; empty: nothing. */
  missing: string;
}
export interface Counters {
  events: CountedEvent[];
  regions: CountedRegion[];
  derived: DerivedFigure[];
  energy: Energy[];
  roofline: Roofline;
  readings: number;
  reading_ns: number;
  overhead: number;
}

export interface RankMemory {
  rank: number;
  host: string;
  peak: number;
  resident: number;
  minor_faults: number;
  major_faults: number;
  allocations: number;
  heap_peak: number;
  heap_live: number;
  /** CPU time in the program and in the kernel; null: not recorded. */
  user_s: number | null;
  system_s: number | null;
}
export interface HostMemory {
  host: string;
  peak: number;
  limit: number;
  limit_name: string;
}
export interface MemorySeries {
  rank: number;
  /** Seconds since MPI_Init, resident bytes. */
  points: [number, number][];
}
export interface Memory {
  heap: boolean;
  ranks: RankMemory[];
  hosts: HostMemory[];
  series: MemorySeries[];
}

export interface Calls {
  calls: number;
  bytes: number;
  time_s: number;
}
export interface FileUse {
  path: string;
  kind: string;
  ranks: number;
  writers: number;
  read: Calls;
  write: Calls;
  /** Open, close, stat and the like. */
  metadata: Calls;
  time_s: number;
}
export interface IoSeries {
  rank: number;
  /** Seconds since MPI_Init, bytes read and written since the point before. */
  points: [number, number, number][];
}
export interface Io {
  measured: boolean;
  files: FileUse[];
  series: IoSeries[];
}

function read_counts(value: unknown): Counts {
  return list(value).map(number_or_null);
}

function read_roofline(value: JsonObject): Roofline {
  return {
    points: objects(value["points"], (point) => ({
      rank: number(point["rank"], -1),
      region: text(point["region"]),
      intensity: number(point["intensity"]),
      gflops: number(point["gflops"]),
    })),
    bounds: objects(value["bounds"], (bound) => ({
      name: text(bound["name"]),
      gbs: number(bound["gbs"]),
    })),
    peaks: objects(value["peaks"], (peak) => ({
      name: text(peak["name"]),
      gflops: number(peak["gflops"]),
    })),
    missing: text(value["missing"]),
  };
}

function read_figure(figure: JsonObject): Figure {
  return {
    name: text(figure["name"]),
    value: number(figure["value"]),
    unit: text(figure["unit"]),
    bound: number_or_null(figure["bound"]),
    bound_name: text(figure["bound_name"]),
  };
}

/** The counts of a phase; null: none. */
export function read_phase_counters(value: unknown): PhaseCounters | null {
  if (!is_object(value)) return null;
  return {
    events: list(value["events"]).map((name) => text(name)),
    outside: read_counts(value["outside"]),
    inside: read_counts(value["inside"]),
    ranks: objects(value["ranks"], (rank) => ({
      rank: number(rank["rank"], -1),
      outside: read_counts(rank["outside"]),
      inside: read_counts(rank["inside"]),
    })),
    derived: objects(value["derived"], read_figure),
  };
}

export function read_counters(value: JsonObject): Counters {
  return {
    events: objects(value["events"], (event) => ({
      name: text(event["name"]),
      threads: number(event["threads"]),
      problem: text(event["problem"]),
      counted: number(event["counted"], 1),
    })),
    regions: objects(value["regions"], (region) => ({
      region: text(region["region"]),
      outside: read_counts(region["outside"]),
      inside: read_counts(region["inside"]),
    })),
    derived: objects(value["derived"], (figure) => ({
      region: text(figure["region"]),
      ...read_figure(figure),
    })),
    energy: objects(value["energy"], (zone) => ({
      host: text(zone["host"]),
      name: text(zone["name"]),
      joules: number(zone["joules"]),
      watts: number(zone["watts"]),
    })),
    roofline: read_roofline(object(value["roofline"])),
    readings: number(value["readings"]),
    reading_ns: number(value["reading_ns"]),
    overhead: number(value["overhead"]),
  };
}

function read_point(point: unknown): [number, number][] {
  const [seconds, bytes] = list(point).map(number_or_null);
  return typeof seconds === "number" && typeof bytes === "number" ? [[seconds, bytes]] : [];
}

function read_moved(point: unknown): [number, number, number][] {
  const [seconds, read, written] = list(point).map(number_or_null);
  return typeof seconds === "number" && typeof read === "number" && typeof written === "number"
    ? [[seconds, read, written]]
    : [];
}

export function read_memory(value: JsonObject): Memory {
  return {
    heap: value["heap"] === true,
    ranks: objects(value["ranks"], (rank) => ({
      rank: number(rank["rank"], -1),
      host: text(rank["host"]),
      peak: number(rank["peak"]),
      resident: number(rank["resident"]),
      minor_faults: number(rank["minor_faults"]),
      major_faults: number(rank["major_faults"]),
      allocations: number(rank["allocations"]),
      heap_peak: number(rank["heap_peak"]),
      heap_live: number(rank["heap_live"]),
      user_s: number_or_null(rank["user_s"]),
      system_s: number_or_null(rank["system_s"]),
    })),
    hosts: objects(value["hosts"], (host) => ({
      host: text(host["host"]),
      peak: number(host["peak"]),
      limit: number(host["limit"]),
      limit_name: text(host["limit_name"]),
    })),
    series: objects(value["series"], (series) => ({
      rank: number(series["rank"], -1),
      points: list(series["points"]).flatMap(read_point),
    })),
  };
}

function read_calls(value: unknown): Calls {
  const sums = object(value);
  return {
    calls: number(sums["calls"]),
    bytes: number(sums["bytes"]),
    time_s: number(sums["time_s"]),
  };
}

function add(parts: readonly Calls[]): Calls {
  return parts.reduce((sum, part) => ({
    calls: sum.calls + part.calls,
    bytes: sum.bytes + part.bytes,
    time_s: sum.time_s + part.time_s,
  }));
}

export function read_io(value: JsonObject): Io {
  return {
    measured: value["measured"] === true,
    files: objects(value["files"], (file) => ({
      path: text(file["path"]),
      kind: text(file["kind"]),
      ranks: number(file["ranks"]),
      writers: number(file["writers"]),
      read: read_calls(file["read"]),
      write: read_calls(file["write"]),
      metadata: add(["open", "close", "meta"].map((operation) => read_calls(file[operation]))),
      time_s: number(file["time_s"]),
    })),
    series: objects(value["series"], (series) => ({
      rank: number(series["rank"], -1),
      points: list(series["points"]).flatMap(read_moved),
    })),
  };
}
