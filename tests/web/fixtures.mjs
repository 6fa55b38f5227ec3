// SPDX-License-Identifier: BSD-3-Clause
// Profiles and machine files for the tests of the report's page, made by small functions.

/** Pseudo-random numbers in [0, 1) that are the same on every run (Park and Miller). */
function make_random(seed = 7) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

function statistic(median) {
  return {
    min: median * 0.96, median, ci_low: median * 0.985, ci_high: median * 1.02, n: 30, samples: [],
  };
}

/** A machine with packages x numa x l3 x cores_per_l3 cores, each with smt hardware threads. */
export function topology({ packages, numa, l3, cores_per_l3, smt = 1, l3_mib = 32 }) {
  const result = { packages: [], numa_nodes: [], caches: [], cores: [] };
  const per_package = numa * l3 * cores_per_l3;
  const range = (first, n) => Array.from({ length: n }, (_, i) => first + i);
  const total = packages * per_package;
  for (let p = 0; p < packages; p += 1) {
    result.packages.push({ id: p, cores: range(p * per_package, per_package) });
    for (let n = 0; n < numa; n += 1) {
      const first = p * per_package + n * l3 * cores_per_l3;
      result.numa_nodes.push({
        id: p * numa + n, memory_bytes: 64 * 2 ** 30, cores: range(first, l3 * cores_per_l3),
      });
      for (let c = 0; c < l3; c += 1) {
        result.caches.push({
          level: 3, type: "unified", size_bytes: l3_mib * 2 ** 20, line_bytes: 64,
          cores: range(first + c * cores_per_l3, cores_per_l3),
        });
      }
    }
  }
  for (let core = 0; core < total; core += 1) {
    result.cores.push({
      id: core, package: Math.floor(core / per_package),
      numa: Math.floor(core / (l3 * cores_per_l3)),
      pus: range(0, smt).map((thread) => core + thread * total),
    });
  }
  return {
    ...result, total_pus: total * smt, allowed_pus: `0-${total * smt - 1}`, allowed_cores: total,
    cgroup_quota_cores: null,
  };
}

function curve(latency_us, gbs, sizes, off = 1) {
  return sizes.map((bytes) => {
    const us = latency_us + (bytes / gbs / 1e3) * (bytes > 65536 ? 1.3 * off : off);
    return { bytes, half_round_trip_us: statistic(us), bandwidth_gbs: bytes / us / 1e3 };
  });
}

const pingpong_sizes = [0, ...Array.from({ length: 23 }, (_, k) => 2 ** k)];

function path(id, name, latency_us, gbs, pairs, pairs_total) {
  const sizes = pingpong_sizes;
  return {
    id, name, pairs, pairs_total, mpi_pingpong: curve(latency_us, gbs, sizes),
    mpi_pingping: curve(latency_us * 1.3, gbs * 0.8, sizes).map(
      ({ bytes, half_round_trip_us, bandwidth_gbs }) =>
        ({ bytes, time_us: half_round_trip_us, bandwidth_gbs })),
    mpi_pingpong_off_cache: [],
    mpi_multi_pair: [1, 2, 4].map((n) => ({
      pairs: n, bytes: 65536, bandwidth_gbs: statistic(gbs * n * 0.85),
    })),
    bare_line_us: statistic(latency_us / 4),
    bare_memcpy: sizes.filter((bytes) => bytes >= 64).map((bytes) => {
      const us = latency_us / 4 + bytes / (gbs * 1.9) / 1e3;
      return { bytes, one_way_us: statistic(us), bandwidth_gbs: bytes / us / 1e3 };
    }),
  };
}

