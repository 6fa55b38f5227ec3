// SPDX-License-Identifier: BSD-3-Clause
// The call tree of one or more sampled runs: frames joined by function, and sums over ranks.
import { file_name, place_text } from "./place";
import type { FunctionKind, SampleCount, Samples, SampleState } from "../data/samples";

/** The colour of a frame: that of the state of all its samples, else that of its function. */
export type FrameKind = FunctionKind | "waiting";
export const frame_kinds: readonly FrameKind[] = [
  "code",
  "mpi",
  "openmp",
  "python",
  "system",
  "waiting",
];
export const frame_kind_names: Readonly<Record<FrameKind, string>> = {
  code: "Code",
  mpi: "MPI",
  openmp: "OpenMP runtime",
  python: "Python",
  system: "System",
  waiting: "Waiting for a CPU",
};

export interface Frame {
  index: number;
  parent: Frame | null;
  children: Frame[];
  depth: number;
  name: string;
  short: string;
  /** "mesh.cpp:60", of the declaration, or the name of the library; may be empty. */
  place: string;
  kind: FrameKind;
  inlined: boolean;
}

interface Entry {
  frame: number;
  run: number;
  rank: number;
  state: SampleState;
  samples: number;
}
interface PhaseEntry extends Entry {
  phase: number;
}

/** Samples of some ranks of one run (null: all ranks), and of one phase. */
export interface Subset {
  run: number;
  ranks: readonly number[] | null;
  /** Index into the phases of the run; absent: all samples. */
  phase?: number;
}

/** Seconds and samples by frame, of a subset. */
export interface Sums {
  exclusive_s: Float64Array;
  inclusive_s: Float64Array;
  samples: Float64Array;
  inclusive_samples: Float64Array;
  total_s: number;
  total_samples: number;
}

const waiting_name = "(waiting for a CPU)";

export class CallTree {
  /** Parents before children. */
  readonly frames: Frame[] = [];
  readonly roots: Frame[] = [];
  /** The ranks of each run, ascending. */
  readonly ranks: readonly (readonly number[])[];
  private readonly entries: Entry[] = [];
  private readonly of_phases: PhaseEntry[] = [];
  private readonly by_rank = new Map<number, Map<number, number>[]>();
  private readonly known_ranks = new Map<string, number[]>();

  constructor(readonly runs: readonly Samples[]) {
    const known = new Map<string, Frame>();
    this.ranks = runs.map((run) =>
      [...new Set(run.threads.map((thread) => thread.rank))].sort((a, b) => a - b),
    );
    runs.forEach((samples, run) => this.add_run(samples, run, known));
    this.find_kinds();
  }

  private frame(
    known: Map<string, Frame>,
    parent: Frame | null,
    of: Omit<Frame, "index" | "parent" | "children" | "depth">,
  ): Frame {
    const key = `${parent?.index ?? -1} ${of.name}`;
    const there = known.get(key);
    if (there !== undefined) return there;
    const depth = parent === null ? 0 : parent.depth + 1;
    const made = { ...of, index: this.frames.length, parent, children: [], depth };
    this.frames.push(made);
    (parent?.children ?? this.roots).push(made);
    known.set(key, made);
    return made;
  }

  private add_run(samples: Samples, run: number, known: Map<string, Frame>): void {
    const frames: Frame[] = [];
    for (const node of samples.nodes) {
      const { name, short, file, line, module, kind } = samples.functions[node.function]!;
      const parent = node.parent < 0 ? null : frames[node.parent]!;
      const place = file === "" ? file_name(module) : place_text(file, line);
      frames.push(this.frame(known, parent, { name, short, place, kind, inlined: node.inlined }));
    }
    const entry_of = ({ node, thread, state, samples: taken }: SampleCount): Entry => {
      const at = frames[node]!;
      const of_waiting = { name: waiting_name, short: waiting_name, place: "", inlined: false };
      const frame =
        state === "waiting" ? this.frame(known, at, { ...of_waiting, kind: "waiting" }) : at;
      const { rank } = samples.threads[thread]!;
      return { frame: frame.index, run, rank, state, samples: taken };
    };
    for (const count of samples.counts) this.entries.push(entry_of(count));
    for (const count of samples.phase_counts) {
      this.of_phases.push({ ...entry_of(count), phase: count.phase });
    }
  }

