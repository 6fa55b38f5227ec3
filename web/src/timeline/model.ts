// SPDX-License-Identifier: BSD-3-Clause
// The data of the timeline: bins at once, events and messages unpacked when first needed.
import { categories } from "../data/timeline";
import type { Samples } from "../data/samples";
import type { Packed, Stream, Timeline } from "../data/timeline";
import { Bins } from "./bins";
import { EventSums, unpack_events } from "./events";
import type { Events } from "./events";
import { unpack_messages } from "./messages";
import type { Messages } from "./messages";
import { unpack_samples } from "./samples";
import type { Track } from "./samples";

export type GroupName = "calls" | "openmp" | "regions";
/** Events of a group with their sums. */
export interface Group {
  events: Events;
  sums: EventSums;
}
/** A source of time by category up to a time. */
export interface Spent {
  up_to: (time: number, into: Float64Array) => void;
}

/** Windows of fewer bins are summed from events. */
const most_bins_of_events = 64;
const computation = categories.indexOf("computation");
const idle = categories.indexOf("openmp_idle");

interface Job {
  steps: Generator<void, unknown>;
  done: (result: unknown) => void;
}

export class Model {
  readonly bins: Bins[];
  private readonly together = new Map<string, Bins>();
  private readonly groups = new Map<Packed, Group | null>();
  private readonly tracks = new Map<Packed, Track | null>();
  private messages_read: Messages | null = null;
  private messages_wanted = false;
  private readonly jobs: Job[] = [];

  /** @param sampled  the call tree to which samples refer; null: none */
  constructor(
    readonly timeline: Timeline,
    readonly sampled: Samples | null = null,
  ) {
    this.bins = timeline.ranks.map((rank) => Bins.of_rank(timeline, rank));
  }

  /** The number of ranks in the rows [first, last). */
  count(first: number, last: number): number {
    return this.timeline.ranks.slice(first, last).reduce((sum, { count }) => sum + count, 0);
  }

  /** The bins of ranks [first, last) together. */
  bins_of(first: number, last: number): Bins {
    if (last - first === 1) return this.bins[first]!;
    const key = `${first} ${last}`;
    const known = this.together.get(key);
    if (known !== undefined) return known;
    const sum = Bins.together(this.bins.slice(first, last));
    this.together.set(key, sum);
    return sum;
  }

  /** A group of events, or null while they are being unpacked. */
  group(rank: number, stream: number, name: GroupName): Group | null {
    const packed = this.timeline.ranks[rank]?.streams[stream]?.[name];
    if (packed === undefined) return null;
    const known = this.groups.get(packed);
    if (known !== undefined) return known;
    this.groups.set(packed, null);
    this.jobs.push({
      steps: unpack_events(packed, this.timeline.shapes),
      done: (events) =>
        this.groups.set(packed, {
          events: events as Events,
          sums: new EventSums(events as Events, this.timeline.shapes),
        }),
    });
    return null;
  }

  /** A group of events if it has been unpacked. */
  unpacked(rank: number, stream: number, name: GroupName): Group | null {
    const packed = this.timeline.ranks[rank]?.streams[stream]?.[name];
    return (packed && this.groups.get(packed)) ?? null;
  }

  /** Time of a thread in OpenMP regions; it is idle in a region when it has no work. */
  threads(index: number, openmp: Group): Spent {
    const main = this.unpacked(index, this.timeline.ranks[index]?.time_stream ?? 0, "openmp");
    if (main === null || !main.sums.has_parallel || !openmp.sums.has_work) return openmp.sums;
    const of_regions = main.sums.has_work ? idle : computation;
    const own = new Float64Array(categories.length + 1);
    const regions = new Float64Array(categories.length + 1);
    return {
      up_to: (time, into) => {
        own.fill(0);
        openmp.sums.up_to(time, own);
        regions.fill(0);
        main.sums.up_to(time, regions);
        into[computation]! += own[computation]!;
        into[idle]! += regions[of_regions]! - own[computation]!;
      },
    };
  }

