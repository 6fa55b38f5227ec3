// SPDX-License-Identifier: BSD-3-Clause
// Reads message costs in the machine file: fits of the paths, overlap, all-to-all, collectives.
import { number, number_or_null, object, objects, text } from "./reader";
import type { JsonObject } from "./reader";
import { read_statistic, with_statistic } from "./statistic";
import type { Statistic } from "./statistic";

/** A fitted parameter with its interval; `measured` is false for an inferred one. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
  measured: boolean;
}
export interface LogGp {
  latency_s: Estimate;
  overhead_s: Estimate;
  gap_s: Estimate;
  seconds_per_byte: Estimate;
  overhead_per_byte_s: Estimate;
  eager_limit: number;
}
export interface ProtocolSwitch {
  bytes: number;
  beyond: number;
  jump_us: number | null;
  kind: string;
}
export interface PathFits {
  loggp: LogGp | null;
  switches: ProtocolSwitch[];
}
export interface OverlapPoint {
  path: string;
  operation: string;
  protocol: string;
  bytes: number;
  work: string;
  work_us: number;
  alone_us: number;
  total_us: Statistic;
  setting: string;
}
export interface OverlapVerdict {
  path: string;
  protocol: string;
  setting: string;
  progresses: boolean;
  overlapped: number | null;
  sentence: string;
}
export interface MixedPoint {
  senders: number;
  protocol: string;
  intra_bytes: number;
  inter_bytes: number;
  intra_us: Statistic;
  inter_us: Statistic;
  both_us: Statistic;
}
export interface AllToAllPoint {
  nodes: number;
  ranks_per_node: number;
  ranks_per_socket: number;
  placement: string;
  bytes: number;
  gbs: Statistic;
}
export interface CollectivePoint {
  operation: string;
  ranks: number;
  nodes: number;
  bytes: number;
  us: Statistic;
}
export interface Messages {
  headline: string;
  overlap: OverlapPoint[];
  verdicts: OverlapVerdict[];
  mixed: MixedPoint[];
  all_to_all: AllToAllPoint[];
  collectives: CollectivePoint[];
}

function read_estimate(value: unknown): Estimate {
  const estimate = object(value);
  const middle = number(estimate["value"]);
  return {
    value: middle,
    low: number(estimate["low"], middle),
    high: number(estimate["high"], middle),
    measured: estimate["measured"] === true,
  };
}

/** LogGP and protocol switches of a path. */
export function read_path_fits(path: JsonObject): PathFits {
  const loggp = object(path["loggp"]);
  return {
    loggp:
      number_or_null(object(loggp["latency_s"])["value"]) === null
        ? null
        : {
            latency_s: read_estimate(loggp["latency_s"]),
            overhead_s: read_estimate(loggp["overhead_s"]),
            gap_s: read_estimate(loggp["gap_s"]),
            seconds_per_byte: read_estimate(loggp["seconds_per_byte"]),
            overhead_per_byte_s: read_estimate(loggp["overhead_per_byte_s"]),
            eager_limit: number(loggp["eager_limit"]),
          },
    switches: objects(path["switches"], (item) => ({
      bytes: number(item["bytes"]),
      beyond: number(item["beyond"]),
      jump_us: number_or_null(item["jump_us"]),
      kind: text(item["kind"]),
    })),
  };
}

/** Reads the points that have all three times. */
function read_mixed(value: unknown): MixedPoint[] {
  return objects(value, (item): MixedPoint[] => {
    const intra_us = read_statistic(item["intra_us"]);
    const inter_us = read_statistic(item["inter_us"]);
    const both_us = read_statistic(item["both_us"]);
    if (intra_us === null || inter_us === null || both_us === null) return [];
    return [
      {
        senders: number(item["senders"]),
        protocol: text(item["protocol"]),
        intra_bytes: number(item["intra_bytes"]),
        inter_bytes: number(item["inter_bytes"]),
        intra_us,
        inter_us,
        both_us,
      },
    ];
  }).flat();
}

/** Reads the measurements of messages other than the paths. */
export function read_messages(measured: JsonObject): Messages {
  return {
    headline: text(measured["overlap_headline"]),
    overlap: with_statistic(measured["overlap"], "total_us", (item, total_us) => ({
      path: text(item["path"]),
      operation: text(item["operation"]),
      protocol: text(item["protocol"]),
      bytes: number(item["bytes"]),
      work: text(item["work"]),
      work_us: number(item["work_us"]),
      alone_us: number(item["alone_us"]),
      total_us,
      setting: text(item["setting"]),
    })),
    verdicts: objects(measured["overlap_verdicts"], (item) => ({
      path: text(item["path"]),
      protocol: text(item["protocol"]),
      setting: text(item["setting"]),
      progresses: item["progresses"] === true,
      overlapped: number_or_null(item["overlapped"]),
      sentence: text(item["sentence"]),
    })),
    mixed: read_mixed(measured["mixed"]),
    all_to_all: with_statistic(measured["all_to_all"], "bandwidth_gbs", (item, gbs) => ({
      nodes: number(item["nodes"]),
      ranks_per_node: number(item["ranks_per_node"]),
      ranks_per_socket: number(item["ranks_per_socket"]),
      placement: text(item["placement"]),
      bytes: number(item["bytes"]),
      gbs,
    })),
    collectives: with_statistic(measured["collectives"], "time_us", (item, us) => ({
      operation: text(item["operation"]),
      ranks: number(item["ranks"]),
      nodes: number(item["nodes"]),
      bytes: number(item["bytes"]),
      us,
    })),
  };
}
