// SPDX-License-Identifier: BSD-3-Clause
// Reads the analysis of a trace (docs/schemas/analysis-1.schema.json).
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
import { read_phase_counters } from "./resources";
import type { PhaseCounters } from "./resources";

export const pop_terms = [
  "parallel",
  "cpu",
  "load_balance",
  "communication",
  "serialization",
  "transfer",
  "mpi_parallel",
  "openmp_parallel",
  "openmp_load_balance",
  "openmp_communication",
  "openmp_serial",
  "openmp_region",
] as const;
export type PopTerm = (typeof pop_terms)[number];
/** One set of efficiencies by a named definition; null: not defined there. */
export interface PopSet {
  definition: string;
  /** The set to read first. */
  recommended: boolean;
  ideal_s: number | null;
  terms: Record<PopTerm, number | null>;
}
export interface WaitState {
  kind: string;
  function: string;
  site: string;
  seconds: number;
  count: number;
  worst_rank: number | null;
  worst_s: number;
}
export interface RootCause {
  kind: string;
  rank: number | null;
  region: string;
  /** The call that ends the delaying computation, or the late receive. */
  site: string;
  seconds: number;
  own_excess_s: number;
  delayed: number[];
  /** The ranks that worked one after another, for a serialization. */
  chain: number[];
  /** The cause as a sentence; may be empty. */
  sentence: string;
}
export interface PathPart {
  rank: number;
  begin_s: number;
  end_s: number;
  kind: string;
}
export interface PathOwner {
  rank: number | null;
  kind: string;
  region: string;
  site: string;
  seconds: number;
  share: number;
}
export interface ImbalanceRow {
  rank: number;
  /** The same as `rank`, or the last of several ranks, whose means the row has. */
  last_rank: number;
  calculation_s: number;
  imbalance_s: number;
  interconnect_s: number;
  /** Waiting for a CPU, or for ranks that do. */
  cpu_wait_s: number;
}
export interface BreakdownCell {
  function: string;
  from_bytes: number;
  /** null: no upper end. */
  to_bytes: number | null;
  imbalance_s: number;
  interconnect_s: number;
  count: number;
}
export interface Phase {
  name: string;
  begin_s: number;
  end_s: number;
  repetitions: number;
  /** One repetition: median and 95 % interval, or the median alone if there are too few. */
  median_s: number;
  low_s: number;
  high_s: number;
  cv: number;
  pattern: string[];
  efficiencies: PopSet;
  /** null: the run had no counters. */
  counters: PhaseCounters | null;
}
export interface MessageClass {
  from_bytes: number;
  to_bytes: number | null;
  count: number;
  bytes: number;
  seconds: number;
  between_nodes: boolean;
  rate: number | null;
  path_rate: number | null;
}
export interface SlowTransfer {
  from: number;
  to: number;
  bytes: number;
  count: number;
  rate: number;
  path_rate: number;
  site: string;
}
export interface PairTraffic {
  from: number;
  to: number;
  count: number;
  bytes: number;
  seconds: number;
}
export interface Pattern {
  id: string;
  what: string;
  evidence: string;
  cost_s: number | null;
  remedy: string;
  ranks: number[];
  sites: string[];
}
export interface Analysis {
  /** One sentence: who made whom wait. */
  verdict: string;
  time_s: number;
  ideal_s: number | null;
  events: number;
  efficiencies: PopSet[];
  waits: WaitState[];
  /** The number of ranks in the trace. */
  ranks: number;
  causes: RootCause[];
  path_s: number;
  path: PathPart[];
  path_owners: PathOwner[];
  network: string;
  class_source: string;
  imbalance: ImbalanceRow[];
  breakdown: BreakdownCell[];
  /** By ITAC's size classes; empty when `breakdown` is. */
  itac_breakdown: BreakdownCell[];
  phases: Phase[];
  /** Share of sends and receives whose other side is not in the trace. */
  without_partner: number;
  messages: number;
  message_bytes: number;
  classes: MessageClass[];
  pairs: PairTraffic[];
  slow: SlowTransfer[];
  patterns: Pattern[];
  notes: string[];
}

function rank_or_null(value: unknown): number | null {
  const rank = number_or_null(value);
  return rank === null || rank < 0 ? null : rank;
}

function read_pop(value: JsonObject): PopSet {
  return {
    definition: text(value["definition"]),
    recommended: value["recommended"] === true,
    ideal_s: number_or_null(value["ideal_s"]),
    terms: Object.fromEntries(
      pop_terms.map((term) => [term, number_or_null(value[term])]),
    ) as Record<PopTerm, number | null>,
  };
}

function read_cell(cell: JsonObject): BreakdownCell {
  return {
    function: text(cell["function"]),
    from_bytes: number(cell["from_bytes"]),
    to_bytes: number_or_null(cell["to_bytes"]),
    imbalance_s: number(cell["imbalance_s"]),
    interconnect_s: number(cell["interconnect_s"]),
    count: number(cell["count"]),
  };
}