  /** Frames whose samples are all in MPI, in OpenMP or waiting are of that kind. */
  private find_kinds(): void {
    const states = this.frames.map(() => new Set<SampleState>());
    for (const entry of this.entries) states[entry.frame]!.add(entry.state);
    for (const frame of [...this.frames].reverse()) {
      const mine = states[frame.index]!;
      const [only] = mine;
      if (mine.size === 1 && only !== undefined && only !== "code") frame.kind = only;
      if (frame.parent !== null) mine.forEach((state) => states[frame.parent!.index]!.add(state));
    }
  }

  /** Sums over the subset's ranks. */
  sums({ run, ranks, phase }: Subset): Sums {
    const wanted = ranks === null ? null : new Set(ranks);
    const samples = new Float64Array(this.frames.length);
    let total = 0;
    const entries =
      phase === undefined
        ? this.entries
        : this.of_phases.filter((entry) => entry.phase === phase);
    for (const entry of entries) {
      if (entry.run !== run || (wanted !== null && !wanted.has(entry.rank))) continue;
      samples[entry.frame]! += entry.samples;
      total += entry.samples;
    }
    const inclusive = Float64Array.from(samples);
    for (let i = this.frames.length - 1; i >= 0; i -= 1) {
      const parent = this.frames[i]!.parent;
      if (parent !== null) inclusive[parent.index]! += inclusive[i]!;
    }
    const seconds = 1 / (this.runs[run]?.rate_hz ?? 1);
    return {
      samples,
      inclusive_samples: inclusive,
      exclusive_s: samples.map((value) => value * seconds),
      inclusive_s: inclusive.map((value) => value * seconds),
      total_s: total * seconds,
      total_samples: total,
    };
  }

  /** Samples of the frame itself (not of those it calls), by rank of a run. */
  private own(run: number): Map<number, number>[] {
    let own = this.by_rank.get(run);
    if (own === undefined) {
      own = this.frames.map(() => new Map<number, number>());
      for (const { frame, run: of, rank, samples } of this.entries) {
        if (of === run) own[frame]!.set(rank, (own[frame]!.get(rank) ?? 0) + samples);
      }
      this.by_rank.set(run, own);
    }
    return own;
  }

  /** Samples of a frame by rank of a run, in the order of `ranks`. */
  of_ranks(run: number, frame: Frame, inclusive: boolean): readonly number[] {
    const key = `${run} ${frame.index} ${inclusive}`;
    let known = this.known_ranks.get(key);
    if (known === undefined) {
      known = this.sum_ranks(run, frame, inclusive);
      this.known_ranks.set(key, known);
    }
    return known;
  }

  private sum_ranks(run: number, frame: Frame, inclusive: boolean): number[] {
    const own = this.own(run);
    const sums = new Map<number, number>();
    const pending = [frame];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const [rank, samples] of own[next.index]!) {
        sums.set(rank, (sums.get(rank) ?? 0) + samples);
      }
      if (inclusive) pending.push(...next.children);
    }
    return this.ranks[run]!.map((rank) => sums.get(rank) ?? 0);
  }

  /** The rank with most samples in code; null for fewer than two ranks. */
  slowest_rank(run: number): number | null {
    const of_code = new Map<number, number>();
    for (const { run: of, rank, state, samples } of this.entries) {
      if (of === run && state === "code") of_code.set(rank, (of_code.get(rank) ?? 0) + samples);
    }
    if (this.ranks[run]!.length < 2) return null;
    return [...of_code].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0] ?? null;
  }
}

/** True if the frame or one of its callers is of the same function. */
export function has_caller(frame: Frame, is_one: (caller: Frame) => boolean): boolean {
  for (let at = frame.parent; at !== null; at = at.parent) if (is_one(at)) return true;
  return false;
}

/** The callers of a frame, outermost first, and the frame itself. */
export function path_to(frame: Frame): Frame[] {
  const path: Frame[] = [];
  for (let at: Frame | null = frame; at !== null; at = at.parent) path.unshift(at);
  return path;
}

/** The 95 % interval of a share, by Wilson's score (Wilson 1927). */
export function wilson(hits: number, samples: number): { low: number; high: number } {
  if (samples === 0) return { low: 0, high: 1 };
  const z = 1.959964;
  const share = hits / samples;
  const weight = 1 + (z * z) / samples;
  const centre = (share + (z * z) / (2 * samples)) / weight;
  const half =
    (z / weight) *
    Math.sqrt((share * (1 - share)) / samples + (z * z) / (4 * samples * samples));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
