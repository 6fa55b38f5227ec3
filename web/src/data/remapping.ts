// SPDX-License-Identifier: BSD-3-Clause
// What plait run --remap did: profile.json's "remapping".
import { is_object, number, object, objects, text } from "./reader";
import type { JsonObject } from "./reader";

export interface MovedRank {
  rank: number;
  /** Lists of core ids. */
  from: string;
  to: string;
}

export type MoveEffect = "faster" | "not_faster" | "another_pattern" | "unknown";

export interface Decision {
  at_s: number;
  asked: boolean;
  revert: boolean;
  interval_s: number;
  predicted_gain_s: number;
  cost_s: number;
  effect: MoveEffect;
  /** Messages per second after over before; 0: unknown. */
  speed: number;
  ranks: MovedRank[];
}

export interface Remapping {
  host: string;
  interval_s: number;
  ranks: number;
  elsewhere: number;
  intervals: number;
  /** Why Plait stopped deciding; empty: it did not. */
  stopped: string;
  decisions: Decision[];
}

function read_effect(value: unknown): MoveEffect {
  return value === "faster" || value === "not_faster" || value === "another_pattern"
    ? value
    : "unknown";
}

function read_decision(value: JsonObject): Decision {
  return {
    at_s: number(value["at_s"]),
    asked: value["asked"] === true,
    revert: value["revert"] === true,
    interval_s: number(value["interval_s"]),
    predicted_gain_s: number(value["predicted_gain_s"]),
    cost_s: number(value["cost_s"]),
    effect: read_effect(value["effect"]),
    speed: number(value["speed"]),
    ranks: objects(value["ranks"], (rank) => ({
      rank: number(rank["rank"]),
      from: text(rank["from"]),
      to: text(rank["to"]),
    })),
  };
}

/** Null if the run had no --remap. */
export function read_remapping(value: unknown): Remapping | null {
  if (!is_object(value)) return null;
  const remapping = object(value);
  return {
    host: text(remapping["host"]),
    interval_s: number(remapping["interval_s"]),
    ranks: number(remapping["ranks"]),
    elsewhere: number(remapping["elsewhere"]),
    intervals: number(remapping["intervals"]),
    stopped: text(remapping["stopped"]),
    decisions: objects(remapping["decisions"], read_decision),
  };
}
