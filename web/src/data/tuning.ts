// SPDX-License-Identifier: BSD-3-Clause
// Reads the data of plait tune: what was tried, what became of it, the plan.
import { check_schema, number, number_or_null, object, objects, text, texts } from "./reader";
import type { JsonObject } from "./reader";

export interface Outcome {
  name: string;
  /** Why it was tried; empty: a combination of settings. */
  reason: string;
  pairs: number;
  /** Old time / new time: median, lowest and highest of the pairs. */
  ratio: number | null;
  low: number | null;
  high: number | null;
  outcome: string;
}
export interface Tuning {
  created: string;
  host: string;
  mpi: string;
  verdict: string;
  outcomes: readonly Outcome[];
  left_out: readonly string[];
  /** Settings of what won; empty: nothing did. */
  settings: readonly string[];
  read_back: readonly string[];
  quarantined: readonly string[];
  notes: readonly string[];
  /** The tuned command, and the one that comes next. */
  command: readonly string[];
  next: readonly string[];
  runs: number;
  error_rate: number;
}

function read_outcome(value: JsonObject): Outcome {
  const ratio = object(value["ratio"]);
  return {
    name: text(value["name"]),
    reason: text(value["reason"]),
    pairs: number(value["pairs"]),
    ratio: number_or_null(ratio["value"]),
    low: number_or_null(ratio["low"]),
    high: number_or_null(ratio["high"]),
    outcome: text(value["outcome"]),
  };
}

/** @throws DataError when it is of another schema or version. */
export function read_tuning(value: JsonObject): Tuning {
  check_schema(value, "plait-tune", 1);
  const result = object(value["result"]);
  return {
    created: text(value["created"]),
    host: text(value["host"]),
    mpi: text(object(value["mpi"])["title"]),
    verdict: text(result["sentence"]),
    outcomes: objects(value["outcomes"], read_outcome),
    left_out: texts(value["left_out"]),
    settings: texts(object(value["plan"])["settings"]),
    read_back: texts(result["read_back"]),
    quarantined: texts(value["quarantined"]),
    notes: texts(value["notes"]),
    command: texts(value["command"]),
    next: texts(value["next"]),
    runs: number(result["runs"]),
    error_rate: number(value["error_rate"]),
  };
}