/** A measured node: 2 packages x 2 NUMA x 1 L3 x 4 cores. */
export function measured_machine() {
  const cores = [1, 2, 4, 6, 8, 10, 12, 14, 16];
  const saturate = (k, single, limit) => (single * k) / (1 + (single * k) / limit);
  const stream = [];
  for (const kernel of ["copy", "scale", "add", "triad"]) {
    const factor = { copy: 1, scale: 0.98, add: 1.07, triad: 1.06 }[kernel];
    for (const non_temporal of [false, true]) {
      for (const threads of cores) {
        const gbs = saturate(threads, 17, 190) * factor * (non_temporal ? 1.35 : 1);
        stream.push({
          kernel, non_temporal, threads, array_bytes: 134217728, gbs: statistic(gbs),
        });
      }
    }
  }
  const jacobi = [false, true].flatMap((non_temporal) => cores.map((k) => ({
    cores: k, grid: [400, 400, 400], non_temporal,
    limit_mlups: stream.find((item) => item.kernel === "copy" && item.threads === k
      && item.non_temporal === non_temporal).gbs.median * 1e3 / 16,
    mlups: statistic((saturate(k, 15, 175) * 1e3 / 16) * (non_temporal ? 1.3 : 1)),
  })));
  return {
    schema: "plait-machine", schema_version: 1, plait_version: "0.1.0",
    created: "2026-11-20T11:00:00Z", host: "n0", origin: "measured",
    cpu_model: "AMD EPYC 7343 16-Core Processor", os: "Linux 6.1.0-18-amd64",
    notes: ["Frequency boost was on."],
    topology: topology({ packages: 2, numa: 2, l3: 1, cores_per_l3: 4 }),
    measured: {
      quick: true, duration_s: 25.4,
      mpi: { library: "Open MPI v4.1.4", launcher: "/usr/bin/mpiexec.openmpi" },
      sentinel: {
        kernel: "integer chain", unit: "ns", samples: [1, 1], median: 1, spread: 0.021,
        changed: false,
      },
      stream, jacobi,
      paths: [
        path("l3", "shared L3", 0.31, 11.5, [[0, 1], [0, 2], [4, 5]], 24),
        path("package", "same package", 0.52, 8.4, [[0, 4], [1, 6]], 32),
        path("node", "other package", 0.94, 5.1, [[0, 8], [3, 12]], 64),
      ],
    },
  };
}

function sum(items, of) {
  return items.reduce((total, item) => total + of(item), 0);
}

function efficiencies(parallel, load_balance, threads) {
  const communication = parallel === null ? null : parallel / load_balance;
  const measured = (value) => ({ value, kind: value === null ? "not measured" : "measured" });
  const bound = { value: communication,
    kind: communication === null ? "not measured" : "lower bound" };
  return {
    definition: "POP multiplicative: parallel = load balance x communication; threads beside it",
    parallel: measured(parallel), load_balance: measured(load_balance),
    communication: measured(communication), transfer: bound, serialization: bound,
    threads: measured(threads),
  };
}

function base(command, world_size) {
  return {
    schema: "plait-profile", schema_version: 1, plait_version: "0.1.0",
    created: "2026-11-20T12:00:00Z", command, exit_code: 0, signal: null, wall_s: 12.34,
    context: {
      hosts: [{ name: "n0", ranks: world_size }], cpu_model: "AMD EPYC 7343 16-Core Processor",
      mpi: { abi: "openmpi", library: "Open MPI v4.1.4" },
      launcher: { kind: "openmpi", version: "4.1.4", path: "/usr/bin/mpiexec" },
      omp_runtime: "libgomp", thread_level: "MPI_THREAD_FUNNELED", machine_file: "machine.json",
    },
    world_size, ranks_recorded: world_size, complete: true, missing: [], notes: [],
    cpu_taken_fraction: 0.013,
    overhead: {
      ns_per_call: 18.3, calls: 48200, total_s: 0.00088, fraction: 0.000018, lost_records: 0,
      unseen_entry_points: [],
    },
    next: "plait compare plait-runs/cg-20261120-120000 RUN_B",
  };
}

/** Size classes by powers of two: kind, low_bytes, high_bytes, count, bytes, time_s. */
function size_classes(kind, first, counts) {
  return counts.flatMap((count, index) => {
    const low_bytes = 2 ** (first + index);
    const bytes = Math.round(count * low_bytes * 1.4);
    return count === 0 ? [] : [{
      kind, low_bytes, high_bytes: 2 * low_bytes - 1, count, bytes,
      time_s: count * (0.8e-6 + low_bytes * 2e-10),
    }];
  });
}

