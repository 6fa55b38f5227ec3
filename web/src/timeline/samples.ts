// SPDX-License-Identifier: BSD-3-Clause
// The samples of a thread: unpacked, found by time, and described.
import { sample_states } from "../data/samples";
import type { Samples } from "../data/samples";
import type { Packed } from "../data/timeline";
import { frame_kind_names } from "../samples/call_tree";
import type { FrameKind } from "../samples/call_tree";
import { place_text } from "../samples/place";
import { exact_time } from "./axis";
import { read_columns } from "./columns";
import type { Description } from "./describe";
import { first_above } from "./events";
import type { Row } from "./layout";
import type { Model } from "./model";

/** The callers that a description names. */
const most_callers = 6;

/** Samples by time; times in ns. */
export interface Track {
  count: number;
  /** When each was taken. */
  at: Float64Array;
  /** The begin of the time that each stands for, not before the previous sample. */
  begin: Float64Array;
  node: Uint32Array;
  state: Uint8Array;
  samples: Float64Array;
}

/** A sample under the pointer. */
export interface SampleHit {
  row: Row;
  track: Track;
  index: number;
}

const no_samples: Track = {
  count: 0,
  at: new Float64Array(0),
  begin: new Float64Array(0),
  node: new Uint32Array(0),
  state: new Uint8Array(0),
  samples: new Float64Array(0),
};

/**
 * Unpacks samples in steps; damaged data give none.
 * @param nodes  number of nodes of the call tree
 * @param period_ns  that one sample stands for
 */
export function* unpack_samples(
  packed: Packed,
  nodes: number,
  period_ns: number,
): Generator<void, Track> {
  const kinds = ["signed", "signed", "unsigned", "unsigned"] as const;
  const columns = yield* read_columns(packed.columns, packed.count, kinds);
  const [at, node_steps, states, samples] = columns ?? [];
  if (!at || !node_steps || !states || !samples) return no_samples;
  const node = new Uint32Array(packed.count);
  const state = new Uint8Array(packed.count);
  const begin = new Float64Array(packed.count);
  let last_at = 0;
  let last_node = 0;
  for (let i = 0; i < packed.count; i += 1) {
    const before = i > 0 ? last_at : -Infinity;
    last_at += at[i]!;
    last_node += node_steps[i]!;
    const is_known = last_node >= 0 && last_node < nodes && states[i]! < sample_states.length;
    if (!is_known || last_at < before) return no_samples;
    at[i] = last_at;
    node[i] = last_node;
    state[i] = states[i]!;
    begin[i] = Math.max(before, last_at - period_ns * Math.max(1, samples[i]!));
  }
  return { count: packed.count, at, begin, node, state, samples };
}

/** The kind of a sample: that of its state, or of its function in code. */
export function kind_of(sampled: Samples, track: Track, index: number): FrameKind {
  const state = sample_states[track.state[index]!] ?? "code";
  if (state !== "code") return state;
  return sampled.functions[sampled.nodes[track.node[index]!]!.function]!.kind;
}

/** The sample whose time contains `time`, or one that was taken within `tolerance`; -1: none. */
export function sample_at(track: Track, time: number, tolerance: number): number {
  const next = first_above(track.at, time);
  if (next < track.count && track.begin[next]! <= time) return next;
  if (next > 0 && time - track.at[next - 1]! <= tolerance) return next - 1;
  return next < track.count && track.begin[next]! - time <= tolerance ? next : -1;
}

/** Describes a sample: function, line, kind, thread, time and callers. */
export function describe_sample(model: Model, hit: SampleHit): Description | null {
  const { row, track, index } = hit;
  const { sampled, timeline } = model;
  const rank = timeline.ranks[row.first];
  if (sampled === null || rank === undefined) return null;
  const named = (node: number): { short: string; place: string } => {
    const { function: of, line } = sampled.nodes[node]!;
    const { short, file } = sampled.functions[of]!;
    return { short, place: place_text(file, line) };
  };
  const { short, place } = named(track.node[index]!);
  const stream = rank.streams[row.stream];
  const thread =
    stream === undefined || stream.omp_thread < 0 ? "" : `, thread ${stream.omp_thread}`;
  const rows: [string, string][] = [
    ["Place", place],
    ["Kind", frame_kind_names[kind_of(sampled, track, index)]],
    ["Rank", `${rank.rank}${thread}`],
    ["Sampled", exact_time(track.at[index]!, timeline.sample_ns / 10)],
  ];
  if (track.samples[index]! > 1) rows.push(["Samples", String(track.samples[index]!)]);
  const callers: string[] = [];
  let at = sampled.nodes[track.node[index]!]!.parent;
  for (; at >= 0; at = sampled.nodes[at]!.parent) {
    const caller = named(at);
    callers.push(caller.place === "" ? caller.short : `${caller.short} (${caller.place})`);
  }
  callers.slice(0, most_callers).forEach((caller, i) => {
    rows.push([i === 0 ? "Called from" : "", caller]);
  });
  if (callers.length > most_callers) rows.push(["", `and ${callers.length - most_callers} more`]);
  return { title: short, rows: rows.filter(([, value]) => value !== "") };
}
