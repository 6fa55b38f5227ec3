// SPDX-License-Identifier: BSD-3-Clause
// Reads the data of plait sweep: points with their medians, fitted laws, verdicts.
import { check_schema, list, number, number_or_null, object, objects, text, texts } from "./reader";
import type { JsonObject } from "./reader";

export interface SweepPoint {
  name: string;
  values: Readonly<Record<string, string>>;
  cores: number;
  command: readonly string[];
  runs: number;
  /** The folder of its first run; empty: none. */
  folder: string;
  value: number | null;
  low: number | null;
  high: number | null;
  wall_s: number | null;
  speedup: number | null;
  efficiency: number | null;
  karp_flatt: number | null;
  loses: string;
  core_hours: number | null;
  node_bytes: number | null;
  series: number | null;
  /** Why it was not measured; empty: it was. */
  problem: string;
}
export interface Fit {
  law: string;
  sentence: string;
  /** Cores, and the figure of merit. */
  curve: readonly (readonly [number, number])[];
}
export interface Series {
  name: string;
  fits: readonly Fit[];
}
export interface Sweep {
  created: string;
  host: string;
  /** The figure of merit as text. */
  compared: string;
  unit: string;
  verdicts: readonly string[];
  parameters: readonly string[];
  points: readonly SweepPoint[];
  series: readonly Series[];
  best: readonly number[];
  recommended: number | null;
}

function read_point(point: JsonObject): SweepPoint {
  const result = object(point["result"]);
  const values = object(point["values"]);
  const runs = objects(point["runs"], (run) => text(run["folder"]));
  return {
    name: text(point["name"]),
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)])),
    cores: number(point["cores"], number(point["ranks"], 1) * number(point["threads"], 1)),
    command: texts(point["command"]),
    runs: runs.length,
    folder: runs[0] ?? "",
    value: number_or_null(result["value"]),
    low: number_or_null(result["low"]),
    high: number_or_null(result["high"]),
    wall_s: number_or_null(result["wall_s"]),
    speedup: number_or_null(result["speedup"]),
    efficiency: number_or_null(result["efficiency"]),
    karp_flatt: number_or_null(result["karp_flatt"]),
    loses: text(result["loses"]),
    core_hours: number_or_null(result["core_hours"]),
    node_bytes: number_or_null(result["node_bytes"]),
    series: number_or_null(result["series"]),
    problem:
      text(object(point["failure"])["problem"]) ||
      text(point["left_out"]) ||
      left_out_by_model(point),
  };
}

/** Why a smart sweep did not run a point; empty if it did. */
function left_out_by_model(point: JsonObject): string {
  if (object(point["forecast"])["value"] !== undefined) return "predicted to be worse";
  const cpus = object(point["bound"])["cpus"];
  return cpus === undefined ? "" : `no better, because its threads share ${number(cpus)} CPUs`;
}

function read_fit(fit: JsonObject): Fit {
  return {
    law: text(fit["law"]),
    sentence: text(fit["sentence"]),
    curve: list(fit["curve"]).map((point) => {
      const pair = list(point);
      return [number(pair[0]), number(pair[1])] as const;
    }),
  };
}

/** @throws DataError when it is of another schema or version. */
export function read_sweep(value: JsonObject): Sweep {
  check_schema(value, "plait-sweep", 1);
  const points = objects(value["points"], read_point);
  const workloads = objects(value["workloads"], (workload) => ({
    best: number(workload["best"]),
    recommended: number(workload["recommended"]),
  }));
  return {
    created: text(value["created"]),
    host: text(value["host"]),
    compared: text(value["compared"]),
    unit: text(object(value["figure"])["unit"]),
    verdicts: texts(value["verdicts"]),
    parameters: texts(value["parameters"]),
    points,
    series: objects(value["series"], (series) => ({
      name: text(series["name"]),
      fits: objects(series["fits"], read_fit),
    })),
    best: workloads.map(({ best }) => best),
    recommended: workloads[workloads.length - 1]?.recommended ?? null,
  };
}
