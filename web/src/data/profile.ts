// SPDX-License-Identifier: BSD-3-Clause
// The profile of a run, as docs/schemas/profile-1.schema.json defines it.
import {
  check_schema,
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

export type EfficiencyKind = "measured" | "lower bound" | "not measured";
export interface Efficiency {
  value: number | null;
  kind: EfficiencyKind;
  note: string;
}
export const efficiency_names = [
  "parallel",
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
  cpu_taken_s: number | null;
  voluntary_switches: number | null;
  involuntary_switches: number | null;
}
export interface Call {
  name: string;
  count: number;
  bytes: number;
  time_s: number;
  max_s: number | null;
}
export interface Frame {
  func: string;
  file: string | null;
  line: number | null;
  module: string | null;
  offset: string | null;
}
export interface Site {
  id: number;
  call: string;
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
}
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
  mend: string;
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

export interface Profile {
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
  cpu_taken_fraction: number | null;
  verdict: string;
  efficiency_definition: string;
  efficiencies: Record<EfficiencyName, Efficiency>;
  ranks: Rank[];
  calls: Call[];
  sites: Site[];
  communicators: Communicator[];
  peer_classes: PeerClass[];
  sizes: SizeClass[];
  matrix: Matrix;
  openmp: Openmp;
  regions: Region[];
  placed_threads: PlacedThread[];
  placement_judgement: string;
  findings: Finding[];
  overhead: Overhead;
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
    cpu_taken_fraction: number_or_null(value["cpu_taken_fraction"]),
    verdict: text(value["verdict"]),
    efficiency_definition: text(efficiencies["definition"]),
    efficiencies: Object.fromEntries(
      efficiency_names.map((name) => [name, read_efficiency(efficiencies[name])]),
    ) as Record<EfficiencyName, Efficiency>,
    ranks,
    calls: objects(value["calls"], (call) => ({
      name: text(call["name"]),
      count: number(call["count"]),
      bytes: number(call["bytes"]),
      time_s: number(call["time_s"]),
      max_s: number_or_null(call["max_s"]),
    })),
    sites: objects(value["sites"], (site) => read_site(site)),
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
    openmp: read_openmp(object(value["openmp"])),
    regions: objects(value["regions"], (region) => ({
      name: text(region["name"]),
      count: number(region["count"]),
      time_s: number(region["time_s"]),
      mpi_s: number_or_null(region["mpi_s"]),
      ranks: number_or_null(region["ranks"]),
    })),
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
      mend: text(finding["mend"]),
    })),
    overhead: read_overhead(object(value["overhead"])),
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
    cpu_taken_s: number_or_null(rank["cpu_taken_s"]),
    voluntary_switches: number_or_null(rank["voluntary_switches"]),
    involuntary_switches: number_or_null(rank["involuntary_switches"]),
  };
}

function read_site(site: JsonObject): Site {
  return {
    id: number(site["id"]),
    call: text(site["call"]),
    frames: objects(site["frames"], (frame) => ({
      func: text(frame["function"]),
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
  };
}

function read_openmp(openmp: JsonObject): Openmp {
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

/** The signal by name where Linux numbers it alike on all processors. */
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
