// SPDX-License-Identifier: BSD-3-Clause
// Reads the data of `plait apply --html`: alternating runs without and with a plan.
import { check_schema, number, object, objects, text, text_or_null, texts } from "./reader";
import type { JsonObject } from "./reader";

export interface Ratio {
  value: number;
  low: number;
  high: number;
}
export interface Pair {
  before_s: number;
  after_s: number;
}
export interface Quarantined {
  settings: string;
  outcome: string;
  reason: string;
}
export interface Applied {
  verdict: string;
  plan: string;
  created: string;
  host: string;
  timed: string;
  before: readonly string[];
  after: readonly string[];
  pairs: readonly Pair[];
  ratio: Ratio | null;
  predicted: Ratio | null;
  predicted_of: string;
  /** A sentence: did the first run with the plan follow it? */
  seen: string | null;
  quarantined: readonly Quarantined[];
  notes: readonly string[];
}

function read_ratio(value: unknown): Ratio | null {
  const ratio = object(value);
  if (ratio["value"] === undefined) return null;
  return {
    value: number(ratio["value"]),
    low: number(ratio["low"]),
    high: number(ratio["high"]),
  };
}

/** @throws DataError when it is of another schema or version. */
export function read_applied(value: JsonObject): Applied {
  check_schema(value, "plait-apply", 1);
  return {
    verdict: text(value["verdict"]),
    plan: text(object(value["plan"])["name"]),
    created: text(value["created"]),
    host: text(value["host"]),
    timed: text(value["timed"]),
    before: texts(value["before"]),
    after: texts(value["after"]),
    pairs: objects(value["pairs"], (pair) => ({
      before_s: number(pair["before_s"]),
      after_s: number(pair["after_s"]),
    })),
    ratio: read_ratio(value["ratio"]),
    predicted: read_ratio(value["predicted"]),
    predicted_of: text(value["predicted_of"]),
    seen: text_or_null(value["seen"]),
    quarantined: objects(value["quarantined"], (entry) => ({
      settings: texts(entry["settings"]).join(" "),
      outcome: text(entry["ending"]),
      reason: text(entry["words"]),
    })),
    notes: texts(value["notes"]),
  };
}
