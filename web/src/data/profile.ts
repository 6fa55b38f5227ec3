// SPDX-License-Identifier: BSD-3-Clause
// Reads the profile of a run (docs/schemas/profile-1.schema.json).
import { read_calls } from "./calls";
import type { Calls } from "./calls";
import { read_difference, read_functions, read_hot_spots } from "./computation";
import type { Difference, HotSpot, InstrumentedFunction } from "./computation";
import { read_openmp } from "./openmp";
import type { Openmp } from "./openmp";
import {
  check_schema,
  number,
  number_or_null,
  numbers,
  object,
  objects,
  text,
  texts,
} from "./reader";
import type { JsonObject } from "./reader";
import { read_remapping } from "./remapping";
import type { Remapping } from "./remapping";
import { read_counters, read_io, read_memory } from "./resources";
import type { Counters, Io, Memory } from "./resources";

export type EfficiencyKind = "measured" | "lower bound" | "not measured";
export interface Efficiency {
  value: number | null;
  kind: EfficiencyKind;
  note: string;
}
export const efficiency_names = [
  "parallel",
  "cpu",
  "load_balance",
  "communication",
  "transfer",
  "serialization",
  "threads",
] as const;
export type EfficiencyName = (typeof efficiency_names)[number];

export interface Rank {
  rank: number;
  host: string;
  pid: number | null;
  state: string;
  wall_s: number;
  mpi_s: number;
  compute_s: number;
  omp_idle_s: number | null;
  threads: number;
  calls: number;
  bytes: number;
  cpu_s: number | null;
  /** Time that its threads were ready to run, but had no CPU. */
  cpu_wait_s: number | null;
  voluntary_switches: number | null;
  involuntary_switches: number | null;
  /** Ranks up to this one have the row in common, which is their mean. */
  last_rank: number;
  /** The least and most computation of these ranks. */
  compute_least_s: number;
  compute_most_s: number;
}
/** Ranks that behave alike. */
export interface RankGroup {
  /** "0-16,18-63" */
  ranks: string;
  count: number;
  typical_rank: number;
  compute: Spread;
  mpi: Spread;
  omp_idle: Spread;
  cpu_wait: Spread;
}
/** Ranks of a heterogeneous job that run the same program with as many threads; times are sums. */
export interface Part {
  program: string;
  /** "0-3,8" */
  ranks: string;
  count: number;
  least_threads: number;
  most_threads: number;
  wall_s: number;
  compute_s: number;
  cpu_wait_s: number;
  mpi_s: number;
  omp_idle_s: number;
}
/** Of the ranks of a group, s. */
export interface Spread {
  min: number;
  median: number;
  max: number;
}
export interface Region {
  name: string;
  count: number;
  time_s: number;
  mpi_s: number | null;
  ranks: number | null;
}
export interface PlacedThread {
  host: string;
  rank: number;
  thread: number;
  tid: number | null;
  cpus: string;
  cores: number[];
  numa: number[];
  phase: string;
}
export interface Finding {
  id: string;
  severity: string;
  what: string;
  evidence: string;
  cost: string;
  fix: string;
}
export interface Overhead {
  ns_per_call: number | null;
  calls: number | null;
  total_s: number | null;
  fraction: number | null;
  lost_records: number;
  unseen_entry_points: string[];
}
export interface Host {
  name: string;
  ranks: number | null;
}