  /** Time of the main thread of a rank: what is neither in a call nor idle is computation. */
  spent_of_rank(index: number, calls: Group, openmp: Group): Spent {
    const rank = this.timeline.ranks[index]!;
    const threads = this.threads(index, openmp);
    const of_openmp = new Float64Array(categories.length + 1);
    return {
      up_to: (time, into) => {
        calls.sums.up_to(time, into);
        let communication = 0;
        for (let c = 0; c < categories.length; c += 1) communication += into[c]!;
        of_openmp.fill(0);
        threads.up_to(time, of_openmp);
        into[idle]! += of_openmp[idle]!;
        const seen = Math.min(Math.max(time, rank.begin), rank.end) - rank.begin;
        into[computation]! += seen - communication - of_openmp[idle]!;
      },
    };
  }

  /** Time of a rank in a window: from events if bins are too coarse and events are unpacked. */
  spent_in(index: number, begin: number, end: number): Spent {
    const stream = this.timeline.ranks[index]?.time_stream ?? 0;
    const is_wide = (end - begin) * this.timeline.bins > most_bins_of_events * this.timeline.end;
    const calls = this.unpacked(index, stream, "calls");
    const openmp = this.unpacked(index, stream, "openmp");
    if (is_wide || calls === null || openmp === null || !this.has_events(begin, end)) {
      return this.bins[index]!;
    }
    return this.spent_of_rank(index, calls, openmp);
  }

  /** True if there are samples to show. */
  has_samples(): boolean {
    const has = ({ samples }: Stream): boolean => samples.count > 0;
    return this.sampled !== null && this.timeline.ranks.some((rank) => rank.streams.some(has));
  }

  /** The samples of a stream, or null while they are being unpacked. */
  samples(rank: number, stream: number): Track | null {
    const packed = this.timeline.ranks[rank]?.streams[stream]?.samples;
    if (packed === undefined || packed.count === 0 || this.sampled === null) return null;
    const known = this.tracks.get(packed);
    if (known !== undefined) return known;
    this.tracks.set(packed, null);
    const period_ns = this.timeline.sample_ns * this.timeline.sample_step;
    this.jobs.push({
      steps: unpack_samples(packed, this.sampled.nodes.length, period_ns),
      done: (track) => this.tracks.set(packed, track as Track),
    });
    return null;
  }

  /** A group of events; unpacks it at once if necessary. */
  group_now(rank: number, stream: number, name: GroupName): Group | null {
    while (this.group(rank, stream, name) === null && this.is_busy()) this.step();
    return this.group(rank, stream, name);
  }

  /** All messages, or null while they are being unpacked. */
  messages(): Messages | null {
    if (this.messages_wanted) return this.messages_read;
    this.messages_wanted = true;
    this.jobs.push({
      steps: unpack_messages(this.timeline.messages),
      done: (messages) => (this.messages_read = messages as Messages),
    });
    return null;
  }

  /** True while there is something to unpack. */
  is_busy(): boolean {
    return this.jobs.length > 0;
  }

  /** One step of unpacking: a bounded amount of work. */
  step(): void {
    const [job] = this.jobs;
    if (job === undefined) return;
    const step = job.steps.next();
    if (step.done !== true) return;
    job.done(step.value);
    this.jobs.shift();
  }

  /** True if single events were kept from `begin` to `end`. */
  has_events(begin: number, end: number): boolean {
    return this.timeline.windows.some((window) => begin >= window.begin && end <= window.end);
  }
}

/** Time by category from `begin` to `end`, ns. */
export function spent_between(spent: Spent, begin: number, end: number): Float64Array {
  const before = new Float64Array(categories.length + 1);
  const sum = new Float64Array(categories.length + 1);
  spent.up_to(begin, before);
  spent.up_to(end, sum);
  for (let c = 0; c < sum.length; c += 1) sum[c] = Math.max(0, sum[c]! - before[c]!);
  return sum;
}