/** 4 ranks of 2 threads on a measured machine; rank 3 is slow, rank 0's threads share a core. */
export function hybrid() {
  const random = make_random();
  const ranks = [10.1, 9.8, 9.9, 11.2].map((compute_s, rank) => ({
    rank, host: "n0", pid: 4100 + rank, state: "finalized", wall_s: 12.1, compute_s,
    mpi_s: 12.1 - compute_s - 0.35 - rank * 0.05, omp_idle_s: 0.35 + rank * 0.05, threads: 2,
    calls: 12000 + rank * 10, bytes: 30864197 + rank * 1000, cpu_s: 23.1,
    cpu_taken_s: rank === 0 ? 1.9 : 0.05, voluntary_switches: 10 + rank,
    involuntary_switches: rank === 0 ? 4200 : 20,
  }));
  const calls = [
    ["MPI_Allreduce", 16000, 128000, 3.2, 0.011], ["MPI_Waitall", 8000, 0, 1.1, 0.004],
    ["MPI_Isend", 12000, 61728394, 0.21, 0.0007], ["MPI_Irecv", 12000, 61728394, 0.03, 0.0001],
    ["MPI_Bcast", 40, 163840, 0.012, 0.002], ["MPI_Barrier", 8, 0, 0.4, 0.2],
    ["MPI_Comm_rank", 4, 0, 1.2e-7, 4e-8], ["MPI_Init", 4, 0, 9.5, 2.4],
  ].map(([name, count, bytes, time_s, max_s]) => ({ name, count, bytes, time_s, max_s }));
  const frame = (fun, file, line, offset) =>
    ({ function: fun, file, line, module: "cg", offset });
  const main = frame("main", "main.c", 61, "0x1a10");
  const sites = [
    ["MPI_Allreduce", [frame("dot_product", "src/cg.c", 120, "0x1234"), frame("solve", "src/cg.c",
      188, "0x1300"), main], 8000, 64000, 2.6, 0.2, 1.0, 30.1],
    ["MPI_Waitall", [frame("exchange_halo", "src/halo.c", 77, "0x2010"), frame("solve", "src/cg.c",
      176, "0x12f0"), main], 8000, 0, 1.1, 0.2, 0.4, 2.2],
    ["MPI_Allreduce", [frame("norm", "src/cg.c", 131, "0x1250"), main], 8000, 64000, 0.6, 0.1, 0.2,
      1.0],
    ["MPI_Barrier", [frame("", "", 0, "0x9f10")], 8, 0, 0.4, 0, 0.2, 0.1],
    ["MPI_Isend", [frame("exchange_halo", "src/halo.c", 70, "0x1fe0"), main], 12000, 61728394, 0.21,
      0.05, 0.06, 0.2],
    ["MPI_Irecv", [frame("exchange_halo", "src/halo.c", 64, "0x1fc0"), main], 12000, 61728394, 0.03,
      0.006, 0.009, 0.2],
    ["MPI_Bcast", [frame("read_input", "src/input.c", 33, "0x3100"), main], 40, 163840, 0.012,
      0.001, 0.006, 0.3],
  ].map(([call, frames, count, bytes, time_s, time_min_s, time_max_s, before_s], id) => ({
    id, call, frames, communicator: 0, count, bytes, time_s, time_min_s, time_max_s,
    time_min_rank: 3, time_max_rank: id % 3, before_s, ranks: 4,
  }));
  const point_to_point = [];
  const collective = [];
  for (let from = 0; from < 4; from += 1) {
    for (let to = 0; to < 4; to += 1) {
      if (from === to) continue;
      collective.push([from, to, 4000, 32000]);
      if (Math.abs(from - to) === 1 || Math.abs(from - to) === 3) {
        point_to_point.push([from, to, 1500, Math.round(1e6 + 9e6 * random())]);
      }
    }
  }
  const threads = [];
  for (const phase of ["init", "after_parallel"]) {
    for (let rank = 0; rank < 4; rank += 1) {
      for (let thread = 0; thread < (phase === "init" ? 1 : 2); thread += 1) {
        const cores = rank === 0 ? [0] : rank === 3 ? [12, 13, 14, 15]
          : rank === 2 ? [8, 9] : [4 + thread];
        threads.push({
          host: "n0", rank, thread, tid: 4100 + rank * 10 + thread, cpus: cores.join(","), cores,
          numa: [Math.floor(cores[0] / 4)], phase,
        });
      }
    }
  }
  const profile = {
    ...base(["mpiexec", "-n", "4", "./cg", "--grid", "400 400 400"], 4),
    verdict: "85 % of the time is computation; MPI takes 11 %, mostly MPI_Allreduce at " +
      "dot_product (src/cg.c:120): ranks wait for rank 3.",
    efficiencies: efficiencies(0.8471, 0.9152, 0.911),
    ranks, calls, sites,
    communicators: [
      { id: 0, name: "MPI_COMM_WORLD", size: 4, calls: 28048, bytes: 291840, time_s: 3.6 },
      { id: 1, name: "cartesian", size: 4, calls: 20000, bytes: 123456788, time_s: 1.35 },
    ],
    peer_classes: [
      { class: "collective", count: 16048, bytes: 291840, time_s: 3.6 },
      { class: "same_node", count: 10000, bytes: 41728394, time_s: 1.05 },
    ],
    sizes: [
      ...size_classes("point_to_point", 3, [0, 0, 12, 40, 0, 120, 900, 2400, 3100, 1800, 0, 3628]),
      { kind: "collective", low_bytes: 0, high_bytes: 0, count: 8, bytes: 0, time_s: 0.4 },
      ...size_classes("collective", 3, [16000, 0, 0, 0, 0, 0, 0, 0, 0, 40]),
    ],
    matrix: { size: 4, nodes: [0, 0, 0, 0], point_to_point, collective, left_out: 0 },
    openmp: {
      measured: "gomp", runtime: "libgomp",
      regions: [
        { function: "solve._omp_fn.0", file: "src/cg.c", line: 90, count: 16000, threads: 2,
          time_s: 30.2, busy_s: 56.0, idle_s: 4.4 },
        { function: "apply._omp_fn.1", file: "src/stencil.c", line: 41, count: 16000, threads: 2,
          time_s: 9.1, busy_s: 17.4, idle_s: 0.8 },
      ],
      threads: ranks.flatMap(({ rank }) => [0, 1].map((thread) =>
        ({ rank, thread, busy_s: 9.2 - thread * 0.4, idle_s: 0.3 + thread * 0.4 }))),
    },
    regions: [
      { name: "assembly", count: 4, time_s: 3.1, mpi_s: 0.05, ranks: 4 },
      { name: "solve", count: 40, time_s: 43.2, mpi_s: 4.6, ranks: 4 },
    ],
    placement: { threads,
      judgement: "4 ranks x 2 threads on 16 cores: both threads of rank 0 share core 0." },
    findings: [
      {
        id: "unbound", severity: "medium", what: "threads of rank 3 are not bound",
        evidence: "rank 3: 2 threads, allowed cores {12, 13, 14, 15}",
        cost: "threads may move and lose their caches",
          mend: "OMP_PROC_BIND=close OMP_PLACES=cores",
      },
      {
        id: "threads_on_one_core", severity: "high", what: "Both threads of rank 0 run on core 0",
        evidence: "rank 0: 2 threads, allowed cpus {0}; 4 200 involuntary switches",
        cost: "up to 50 % of the threads' time", mend: "mpirun --map-by slot:PE=2 --bind-to core",
      },
    ],
  };
  return { profile, machine: measured_machine(), compare: null };
}