/** Reads an analysis of schema version 1. @throws DataError when it is something else. */
export function read_analysis(value: JsonObject): Analysis {
  check_schema(value, "plait-analysis", 1);
  const path = object(value["critical_path"]);
  const imbalance = object(value["imbalance"]);
  const messages = object(value["messages"]);
  return {
    verdict: text(value["verdict"]),
    time_s: number(value["time_s"]),
    ideal_s: number(value["ideal_s"]) || null,
    events: number(value["events"]),
    efficiencies: objects(value["efficiencies"], read_pop),
    waits: objects(value["waits"], (wait) => ({
      kind: text(wait["kind"]),
      function: text(wait["function"]),
      site: text(wait["site"]),
      seconds: number(wait["seconds"]),
      count: number(wait["count"]),
      worst_rank: rank_or_null(wait["worst_rank"]),
      worst_s: number(wait["worst_s"]),
    })),
    ranks: number(
      value["traced_ranks"],
      number(value["rank_count"], numbers(value["waiting_s"]).length),
    ),
    causes: objects(value["causes"], (cause) => ({
      kind: text(cause["kind"]),
      rank: rank_or_null(cause["rank"]),
      region: text(cause["region"]),
      site: text(cause["site"]),
      seconds: number(cause["seconds"]),
      own_excess_s: number(cause["own_excess_s"]),
      delayed: numbers(cause["delayed"]),
      chain: numbers(cause["chain"]),
      sentence: text(cause["sentence"]),
    })),
    path_s: number(path["seconds"]),
    path: objects(path["parts"], (part) => ({
      rank: number(part["rank"]),
      begin_s: number(part["begin_s"]),
      end_s: number(part["end_s"]),
      kind: text(part["kind"]),
    })),
    path_owners: objects(path["owners"], (owner) => ({
      rank: rank_or_null(owner["rank"]),
      kind: text(owner["kind"]),
      region: text(owner["region"]),
      site: text(owner["site"]),
      seconds: number(owner["seconds"]),
      share: number(owner["share"]),
    })),
    network: text(imbalance["network"]),
    class_source: text(imbalance["class_source"]),
    imbalance: objects(imbalance["ranks"], (row) => ({
      rank: number(row["rank"]),
      last_rank: number(row["last_rank"], number(row["rank"])),
      calculation_s: number(row["calculation_s"]),
      imbalance_s: number(row["imbalance_s"]),
      interconnect_s: number(row["interconnect_s"]),
      cpu_wait_s: number(row["cpu_wait_s"]),
    })),
    breakdown: objects(imbalance["cells"], read_cell),
    itac_breakdown: objects(imbalance["itac_cells"], read_cell),
    phases: objects(value["phases"], (phase) => ({
      name: text(phase["name"]),
      begin_s: number(phase["begin_s"]),
      end_s: number(phase["end_s"]),
      repetitions: number(phase["repetitions"], 1),
      median_s: number(phase["median_s"]),
      low_s: number(phase["low_s"], number(phase["median_s"])),
      high_s: number(phase["high_s"], number(phase["median_s"])),
      cv: number(phase["cv"]),
      pattern: texts(phase["pattern"]),
      efficiencies: read_pop(object(phase["efficiencies"])),
      counters: read_phase_counters(phase["counters"]),
    })),
    without_partner: number(value["without_partner"]),
    messages: number(messages["messages"]),
    message_bytes: number(messages["bytes"]),
    classes: objects(messages["classes"], (one) => ({
      from_bytes: number(one["from_bytes"]),
      to_bytes: number_or_null(one["to_bytes"]),
      count: number(one["count"]),
      bytes: number(one["bytes"]),
      seconds: number(one["seconds"]),
      between_nodes: one["between_nodes"] === true,
      rate: number(one["rate"]) || null,
      path_rate: number(one["path_rate"]) || null,
    })),
    pairs: objects(messages["pairs"], (pair) => ({
      from: number(pair["from"]),
      to: number(pair["to"]),
      count: number(pair["count"]),
      bytes: number(pair["bytes"]),
      seconds: number(pair["seconds"]),
    })),
    slow: objects(messages["slow"], (slow) => ({
      from: number(slow["from"]),
      to: number(slow["to"]),
      bytes: number(slow["bytes"]),
      count: number(slow["count"]),
      rate: number(slow["rate"]),
      path_rate: number(slow["path_rate"]),
      site: text(slow["site"]),
    })),
    patterns: objects(value["patterns"], (pattern) => ({
      id: text(pattern["id"]),
      what: text(pattern["what"]),
      evidence: text(pattern["evidence"]),
      cost_s: number(pattern["cost_s"]) || null,
      remedy: text(pattern["remedy"]),
      ranks: numbers(pattern["ranks"]),
      sites: texts(pattern["sites"]),
    })),
    notes: texts(value["notes"]),
  };
}
