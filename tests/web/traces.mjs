// SPDX-License-Identifier: BSD-3-Clause
// Traced runs for the tests of the report's page: timelines packed as src/report/timeline.cpp packs
// them, and an analysis.
import { hostile, hybrid } from "./fixtures.mjs";

const categories = ["computation", "point_to_point", "collective", "other_mpi", "waiting",
  "openmp_idle"];
const whole_bin = 16383;

/** LEB128; signed values zigzag. */
class Column {
  constructor(capacity = 64) {
    this.bytes = Buffer.alloc(capacity);
    this.length = 0;
  }
  add(value) {
    if (this.length + 10 > this.bytes.length) {
      this.bytes = Buffer.concat([this.bytes], this.bytes.length * 2);
    }
    while (value >= 128) {
      this.bytes[this.length++] = (value % 128) + 128;
      value = Math.floor(value / 128);
    }
    this.bytes[this.length++] = value;
  }
  add_signed(value) {
    this.add(value < 0 ? -2 * value - 1 : 2 * value);
  }
}

const join = (columns) =>
  Buffer.concat(columns.map((column) => column.bytes.subarray(0, column.length)))
    .toString("base64");

function pack_events(events) {
  const [begins, durations, shapes, bytes, waits] = Array.from({ length: 5 }, () => new Column());
  const last_bytes = new Map();
  let last = 0;
  for (const event of events) {
    begins.add_signed(event.begin - last);
    last = event.begin;
    durations.add(event.end - event.begin);
    shapes.add(event.shape);
    bytes.add_signed(event.bytes - (last_bytes.get(event.shape) ?? 0));
    last_bytes.set(event.shape, event.bytes);
    waits.add(event.wait);
  }
  return { count: events.length, columns: join([begins, durations, shapes, bytes, waits]) };
}

function pack_messages(messages) {
  const columns = Array.from({ length: 6 }, () => new Column());
  const [begins, durations, senders, receivers, bytes, tags] = columns;
  let last = { begin: 0, bytes: 0, tag: 0 };
  for (const message of [...messages].sort((a, b) => a.begin - b.begin)) {
    begins.add_signed(message.begin - last.begin);
    durations.add_signed(message.end - message.begin);
    senders.add(message.from);
    receivers.add(message.to);
    bytes.add_signed(message.bytes - last.bytes);
    tags.add_signed(message.tag - last.tag);
    last = message;
  }
  return { count: messages.length, columns: join(columns) };
}

/** Makes a timeline event by event; times in ns. */
export class TimelineMaker {
  constructor(ranks, end, { bins = 512, host = () => "n0" } = {}) {
    Object.assign(this, { end, bins, shapes: [], functions: [], sites: [], regions: [] });
    this.shape_of = new Map();
    this.messages = [];
    this.ranks = Array.from({ length: ranks }, (_, rank) => ({
      rank, host: host(rank), streams: [], sums: categories.map(() => new Float64Array(bins)),
    }));
  }

  index(list, name) {
    const at = list.indexOf(name);
    return at >= 0 ? at : list.push(name) - 1;
  }

  shape(kind, category, name, place = "", partner = null, tag = null, wildcard = false) {
    const key = JSON.stringify([kind, category, name, place, partner, tag, wildcard]);
    if (!this.shape_of.has(key)) {
      const is_region = ["region", "parallel", "work"].includes(kind);
      const of_function = is_region ? null : this.index(this.functions, name);
      const where = is_region ? this.index(this.regions, name) : this.index(this.sites, place);
      this.shapes.push(
        [kind, category, of_function, where, is_region ? null : 0, partner, tag, wildcard]);
      this.shape_of.set(key, this.shapes.length - 1);
    }
    return this.shape_of.get(key);
  }

  spread(rank, category, begin, end) {
    const sums = this.ranks[rank].sums[categories.indexOf(category)];
    const width = this.end / this.bins;
    for (let at = begin; at < end;) {
      const bin = Math.min(this.bins - 1, Math.floor(at / width));
      const until = bin === this.bins - 1 ? end : Math.min(end, (bin + 1) * width);
      sums[bin] += until - at;
      if (until <= at) break;
      at = until;
    }
  }

  stream(rank, index) {
    const { streams } = this.ranks[rank];
    while (streams.length <= index) {
      streams.push({ tid: 100 + rank * 10 + streams.length, omp_thread: streams.length, calls: [],
        openmp: [], regions: [] });
    }
    return streams[index];
  }

  call(rank, shape, begin, end, { bytes = 0, wait = 0, stream = 0 } = {}) {
    this.stream(rank, stream).calls.push({ shape, begin, end, bytes, wait });
    if (stream !== 0) return;
    const category = this.shapes[shape][1];
    this.spread(rank, "waiting", begin, begin + wait);
    this.spread(rank, category, begin + wait, end);
  }

