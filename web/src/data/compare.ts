// SPDX-License-Identifier: BSD-3-Clause
// Reads the comparison of two sides of runs that plait compare writes (plait-compare, version 1).
import {
  check_schema,
  is_object,
  number,
  number_or_null,
  object,
  objects,
  text,
  texts,
} from "./reader";
import type { JsonObject } from "./reader";

/** A figure over the runs of one side; with one run, low and high equal the median. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}
export interface FigureChange {
  name: string;
  /** "s", or "fraction": shown in percent. */
  unit: string;
  /** null: no run of this side has it. */
  a: Spread | null;
  b: Spread | null;
}
/** One MPI function: seconds are means over ranks, counts and bytes sums over ranks. */
export interface CallChange {
  name: string;
  a_s: number;
  b_s: number;
  a_count: number;
  b_count: number;
  a_bytes: number;
  b_bytes: number;
}
export interface Side {
  name: string;
  runs: number;
  command: string[];
}
/** One phase on one side, over all its pieces and runs. */
export interface PhaseSide {
  name: string;
  ranks: number;
  /** One repetition, with its interval. */
  each_s: Spread | null;
  parallel: number | null;
  load_balance: number | null;
  serialization: number | null;
  transfer: number | null;
  /** A rank's time in MPI in one repetition, and the function that takes the most of it. */
  mpi_s: number;
  top_call: string;
}
export interface PhaseChange {
  /** null: only the other side has the phase. */
  a: PhaseSide | null;
  b: PhaseSide | null;
  /** Time of a repetition in B divided by that in A. */
  ratio: Spread | null;
}
/** One sampled function: time in the function itself, mean per rank, with its 95 % interval. */
export interface FunctionChange {
  name: string;
  file: string;
  line: number;
  a: Spread | null;
  b: Spread | null;
  /** "slower", "faster", "new", "gone", or "undecided": the intervals overlap. */
  verdict: string;
}
export interface Comparison {
  sentence: string;
  a: Side;
  b: Side;
  figures: FigureChange[];
  calls: CallChange[];
  /** Empty: a side has no trace. */
  phases: PhaseChange[];
  /** Empty: a side was not sampled. */
  functions: FunctionChange[];
  findings_gone: string[];
  findings_new: string[];
  /** Other differences between the sides, or disturbances of one of them. */
  unfair: string[];
  notes: string[];
}

/** Reads a comparison of schema version 1. @throws DataError when it is something else. */
export function read_comparison(value: JsonObject): Comparison {
  check_schema(value, "plait-compare", 1);
  return {
    sentence: text(value["sentence"]),
    a: read_side(object(value["a"])),
    b: read_side(object(value["b"])),
    figures: objects(value["figures"], (figure) => ({
      name: text(figure["name"]),
      unit: text(figure["unit"]),
      a: read_spread(figure["a"]),
      b: read_spread(figure["b"]),
    })),
    calls: objects(value["calls"], (call) => ({
      name: text(call["name"]),
      a_s: number(call["a_s"]),
      b_s: number(call["b_s"]),
      a_count: number(call["a_count"]),
      b_count: number(call["b_count"]),
      a_bytes: number(call["a_bytes"]),
      b_bytes: number(call["b_bytes"]),
    })),
    phases: objects(value["phases"], (phase) => ({
      a: read_phase(phase["a"]),
      b: read_phase(phase["b"]),
      ratio: read_spread(phase["ratio"]),
    })),
    functions: objects(value["functions"], (item) => ({
      name: text(item["name"]),
      file: text(item["file"]),
      line: number(item["line"]),
      a: read_spread(item["a"]),
      b: read_spread(item["b"]),
      verdict: text(item["verdict"], "undecided"),
    })),
    findings_gone: texts(value["findings_gone"]),
    findings_new: texts(value["findings_new"]),
    unfair: texts(value["unfair"]),
    notes: texts(value["notes"]),
  };
}

function read_side(side: JsonObject): Side {
  return {
    name: text(side["name"]),
    runs: number(side["runs"], 1),
    command: texts(side["command"]),
  };
}

function read_phase(value: unknown): PhaseSide | null {
  if (!is_object(value)) return null;
  return {
    name: text(value["name"]),
    ranks: number(value["ranks"]),
    each_s: read_spread(value["each_s"]),
    parallel: number_or_null(value["parallel"]),
    load_balance: number_or_null(value["load_balance"]),
    serialization: number_or_null(value["serialization"]),
    transfer: number_or_null(value["transfer"]),
    mpi_s: number(value["mpi_s"]),
    top_call: text(value["dearest"]),
  };
}

function read_spread(value: unknown): Spread | null {
  const spread = object(value);
  const median = number_or_null(spread["median"]);
  if (median === null) return null;
  return { median, low: number(spread["low"], median), high: number(spread["high"], median) };
}
