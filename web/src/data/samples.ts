// SPDX-License-Identifier: BSD-3-Clause
// Reads sampled call stacks (plait-samples, version 1) and the source text around hot lines.
import {
  DataError,
  check_schema,
  list,
  number,
  number_or_null,
  object,
  objects,
  text,
  texts,
} from "./reader";
import type { JsonObject } from "./reader";

export const function_kinds = ["code", "mpi", "openmp", "python", "system"] as const;
export type FunctionKind = (typeof function_kinds)[number];

/** What a thread did when a sample was taken; openmp: idle in the runtime. */
export const sample_states = ["code", "mpi", "openmp", "waiting"] as const;
export type SampleState = (typeof sample_states)[number];

export interface SampledThread {
  rank: number;
  thread: number;
  kind: string;
  samples: number;
  lost: number;
  truncated: number;
}
export interface SampledFunction {
  name: string;
  short: string;
  file: string;
  /** Of the declaration; 0: unknown. */
  line: number;
  module: string;
  kind: FunctionKind;
}
export interface CallNode {
  /** Index into the nodes, before this one; -1: none. */
  parent: number;
  function: number;
  /** In the function: of the sample, or of the call; 0: unknown. */
  line: number;
  inlined: boolean;
}
export interface SampleCount {
  node: number;
  thread: number;
  state: SampleState;
  samples: number;
}
/** A phase of the run, as in the analysis of its trace. */
export interface SampledPhase {
  name: string;
  begin_s: number;
  end_s: number;
}
export interface PhaseCount extends SampleCount {
  /** Index into the phases. */
  phase: number;
}
export interface Samples {
  rate_hz: number;
  /** "cpu" or "wall". */
  clock: string;
  overhead_percent: number | null;
  threads: SampledThread[];
  functions: SampledFunction[];
  nodes: CallNode[];
  counts: SampleCount[];
  /** Empty without a trace. */
  phases: SampledPhase[];
  phase_counts: PhaseCount[];
}
/** Some lines of a source file. */
export interface SourcePart {
  file: string;
  first_line: number;
  lines: string[];
}

function known<T extends string>(names: readonly T[], value: unknown, otherwise: T): T {
  return names.find((name) => name === value) ?? otherwise;
}

function is_index(value: unknown, size: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < size;
}

function read_counts(
  value: unknown,
  nodes: number,
  threads: number,
  states: readonly SampleState[],
): SampleCount[] {
  return list(value).flatMap((item) => {
    const [node, thread, state, samples] = list(item);
    if (!is_index(node, nodes) || !is_index(thread, threads)) return [];
    const taken = number(samples);
    const what = states[number(state, -1)] ?? "code";
    return taken > 0 ? [{ node, thread, state: what, samples: taken }] : [];
  });
}

function read_phase_counts(
  value: unknown,
  nodes: number,
  threads: number,
  phases: number,
  states: readonly SampleState[],
): PhaseCount[] {
  return list(value).flatMap((item) => {
    const [node, thread, state, phase, samples] = list(item);
    if (!is_index(phase, phases)) return [];
    return read_counts([[node, thread, state, samples]], nodes, threads, states).map((count) => ({
      ...count,
      phase,
    }));
  });
}

/** Reads samples. @throws DataError if they are of another schema or version. */
export function read_samples(value: JsonObject): Samples {
  check_schema(value, "plait-samples", 1);
  const threads = objects(value["threads"], (thread) => ({
    rank: number(thread["rank"]),
    thread: number(thread["thread"]),
    kind: text(thread["kind"]),
    samples: number(thread["samples"]),
    lost: number(thread["lost"]),
    truncated: number(thread["truncated"]),
  }));
  const functions = objects(value["functions"], (item) => ({
    name: text(item["name"], "(unknown function)"),
    short: text(item["short"]) || text(item["name"], "(unknown function)"),
    file: text(item["file"]),
    line: number(item["line"]),
    module: text(item["module"]),
    kind: known(function_kinds, item["kind"], "code"),
  }));
  const nodes = objects(value["nodes"], (node) => ({
    parent: number(node["parent"], -1),
    function: number(node["function"], -1),
    line: number(node["line"]),
    inlined: node["inlined"] === true,
  }));
  const is_tree = nodes.every(
    (node, i) => node.parent < i && node.parent >= -1 && is_index(node.function, functions.length),
  );
  if (!is_tree) {
    throw new DataError(
      "The call tree of the samples is damaged",
      "write the report again with plait report DIR",
    );
  }
  const phases = objects(value["phases"], (phase) => ({
    name: text(phase["name"]),
    begin_s: number(phase["begin_s"]),
    end_s: number(phase["end_s"]),
  }));
  const states = texts(value["states"]).map((name) => known(sample_states, name, "code"));
  return {
    rate_hz: number(value["rate_hz"], 100) || 100,
    clock: text(value["clock"], "cpu"),
    overhead_percent: number_or_null(object(value["overhead"])["percent"]),
    threads,
    functions,
    nodes,
    counts: read_counts(value["counts"], nodes.length, threads.length, states),
    phases,
    phase_counts: read_phase_counts(
      value["phase_counts"],
      nodes.length,
      threads.length,
      phases.length,
      states,
    ),
  };
}

/** Reads the source parts that plait report found. */
export function read_sources(value: unknown): SourcePart[] {
  return objects(value, (part) => ({
    file: text(part["file"]),
    first_line: number(part["first_line"], 1),
    lines: list(part["lines"]).map((line) => text(line)),
  })).filter((part) => part.file !== "" && part.lines.length > 0);
}