  work(rank, thread, name, begin, end, idle) {
    const shape = this.shape("work", "other_mpi", name);
    this.stream(rank, thread).openmp.push({ shape, begin, end, bytes: idle, wait: 0 });
    // The mean of two threads: as long as both are idle.
    this.spread(rank, "openmp_idle", end - idle / 2, end);
  }

  parallel(rank, name, begin, end) {
    const shape = this.shape("parallel", "other_mpi", name);
    this.stream(rank, 0).openmp.push({ shape, begin, end, bytes: 0, wait: 0 });
  }

  region(rank, name, begin, end) {
    const shape = this.shape("region", "other_mpi", name);
    this.stream(rank, 0).regions.push({ shape, begin, end, bytes: 0, wait: 0 });
  }

  message(from, to, begin, end, bytes, tag) {
    this.messages.push({ from, to, begin, end, bytes, tag });
  }

  bin_columns({ sums }) {
    const width = this.end / this.bins;
    const columns = sums.map((sum, c) => {
      const column = new Column();
      for (let bin = 0; bin < this.bins; bin += 1) {
        const rest = sums.reduce((total, other, k) => total + (k === 0 ? 0 : other[bin]), 0);
        const ns = c === 0 ? Math.max(0, width - rest) : sum[bin];
        column.add(Math.round(Math.min(1, ns / width) * whole_bin));
      }
      return column;
    });
    return join(columns);
  }

  take() {
    const by_begin = (events) => events.sort((a, b) => a.begin - b.begin || b.end - a.end);
    let events = 0;
    const ranks = this.ranks.map((rank) => ({
      rank: rank.rank, host: rank.host, begin_ns: 0, end_ns: this.end, complete: true,
      time_stream: 0, bins: this.bin_columns(rank),
      streams: rank.streams.map(({ tid, omp_thread, ...groups }) => ({
        tid, omp_thread,
        ...Object.fromEntries(Object.entries(groups).map(([name, group]) => {
          events += group.length;
          return [name, pack_events(by_begin(group))];
        })),
      })),
    }));
    return {
      schema: "plait-timeline", schema_version: 1, end_ns: this.end, bins: this.bins, categories,
      whole_bin, knows_waiting: true, functions: this.functions, sites: this.sites,
      regions: this.regions, comms: [{ name: "MPI_COMM_WORLD", size: ranks.length }],
      shapes: this.shapes, ranks, messages: pack_messages(this.messages),
      windows: [[0, this.end]], events, kept_events: events, all_messages: this.messages.length,
    };
  }
}

const ms = 1e6;

/** 4 ranks x 2 threads, 10 iterations of 10 ms: rank 3 computes longer, the others wait for it. */
export function small_timeline() {
  const maker = new TimelineMaker(4, 102 * ms);
  const place = "exchange_halo (halo.c:70)";
  const wait =
    maker.shape("complete", "point_to_point", "MPI_Waitall", "exchange_halo (halo.c:77)");
  const reduce = maker.shape("collective", "collective", "MPI_Allreduce", "dot_product (cg.c:120)");
  const barrier = maker.shape("collective", "collective", "MPI_Barrier", "main (main.c:61)");
  for (let rank = 0; rank < 4; rank += 1) {
    const [to, from] = [(rank + 1) % 4, (rank + 3) % 4];
    const send = maker.shape("start", "point_to_point", "MPI_Isend", place, to, 7);
    const receive = maker.shape("start", "point_to_point", "MPI_Irecv", place, null, null, true);
    for (let step = 0; step < 10; step += 1) {
      const start = step * 10 * ms + ms;
      const late = rank === 3 ? 3 * ms : 0;
      maker.parallel(rank, "solve._omp_fn.0 (cg.c:90)", start, start + 4 * ms + late);
      maker.work(rank, 0, "solve._omp_fn.0 (cg.c:90)", start, start + 4 * ms + late, 0.5 * ms);
      maker.work(rank, 1, "solve._omp_fn.0 (cg.c:90)", start, start + 3 * ms + late, 0);
      const posted = start + 4 * ms + late;
      maker.call(rank, receive, posted, posted + 2000, { bytes: 65536 });
      maker.call(rank, send, posted + 4000, posted + 9000, { bytes: 65536 });
      const sent_late = from === 3 ? 3 * ms : 0;
      const done = start + 4 * ms + Math.max(late, sent_late) + 60000;
      maker.call(rank, wait, posted + 12000, done, { wait: Math.max(0, done - posted - 60000) });
      maker.message(from, rank, start + 4 * ms + sent_late + 4000, done, 65536, 7);
      const arrival = done + 100000 + rank * 1000;
      maker.call(rank, reduce, arrival, start + 7.4 * ms, {
        bytes: 8, wait: start + 7.3 * ms - arrival });
    }
    maker.region(rank, "assembly", 0, ms);
    maker.region(rank, "solve", ms, 100 * ms);
    maker.region(rank, "smooth", 20 * ms, 40 * ms);
    maker.call(rank, barrier, 101 * ms, 101.5 * ms, { wait: 0.2 * ms });
  }
  return maker.take();
}