export interface Profile extends Calls {
  plait_version: string;
  created: string;
  command: string[];
  exit_code: number | null;
  signal: string | null;
  wall_s: number | null;
  hosts: Host[];
  cpu_model: string;
  mpi_abi: string;
  mpi_library: string;
  launcher_kind: string;
  launcher_version: string;
  launcher_path: string;
  omp_runtime: string;
  thread_level: string;
  machine_file: string;
  world_size: number;
  ranks_recorded: number;
  complete: boolean;
  missing: string[];
  notes: string[];
  cpu_wait_fraction: number | null;
  verdict: string;
  efficiency_definition: string;
  efficiencies: Record<EfficiencyName, Efficiency>;
  ranks: Rank[];
  /** Empty for few ranks. */
  rank_groups: RankGroup[];
  /** Empty: all ranks run one program with as many threads. */
  parts: Part[];
  openmp: Openmp;
  regions: Region[];
  counters: Counters;
  memory: Memory;
  io: Io;
  placed_threads: PlacedThread[];
  placement_judgement: string;
  findings: Finding[];
  overhead: Overhead;
  /** Empty: the run was not sampled. */
  hot_spots: HotSpot[];
  /** null: ranks do not differ, or the run was not sampled. */
  difference: Difference | null;
  /** Empty: the run was not instrumented. */
  functions: InstrumentedFunction[];
  /** null: the run had no --remap. */
  remapping: Remapping | null;
  next: string;
}

/** Reads a profile of schema version 1. @throws DataError when it is something else. */
export function read_profile(value: JsonObject): Profile {
  check_schema(value, "plait-profile", 1);
  const context = object(value["context"]);
  const mpi = object(context["mpi"]);
  const launcher = object(context["launcher"]);
  const placement = object(value["placement"]);
  const efficiencies = object(value["efficiencies"]);
  const ranks = objects(value["ranks"], read_rank);
  const world_size = number(value["world_size"], ranks.length);
  return {
    plait_version: text(value["plait_version"]),
    created: text(value["created"]),
    command: texts(value["command"]),
    exit_code: number_or_null(value["exit_code"]),
    signal: read_signal(value["signal"]),
    wall_s: number_or_null(value["wall_s"]),
    hosts: objects(context["hosts"], (host) => ({
      name: text(host["name"]),
      ranks: number_or_null(host["ranks"]),
    })),
    cpu_model: text(context["cpu_model"]),
    mpi_abi: text(mpi["abi"]),
    mpi_library: text(mpi["library"]),
    launcher_kind: text(launcher["kind"]),
    launcher_version: text(launcher["version"]),
    launcher_path: text(launcher["path"]),
    omp_runtime: text(context["omp_runtime"]),
    thread_level: text(context["thread_level"]),
    machine_file: text(context["machine_file"]),
    world_size,
    ranks_recorded: number(value["ranks_recorded"], ranks.length),
    complete: value["complete"] !== false,
    missing: texts(value["missing"]),
    notes: texts(value["notes"]),
    cpu_wait_fraction: number_or_null(value["cpu_taken_fraction"]),
    verdict: text(value["verdict"]),
    efficiency_definition: text(efficiencies["definition"]),
    efficiencies: Object.fromEntries(
      efficiency_names.map((name) => [name, read_efficiency(efficiencies[name])]),
    ) as Record<EfficiencyName, Efficiency>,
    ranks,
    rank_groups: objects(value["rank_groups"], read_group),
    parts: objects(value["parts"], read_part),
    ...read_calls(value, world_size),
    openmp: read_openmp(object(value["openmp"])),
    regions: objects(value["regions"], (region) => ({
      name: text(region["name"]),
      count: number(region["count"]),
      time_s: number(region["time_s"]),
      mpi_s: number_or_null(region["mpi_s"]),
      ranks: number_or_null(region["ranks"]),
    })),
    counters: read_counters(object(value["counters"])),
    memory: read_memory(object(value["memory"])),
    io: read_io(object(value["io"])),
    placed_threads: objects(placement["threads"], (thread) => ({
      host: text(thread["host"]),
      rank: number(thread["rank"], -1),
      thread: number(thread["thread"]),
      tid: number_or_null(thread["tid"]),
      cpus: text(thread["cpus"]),
      cores: numbers(thread["cores"]),
      numa: numbers(thread["numa"]),
      phase: text(thread["phase"]),
    })),
    placement_judgement: text(placement["judgement"]),
    findings: objects(value["findings"], (finding) => ({
      id: text(finding["id"]),
      severity: text(finding["severity"], "info"),
      what: text(finding["what"]),
      evidence: text(finding["evidence"]),
      cost: text(finding["cost"]),
      fix: text(finding["mend"]),
    })),
    overhead: read_overhead(object(value["overhead"])),
    hot_spots: read_hot_spots(value["computation"]),
    difference: read_difference(value["computation"]),
    functions: read_functions(value["functions"]),
    remapping: read_remapping(value["remapping"]),
    next: text(value["next"]),
  };
}

