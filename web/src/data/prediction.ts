// SPDX-License-Identifier: BSD-3-Clause
// Reads the data of `plait predict jacobi --html`: curves over nodes, and measured points.
import { check_schema, number, object, objects, text, text_or_null, texts } from "./reader";
import type { JsonObject } from "./reader";

/** A speed of all nodes in MLUP/s with its interval. */
export interface Speed {
  value: number;
  low: number;
  high: number;
}
export interface PredictedPoint {
  nodes: number;
  mode: string;
  /** An upper bound that no schedule reaches. */
  bound: boolean;
  speed: Speed;
}
export interface MeasuredPoint {
  nodes: number;
  mode: string;
  runs: number;
  speed: Speed;
  /** True: a 95 % interval; false: the lowest and the highest run. */
  covers: boolean;
  predicted: Speed | null;
  shares_cores: boolean;
}
export interface Measured {
  machine: string;
  /** Describes a cluster of emulated nodes. */
  cluster: string | null;
  points: readonly MeasuredPoint[];
  notes: readonly string[];
}
export interface Prediction {
  verdict: string;
  /** "2.5: ...", of Stengel's thesis. */
  figure: string | null;
  scaling: string;
  size: string;
  host: string;
  source: string;
  created: string;
  points: readonly PredictedPoint[];
  notes: readonly string[];
  measured: Measured | null;
}

function read_speed(value: unknown): Speed {
  const speed = object(value);
  const middle = number(speed["value"]);
  return {
    value: middle,
    low: number(speed["low"], middle),
    high: number(speed["high"], middle),
  };
}

function cluster_text(value: unknown): string | null {
  const cluster = object(value);
  const nodes = number(cluster["nodes"]);
  if (nodes === 0) return null;
  const cores = number(cluster["cores_per_node"], 1);
  const megabytes = (number(cluster["bytes_per_s"]) / 1e6).toPrecision(3);
  return (
    `cluster ${text(cluster["name"])}: ${nodes} emulated nodes of ${cores} ` +
    `${cores === 1 ? "core" : "cores"}, links of ${megabytes} MB/s`
  );
}

function read_measured(value: unknown): Measured | null {
  const measured = object(value);
  const points = objects(measured["points"], (point) => ({
    nodes: number(point["nodes"]),
    mode: text(point["mode"]),
    runs: number(point["runs"]),
    speed: read_speed(point["mlups"]),
    covers: point["covers"] === true,
    predicted: point["predicted"] === null ? null : read_speed(point["predicted"]),
    shares_cores: point["shares_cores"] === true,
  }));
  if (points.length === 0) return null;
  return {
    machine: text(measured["machine"]),
    cluster: cluster_text(measured["cluster"]),
    points,
    notes: texts(measured["notes"]),
  };
}

/** @throws DataError when it is of another schema or version. */
export function read_prediction(value: JsonObject): Prediction {
  check_schema(value, "plait-predict", 1);
  const machine = object(value["machine"]);
  return {
    verdict: text(value["verdict"]),
    figure: text_or_null(value["figure"]),
    scaling: text(value["scaling"]),
    size: Array.isArray(value["size"]) ? value["size"].join(" \u00d7 ") : "",
    host: text(machine["host"]),
    source: text(machine["source"]),
    created: text(value["created"]),
    points: objects(value["predictions"], (one) =>
      objects(one["modes"], (mode) => ({
        nodes: number(one["nodes"]),
        mode: text(mode["mode"]),
        bound: mode["bound"] === true,
        speed: read_speed(mode["mlups"]),
      })),
    ).flat(),
    notes: texts(value["notes"]),
    measured: read_measured(value["measured"]),
  };
}