function spread(median, low = median, high = median) {
  return { median, low, high };
}

/** The hybrid run three times as side B, compared with three runs of another placement. */
export function compared() {
  const data = hybrid();
  const call = (name, a_s, b_s, a_count, b_count, a_bytes, b_bytes) =>
    ({ name, a_s, b_s, a_count, b_count, a_bytes, b_bytes });
  const phase = (name, each, parallel) => ({
    name, ranks: 4, repetitions: 40, seconds: 40 * each, each_s: spread(each, each, 1.1 * each),
    parallel, load_balance: 0.93, serialization: null, transfer: 0.97, calls: 2,
    mpi_s: each / 4, dearest: name, dearest_s: each / 5,
  });
  const command = ["mpiexec", "-n", "4", "./cg", "--grid", "400 400 400"];
  data.compare = {
    schema: "plait-compare", schema_version: 1,
    sentence: "B is 1.52 times faster than A: MPI_Allreduce fell from 5.20 s to 800 ms.",
    a: { name: "3 runs", runs: 3, command: ["mpiexec", "--bind-to", "none", ...command.slice(1)] },
    b: { name: "3 runs", runs: 3, command },
    figures: [
      { name: "wall time of the command", unit: "s", a: spread(18.7, 18.5, 19.2), b: spread(12.3,
        12.1, 12.6) },
      { name: "computation", unit: "s", a: spread(10.4, 10.2, 10.9), b: spread(10.26, 10.1, 10.3) },
      { name: "MPI", unit: "s", a: spread(0.06, 0.05, 0.07), b: spread(1.35, 1.2, 1.4) },
      { name: "waiting OpenMP threads", unit: "s", a: null, b: spread(0.425) },
      { name: "parallel efficiency", unit: "fraction", a: spread(0.561, 0.55, 0.572),
        b: spread(0.8471, 0.842, 0.851) },
    ],
    calls: [
      call("MPI_Allreduce", 5.2, 0.8, 16000, 16000, 128000, 128000),
      call("MPI_Waitall", 0, 0.275, 0, 8000, 0, 0),
      call("MPI_Bcast", 0.0031, 0.003, 40, 40, 163840, 163840),
      call("MPI_Comm_rank", 3e-8, 3e-8, 4, 4, 0, 0),
      call("MPI_Sendrecv", 0.04, 0, 12000, 0, 61728394, 0),
    ],
    phases: [
      { a: phase("MPI_Allreduce", 0.4, 0.52), b: phase("MPI_Allreduce", 0.3, 0.85),
        aligned_by: "calls", ratio: spread(0.75, 0.73, 0.77) },
      { a: phase("MPI_Sendrecv", 0.01, 0.9), b: null, aligned_by: "", ratio: null },
    ],
    findings_gone: ["All ranks run on core 0"],
    findings_new: ["threads of rank 3 are not bound"],
    unfair: ["threads a rank: 1 in A, 2 in B", "hosts: n1 in A, n0 in B"],
    notes: ["the machine was busy during a run of A"],
  };
  return data;
}

