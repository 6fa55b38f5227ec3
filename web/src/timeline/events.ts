// SPDX-License-Identifier: BSD-3-Clause
// The unpacked events of a stream: search by time, and sums by category up to any time.
import { categories } from "../data/timeline";
import type { Category, Packed, Shape } from "../data/timeline";
import { read_columns } from "./columns";

/** Events sorted by begin; calls do not overlap. Times in ns. */
export interface Events {
  count: number;
  begin: Float64Array;
  end: Float64Array;
  /** The end of the first part: calls wait until then, threads work until then. */
  split: Float64Array;
  shape: Uint32Array;
  bytes: Float64Array;
  /** The latest end so far, by which overlapping events can be searched. */
  reach: Float64Array;
}

export const no_events: Events = {
  count: 0,
  begin: new Float64Array(0),
  end: new Float64Array(0),
  split: new Float64Array(0),
  shape: new Uint32Array(0),
  bytes: new Float64Array(0),
  reach: new Float64Array(0),
};

/** Unpacks a group of events in steps; damaged data give no events. */
export function* unpack_events(packed: Packed, shapes: readonly Shape[]): Generator<void, Events> {
  const columns = yield* read_columns(packed.columns, packed.count, [
    "signed",
    "unsigned",
    "unsigned",
    "signed",
    "unsigned",
  ]);
  const [begin, end, shape_numbers, bytes, split] = columns ?? [];
  if (!begin || !end || !shape_numbers || !bytes || !split) return no_events;
  const shape = new Uint32Array(packed.count);
  const reach = new Float64Array(packed.count);
  const last_bytes = new Float64Array(shapes.length + 1);
  let last_begin = 0;
  let latest = -Infinity;
  for (let i = 0; i < packed.count; i += 1) {
    const of = Math.min(shape_numbers[i]!, shapes.length);
    shape[i] = of;
    last_begin += begin[i]!;
    begin[i] = last_begin;
    end[i] = last_begin + end[i]!;
    last_bytes[of]! += bytes[i]!;
    bytes[i] = last_bytes[of]!;
    split[i] =
      shapes[of]?.kind === "work"
        ? Math.max(last_begin, end[i]! - bytes[i]!)
        : Math.min(end[i]!, last_begin + split[i]!);
    latest = Math.max(latest, end[i]!);
    reach[i] = latest;
  }
  return { count: packed.count, begin, end, split, shape, bytes, reach };
}

/** The first index whose value is above `limit`, of an ascending array. */
export function first_above(values: Float64Array, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The events [first, last) that may touch the window from `begin` to `end`. */
export function within(events: Events, begin: number, end: number): [number, number] {
  return [first_above(events.reach, begin), first_above(events.begin, end)];
}

const block = 32;

/** Time by category from the first event up to any time, in a bounded number of steps. */
export class EventSums {
  /** True if the threads' work in OpenMP regions is known, and if the regions are. */
  readonly has_work: boolean;
  readonly has_parallel: boolean;
  private readonly sums: Float64Array;
  private readonly first: Uint8Array;
  private readonly second: Uint8Array;

  /**
   * A call waits, then communicates. Work in a region is computation, then idle time. A region
   * whose work is known counts as idle time, from which Model.threads() subtracts the work.
   */
  constructor(
    private readonly events: Events,
    shapes: readonly Shape[],
  ) {
    const none = categories.length;
    const code = (name: Category): number => categories.indexOf(name);
    this.first = new Uint8Array(shapes.length + 1).fill(none);
    this.second = new Uint8Array(shapes.length + 1).fill(none);
    const used = new Set(events.shape);
    const has = (kind: string): boolean => [...used].some((index) => shapes[index]?.kind === kind);
    this.has_work = has("work");
    this.has_parallel = has("parallel");
    shapes.forEach((shape, index) => {
      if (shape.kind === "region") return;
      if (shape.kind === "work") {
        this.first[index] = code("computation");
        this.second[index] = this.has_parallel ? none : code("openmp_idle");
      } else if (shape.kind === "parallel") {
        this.first[index] = code(this.has_work ? "openmp_idle" : "computation");
        this.second[index] = this.first[index]!;
      } else {
        this.first[index] = code("waiting");
        this.second[index] = code(shape.category);
      }
    });
    const blocks = Math.ceil(events.count / block);
    this.sums = new Float64Array(blocks * categories.length);
    const running = new Float64Array(categories.length + 1);
    for (let i = 0; i < events.count; i += 1) {
      if (i % block === 0) {
        this.sums.set(running.subarray(0, categories.length), (i / block) * categories.length);
      }
      this.add(running, i, Infinity);
    }
  }

  private add(to: Float64Array, i: number, until: number): void {
    const { begin, split, end, shape } = this.events;
    const middle = Math.min(split[i]!, until);
    if (middle > begin[i]!) to[this.first[shape[i]!]!]! += middle - begin[i]!;
    const last = Math.min(end[i]!, until);
    if (last > split[i]!) to[this.second[shape[i]!]!]! += last - split[i]!;
  }

  /** Adds the time by category up to `time` (ns) to `into`, which has one element more. */
  up_to(time: number, into: Float64Array): void {
    const last = first_above(this.events.begin, time);
    if (last === 0) return;
    const start = Math.floor((last - 1) / block);
    for (let c = 0; c < categories.length; c += 1) {
      into[c]! += this.sums[start * categories.length + c]!;
    }
    for (let i = start * block; i < last; i += 1) this.add(into, i, time);
  }
}