function read_efficiency(value: unknown): Efficiency {
  const efficiency = object(value);
  const read = number_or_null(efficiency["value"]);
  const kind = efficiency["kind"];
  const known = kind === "measured" || kind === "lower bound" ? kind : "not measured";
  return {
    value: known === "not measured" ? null : read,
    kind: read === null ? "not measured" : known,
    note: text(efficiency["note"]),
  };
}

function read_rank(rank: JsonObject): Rank {
  return {
    rank: number(rank["rank"]),
    host: text(rank["host"]),
    pid: number_or_null(rank["pid"]),
    state: text(rank["state"]),
    wall_s: number(rank["wall_s"]),
    mpi_s: number(rank["mpi_s"]),
    compute_s: number(rank["compute_s"]),
    omp_idle_s: number_or_null(rank["omp_idle_s"]),
    threads: number(rank["threads"], 1),
    calls: number(rank["calls"]),
    bytes: number(rank["bytes"]),
    cpu_s: number_or_null(rank["cpu_s"]),
    cpu_wait_s: number_or_null(rank["cpu_taken_s"]),
    voluntary_switches: number_or_null(rank["voluntary_switches"]),
    involuntary_switches: number_or_null(rank["involuntary_switches"]),
    last_rank: number(rank["last_rank"], number(rank["rank"])),
    compute_least_s: number(rank["compute_least_s"], number(rank["compute_s"])),
    compute_most_s: number(rank["compute_most_s"], number(rank["compute_s"])),
  };
}

function read_group(group: JsonObject): RankGroup {
  const spread = (name: string): Spread => {
    const of = object(group[name]);
    return { min: number(of["min"]), median: number(of["median"]), max: number(of["max"]) };
  };
  return {
    ranks: text(group["ranks"]),
    count: number(group["count"]),
    typical_rank: number(group["typical_rank"]),
    compute: spread("compute_s"),
    mpi: spread("mpi_s"),
    omp_idle: spread("omp_idle_s"),
    cpu_wait: spread("compute_wait_s"),
  };
}

function read_part(part: JsonObject): Part {
  return {
    program: text(part["program"]),
    ranks: text(part["ranks"]),
    count: number(part["count"]),
    least_threads: number(part["least_threads"]),
    most_threads: number(part["most_threads"]),
    wall_s: number(part["wall_s"]),
    compute_s: number(part["compute_s"]),
    cpu_wait_s: number(part["cpu_wait_s"]),
    mpi_s: number(part["mpi_s"]),
    omp_idle_s: number(part["omp_idle_s"]),
  };
}

function read_overhead(overhead: JsonObject): Overhead {
  return {
    ns_per_call: number(overhead["ns_per_call"]) || null,
    calls: number_or_null(overhead["calls"]),
    total_s: number_or_null(overhead["total_s"]),
    fraction: number_or_null(overhead["fraction"]),
    lost_records: number(overhead["lost_records"]),
    unseen_entry_points: texts(overhead["unseen_entry_points"]),
  };
}

/** The name of a signal that has the same number on all processors under Linux. */
function read_signal(value: unknown): string | null {
  const names: Readonly<Record<number, string>> = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL",
    6: "SIGABRT",
    8: "SIGFPE",
    9: "SIGKILL",
    11: "SIGSEGV",
    13: "SIGPIPE",
    14: "SIGALRM",
    15: "SIGTERM",
  };
  const signal = number_or_null(value);
  return signal === null ? null : (names[signal] ?? `signal ${signal}`);
}