/** About 10^6 events on 8 ranks: 25 000 iterations with halo exchange and reduction. */
export function million_timeline(ranks = 8, iterations = 25000) {
  const step = 40000;
  const maker = new TimelineMaker(ranks, iterations * step, { bins: 4096 });
  const wait = maker.shape("complete", "point_to_point", "MPI_Waitall", "halo (h.c:9)");
  const reduce = maker.shape("collective", "collective", "MPI_Allreduce", "dot (d.c:3)");
  for (let rank = 0; rank < ranks; rank += 1) {
    const to = (rank + 1) % ranks;
    const send = maker.shape("start", "point_to_point", "MPI_Isend", "halo (h.c:7)", to, 1);
    const receive = maker.shape("start", "point_to_point", "MPI_Irecv", "halo (h.c:5)",
      (rank + ranks - 1) % ranks, 1);
    for (let i = 0; i < iterations; i += 1) {
      const begin = i * step + 20000 + ((rank * 7919 + i * 104729) % 4000);
      maker.call(rank, receive, begin, begin + 300, { bytes: 8192 });
      maker.call(rank, send, begin + 500, begin + 1100, { bytes: 8192 });
      const done = i * step + 27000;
      maker.call(rank, wait, begin + 1300, done, { wait: 1000 });
      const sent = i * step + 20500 + ((to * 7919 + i * 104729) % 4000);
      if (i % 2 === 0) maker.message(to, rank, sent, done, 8192, 1);
      maker.call(rank, reduce, done + 500, i * step + 33000, { bytes: 8, wait: 2000 });
      maker.call(rank, reduce, i * step + 33500, i * step + 36000, { bytes: 16, wait: 200 });
    }
  }
  return maker.take();
}

function pop(definition, values) {
  const [parallel, load_balance, serialization, transfer] = values;
  return {
    definition, time_s: 0.102, ideal_s: 0.097, parallel: parallel * 0.95, load_balance,
    communication: serialization * transfer, serialization, transfer, mpi_parallel: parallel,
    openmp_parallel: 0.95, openmp_load_balance: 0.97, openmp_communication: 0.98,
    openmp_serial: null, openmp_region: null,
  };
}