/** 1024 ranks on 16 nodes of 64 cores: a 3D halo exchange; the machine has a topology only. */
export function large() {
  const random = make_random(11);
  const n = 1024;
  const [nx, ny, nz] = [16, 8, 8];
  const node = (rank) => Math.floor(rank / 64);
  const host = (rank) => `n${String(node(rank)).padStart(2, "0")}`;
  const ranks = Array.from({ length: n }, (_, rank) => {
    const compute_s = 30 + 4 * random() + (node(rank) === 5 ? 3 : 0);
    return {
      rank, host: host(rank), pid: 1000 + rank, state: "finalized", wall_s: 41,
      compute_s, mpi_s: 41 - compute_s, omp_idle_s: 0, threads: 1, calls: 60000, bytes: 480000000,
      cpu_s: 41, cpu_taken_s: 0.2 * random(), voluntary_switches: 12, involuntary_switches: 40,
    };
  });
  const at = (x, y, z) => ((z + nz) % nz) * nx * ny + ((y + ny) % ny) * nx + ((x + nx) % nx);
  const point_to_point = [];
  for (let rank = 0; rank < n; rank += 1) {
    const [x, y, z] = [rank % nx, Math.floor(rank / nx) % ny, Math.floor(rank / (nx * ny))];
    for (const [to, bytes] of [[at(x - 1, y, z), 8192], [at(x + 1, y, z), 8192],
      [at(x, y - 1, z), 16384], [at(x, y + 1, z), 16384], [at(x, y, z - 1), 65536],
      [at(x, y, z + 1), 65536]]) {
      point_to_point.push([rank, to, 10000, 10000 * bytes]);
    }
  }
  const collective = [];
  for (let from = 0; from < n; from += 1) {
    for (let bit = 1; bit < n; bit *= 2) collective.push([from, from ^ bit, 500, 4000]);
  }
  const mpi_s = sum(ranks, (rank) => rank.mpi_s);
  const calls = [
    { name: "MPI_Waitall", count: n * 10000, bytes: 0, time_s: mpi_s * 0.8, max_s: 0.02 },
    { name: "MPI_Allreduce", count: n * 500, bytes: n * 4000, time_s: mpi_s * 0.2, max_s: 0.1 },
  ];
  const sites = Array.from({ length: 300 }, (_, id) => ({
    id, call: id % 3 === 0 ? "MPI_Allreduce" : "MPI_Waitall",
    frames: [{ function: `phase_${id}`, file: "halo.F90", line: 10 + id, module: "jacobi",
      offset: "0x10" }],
    communicator: 0, count: 1000 + id, bytes: id * 8, time_s: mpi_s / 300, time_min_s: 0.01,
    time_max_s: 0.4, time_min_rank: 320, time_max_rank: 7, before_s: 10, ranks: n,
  }));
  const profile = {
    ...base(["srun", "-n", "1024", "./jacobi", "800", "800", "800"], n),
    wall_s: 41.9,
    verdict: "78 % of the time is computation; MPI takes 22 %: node n05 is slow.",
    efficiencies: efficiencies(0.78, 0.86, null),
    ranks, calls, sites, communicators: [], peer_classes: [],
    sizes: size_classes("point_to_point", 13, [20480000, 20480000, 0, 20480000]),
    matrix: { size: n, nodes: ranks.map(({ rank }) => node(rank)), point_to_point, collective,
      left_out: 0 },
    openmp: { measured: "no OpenMP", runtime: "", regions: [], threads: [] }, regions: [],
    placement: {
      threads: ranks.map(({ rank }) => ({
        host: host(rank), rank, thread: 0, tid: 1000 + rank, cpus: String(rank % 64),
        cores: [rank % 64], numa: [Math.floor((rank % 64) / 16)], phase: "init",
      })),
      judgement: "1024 ranks, each bound to one core of its own.",
    },
    findings: [],
  };
  profile.context.hosts = Array.from({ length: 16 }, (_, i) => ({ name: host(i * 64), ranks: 64 }));
  profile.context.omp_runtime = "";
  const machine = {
    ...measured_machine(), origin: "recorded",
    topology: topology({ packages: 2, numa: 2, l3: 2, cores_per_l3: 8, smt: 2 }),
  };
  delete machine.measured;
  return { profile, machine, compare: null };
}