/** What the small timeline's run tells. */
export function small_analysis() {
  const phase = (name, begin_s, end_s, repetitions, pattern) => ({
    name, begin_s, end_s, repetitions, mean_s: (end_s - begin_s) / repetitions, cv: 0.021,
    median_s: (end_s - begin_s) / repetitions, low_s: (end_s - begin_s) / repetitions,
    high_s: ((end_s - begin_s) / repetitions) * (repetitions > 1 ? 1.02 : 1), ranks: 4, calls: [],
    signature: "9f3a", pattern,
    efficiencies: pop("multiplicative, wait states", [0.55, 0.64, 0.88, 0.97]),
  });
  const part = (rank, begin_s, end_s, kind) =>
    ({ rank, begin_s, end_s, kind, region: "solve", site: null });
  const steps = Array.from({ length: 10 }, (_, i) => i * 0.01 + 0.001);
  const mib = 2 ** 20;
  return {
    schema: "plait-analysis", schema_version: 1, time_s: 0.102, ideal_s: 0.097, events: 244,
    verdict: "Rank 3 makes the others wait.", clock_error_s: 0,
    efficiencies: [
      pop("multiplicative, replay", [0.58, 0.64, 0.94, 0.96]),
      pop("multiplicative, wait states", [0.58, 0.64, 0.93, 0.97]),
      pop("additive, wait states", [0.58, 0.64, 0.94, 0.99]),
    ],
    waits: [
      { kind: "late sender", function: "MPI_Waitall", site: "exchange_halo (halo.c:77)",
        seconds: 0.0301, count: 10, worst_rank: 0, worst_s: 0.03 },
      { kind: "wait at NxN", function: "MPI_Allreduce", site: "dot_product (cg.c:120)",
        seconds: 0.085, count: 40, worst_rank: 1, worst_s: 0.031 },
    ],
    waiting_s: [0.03, 0.033, 0.031, 0.002],
    causes: [
      { kind: "computation", rank: 3, region: "solve",
        sentence: "rank 3 computes 30.0 ms longer in region 'solve': ranks 0 to 2 wait 90.0 ms",
        site: "exchange_halo (halo.c:70)", seconds: 0.09, own_excess_s: 0.03,
        delayed: [0, 1, 2], chain: [] },
      { kind: "transfer", sentence: "transfer: an ideal network would save 4.00 ms",
        rank: null, region: null, site: null, seconds: 0.004, own_excess_s: 0, delayed: [],
        chain: [] },
    ],
    critical_path: {
      seconds: 0.102,
      parts: steps.flatMap((start) => [part(3, start, start + 0.007, "computation"),
        part(3, start + 0.007, start + 0.00706, "transfer"),
        part(0, start + 0.00706, start + 0.0074, "mpi"),
        part(3, start + 0.0074, start + 0.01, "computation")]),
      owners: [
        { rank: 3, kind: "computation", region: "solve", site: "exchange_halo (halo.c:70)",
          seconds: 0.096, share: 0.941 },
        { rank: 0, kind: "mpi", region: null, site: "dot_product (cg.c:120)", seconds: 0.0034,
          share: 0.033 },
      ],
    },
    imbalance: {
      network: "ideal, rendezvous above 32 KiB",
      ranks: [0, 1, 2, 3].map((rank) => ({ rank, calculation_s: rank === 3 ? 0.098 : 0.068,
        imbalance_s: rank === 3 ? 0.001 : 0.03, interconnect_s: 0.004 })),
      class_limits: [1024, 65536], class_source: "measured protocol switches",
      cells: [
        { function: "MPI_Waitall", from_bytes: 65536, to_bytes: null,
          imbalance_s: 0.03, interconnect_s: 0.003, count: 40 },
        { function: "MPI_Allreduce", from_bytes: 0, to_bytes: 1024, imbalance_s: 0.08,
          interconnect_s: 0.001, count: 40 },
      ],
    },
    phases: [
      phase("before", 0, 0.001, 1, []),
      phase("iterations 1", 0.001, 0.1, 10,
        ["MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce"]),
      phase("after", 0.1, 0.102, 1, ["MPI_Barrier"]),
    ],
    messages: {
      messages: 40, bytes: 40 * 65536,
      classes: [{ from_bytes: 65536, to_bytes: mib, count: 40, bytes: 40 * 65536, seconds: 0.0024,
        between_nodes: false, rate: 1.17e9, path_rate: 4.8e9 }],
      pairs: [{ from: 3, to: 0, count: 10, bytes: 655360, seconds: 0.0006 }],
      slow: [{ from: 3, to: 0, bytes: 65536, count: 10, rate: 1.1e9, path_rate: 4.8e9,
        site: "exchange_halo (halo.c:70)" }],
    },
    patterns: [
      { id: "any_source", what: "Receives with MPI_ANY_SOURCE in a hot path",
        evidence: "40 of 40 receives; all came from one rank", cost_s: 0.0011,
        remedy: "Name the source: it is always the rank before.", ranks: [0, 1, 2, 3],
        sites: ["exchange_halo (halo.c:70)"] },
      { id: "idle_barrier", what: "A barrier that orders nothing", evidence: "4 calls", cost_s: 0,
        remedy: "Leave it out.", ranks: [0], sites: ["main (main.c:61)"] },
    ],
    notes: ["Waiting in probes is not told apart."],
  };
}

/** The hybrid run with a trace. */
export function traced() {
  return { ...hybrid(), analysis: small_analysis(), timeline: small_timeline() };
}

export function hostile_traced() {
  const poisoned = hostile(traced());
  // Columns and categories are no text.
  const { timeline } = traced();
  timeline.functions = poisoned.timeline.functions;
  timeline.sites = poisoned.timeline.sites;
  timeline.regions = poisoned.timeline.regions;
  timeline.comms = poisoned.timeline.comms;
  timeline.ranks.forEach((rank, index) => (rank.host = poisoned.timeline.ranks[index].host));
  return { ...poisoned, timeline };
}

/** 10^6 events, without an analysis. */
export function million() {
  return { ...hybrid(), analysis: null, timeline: million_timeline() };
}

/** 1000 ranks with a barrier each. */
export function many_ranks_timeline() {
  const maker = new TimelineMaker(1000, 10 * ms, { bins: 64 });
  const barrier = maker.shape("collective", "collective", "MPI_Barrier", "main (m.c:1)");
  for (let rank = 0; rank < 1000; rank += 1) {
    maker.call(rank, barrier, 5 * ms + rank * 1000, 7 * ms, { wait: 2 * ms - rank * 1000 });
  }
  return maker.take();
}