/** Rank 2 of 4 was killed: its records end early, rank 3 has none. */
export function killed() {
  const data = hybrid();
  const { profile } = data;
  Object.assign(profile, {
    exit_code: null, signal: 9, complete: false, ranks_recorded: 3,
    missing: ["rank 2 ended without MPI_Finalize", "rank 3 left no record"],
    notes: ["times end with the last record"],
    verdict: "The program was killed after 12.3 s; rank 3 left no record.",
  });
  profile.ranks = profile.ranks.slice(0, 3);
  profile.ranks[2].state = "initialized";
  profile.overhead.lost_records = 17;
  profile.overhead.unseen_entry_points = ["MPI_Register_datarep", "mpi_sizeof_"];
  profile.openmp = { measured: "not measured", runtime: "libomp", regions: [], threads: [] };
  data.machine = null;
  return data;
}

/** A program that never called MPI. */
export function no_mpi() {
  const profile = {
    ...base(["/bin/true"], 0), wall_s: 0.004, verdict: "The program made no MPI call.",
    efficiencies: efficiencies(null, null, null), ranks: [], calls: [], sites: [],
      communicators: [],
    peer_classes: [], sizes: [], matrix: { size: 0, nodes: [], point_to_point: [], collective: [],
      left_out: 0 },
    openmp: { measured: "no OpenMP", runtime: "", regions: [], threads: [] }, regions: [],
    placement: { threads: [], judgement: "" }, findings: [],
  };
  profile.context.hosts = [{ name: "n0", ranks: 0 }];
  profile.context.mpi = { abi: "", library: "" };
  profile.context.omp_runtime = "";
  return { profile, machine: null, compare: null };
}

export const hostile_strings = [
  "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>",
  "\"><svg onload=alert(3)>", "<!--<script>", "{{constructor}} ${alert(4)} {a|b}",
];

/** A run (the hybrid one) with hostile strings in every place that holds text. */
export function hostile(data = hybrid()) {
  const kept = new Set(["schema", "created", "kind", "severity", "measured", "phase", "class",
    "type"]);
  let next = 0;
  const poison = (value, key) => {
    if (typeof value === "string" && !kept.has(key)) {
      next += 1;
      return `${hostile_strings[next % hostile_strings.length]} ${value}`;
    }
    if (Array.isArray(value)) return value.map((item) => poison(item, key));
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, poison(item,
        name)]));
    }
    return value;
  };
  const poisoned = poison(data, "");
  poisoned.profile.command = ["mpiexec", ...hostile_strings];
  return poisoned;
}
