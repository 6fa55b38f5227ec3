// SPDX-License-Identifier: BSD-3-Clause
// Synthetic profiles, one for each situation that a report has to distinguish.
#include "synthetic_profiles.hpp"

#include <algorithm>

#include "model/efficiencies.hpp"
#include "report/findings.hpp"
#include "report/verdict.hpp"

namespace plait::report {
namespace {

EfficiencyValue value_of(const model::Efficiency& of) {
  return {of.value, to_string(of.kind)};
}

/// Ranks with these times outside MPI in a run of `wall_s`; idle times are zero.
Profile with_ranks(const std::vector<double>& compute_s, double wall_s) {
  Profile profile;
  profile.plait_version = "0.1.0";
  profile.created = "2026-11-20T12:00:00Z";
  const int n = static_cast<int>(compute_s.size());
  profile.command = {"mpiexec", "-n", std::to_string(n), "./cg", "--size", "512"};
  profile.exit_code = 0;
  profile.wall_s = wall_s + 0.4;
  profile.context.hosts = {{"n0", n}};
  profile.context.cpu_model = "AMD EPYC 7763 64-Core Processor";
  profile.context.mpi = {"openmpi", "Open MPI 4.1.4"};
  profile.context.launcher = {"openmpi", "4.1.4", "/usr/bin/mpiexec"};
  profile.context.thread_level = "MPI_THREAD_SINGLE";
  profile.context.machine_file = "machine.json";
  profile.world_size = n;
  profile.ranks_recorded = n;
  profile.complete = true;
  profile.openmp.measured = "no OpenMP";
  profile.efficiencies.definition = "POP multiplicative: parallel = load balance x communication";
  for (int i = 0; i < n; ++i) {
    const double compute = compute_s[static_cast<std::size_t>(i)];
    profile.ranks.push_back({i, "n0", 100 + i, "finalized", wall_s, wall_s - compute, compute, 0, 1,
                             12000, 96000, wall_s, 0, 10, 200});
    profile.matrix.nodes.push_back(0);
  }
  profile.matrix.size = n;
  profile.overhead = {18.0, 12000U * static_cast<unsigned>(n), 0.0002 * n, 0.00002, 0, {}};
  profile.next = "plait run -- mpiexec -n 4 ./cg  # after a change, then plait compare";
  return profile;
}

SiteRow site(int id, const std::string& call, const Frame& frame, std::uint64_t count,
             std::uint64_t bytes, double time_s, double time_min_s, double time_max_s, int ranks) {
  SiteRow row;
  row.id = id;
  row.call = call;
  row.frames = {frame, {"main", "/home/u/cg/main.c", 31, "/home/u/cg/cg", "0x1200"}};
  row.count = count;
  row.bytes = bytes;
  row.time_s = time_s;
  row.time_min_s = time_min_s;
  row.time_max_s = time_max_s;
  row.time_min_rank = ranks - 1;
  row.time_max_rank = 0;
  row.ranks = ranks;
  return row;
}

const Frame kSolve{"solve", "/home/u/cg/cg.c", 120, "/home/u/cg/cg", "0x1834"};
const Frame kHalo{"exchange_halo", "/home/u/cg/halo.c", 58, "/home/u/cg/cg", "0x1a10"};
const Frame kStart{"main", "/home/u/cg/main.c", 12, "/home/u/cg/cg", "0x1100"};

/// Sets the fields that follow from the others.
Profile finished(Profile profile, bool openmp_visible = false) {
  std::vector<model::RankTime> ranks;
  for (const RankRow& rank : profile.ranks) {
    ranks.push_back({rank.wall_s, rank.mpi_s, rank.cpu_wait_s, rank.threads, rank.compute_wait_s,
                     rank.mpi_wait_s});
  }
  std::vector<model::ThreadTime> threads;
  for (const OmpThreadRow& thread : profile.openmp.threads) {
    threads.push_back({thread.busy_s, thread.idle_s});
  }
  const model::Efficiencies of = model::efficiencies(ranks, threads, openmp_visible);
  EfficiencyTable& table = profile.efficiencies;
  table.parallel = value_of(of.parallel);
  table.load_balance = value_of(of.load_balance);
  table.communication = value_of(of.communication);
  table.transfer = value_of(of.transfer);
  table.serialization = value_of(of.serialization);
  table.threads = value_of(of.threads);
  table.cpu = value_of(of.cpu);
  profile.cpu_wait_fraction = of.cpu_wait_fraction;
  sort_findings(profile.findings);
  profile.verdict = verdict(profile);
  return profile;
}

}  // namespace

Profile healthy_profile() {
  Profile profile = with_ranks({11.64, 11.66, 11.62, 11.65}, 12.0);
  profile.sites = {site(0, "MPI_Init", kStart, 4, 0, 0.8, 0.2, 0.2, 4),
                   site(1, "MPI_Allreduce", kSolve, 16000, 128000, 0.9, 0.2, 0.25, 4),
                   site(2, "MPI_Sendrecv", kHalo, 32000, 524288000, 0.53, 0.12, 0.15, 4)};
  return finished(profile);
}

Profile imbalanced_profile() {
  Profile profile = with_ranks({5.6, 5.9, 5.7, 11.5}, 12.0);
  profile.sites = {site(0, "MPI_Allreduce", kSolve, 16000, 128000, 18.2, 0.3, 6.2, 4),
                   site(1, "MPI_Sendrecv", kHalo, 32000, 524288000, 1.1, 0.2, 0.3, 4)};
  profile.findings = {{"load_imbalance", "medium", "rank 3 computes 1.60 times the mean",
                       "outside MPI: rank 3 11.5 s, mean 7.18 s", "up to 36 % of the run",
                       "give rank 3 less work, or start with more, smaller parts"}};
  return finished(profile);
}

Profile wrapped_profile() {
  Profile profile = with_ranks({3, 3, 3, 3}, 7);
  const std::string program = "/home/u/amg/amg";
  const Frame wait{"comm_wait", "/home/u/amg/comm.c", 52, program, "0x10"};
  const Frame main{"main", "/home/u/amg/main.c", 9, program, "0x50"};
  const auto amg = [&](const char* function, int line) {
    return Frame{function, "/home/u/amg/amg.c", line, program, "0x20"};
  };
  profile.sites = {site(0, "MPI_Waitall", wait, 200, 0, 9, 2, 2.5, 4),
                   site(1, "MPI_Waitall", wait, 100, 0, 3, 0.5, 1, 4),
                   site(2, "MPI_Allreduce", amg("norm", 40), 10, 80, 0.5, 0.1, 0.2, 4),
                   site(3, "MPI_Init", main, 4, 0, 0.8, 0.2, 0.2, 4)};
  profile.sites[0].frames = {wait, amg("matvec", 30), main};
  profile.sites[1].frames = {wait, amg("exchange_rows", 20), main};
  profile.sites[2].frames = {amg("norm", 40), main};
  return finished(profile);
}

Profile communication_profile() {
  Profile profile = with_ranks({3.1, 3.0, 3.2, 3.1, 3.0, 3.1, 3.2, 3.0}, 9.0);
  const Frame transpose{"void fft::Plan<double, 3>::transpose<true>(std::vector<double>&) const",
                        "/home/u/fft/src/transpose.cpp", 212, "/home/u/fft/fft3d", "0x4411"};
  profile.command = {"srun", "-n", "8", "./fft3d", "in put.nml"};
  profile.context.launcher = {"slurm", "23.02", "/usr/bin/srun"};
  profile.context.mpi = {"mpich", "MPICH 4.0.2"};
  profile.sites = {site(0, "MPI_Alltoallv", transpose, 4000, 68719476736, 44.0, 5.4, 5.6, 8),
                   site(1, "MPI_Bcast", kSolve, 80, 6400, 2.1, 0.0, 0.3, 8),
                   site(2, "MPI_Wait", kHalo, 123456789, 0, 1.2, 0.1, 0.2, 8),
                   site(3, "MPI_Isend", {"", "", 0, "/opt/lib/libblacs.so.2", "0x99e0"}, 4096,
                        1048576, 0.004, 0.0005, 0.0005, 8)};
  profile.findings = {
      {"tiny_messages", "low", "98 % of the messages are smaller than 256 bytes",
       "121 M of 123 M point-to-point messages", "5.1 % of the time, dominated by latency",
       "combine several messages into one"},
      {"unseen_entry_points", "medium", "Plait does not record MPIX_Foo and 1 more",
       "MPIX_Foo MPIX_Bar", "time in these functions counts as computation", ""}};
  profile.overhead.unseen_entry_points = {"MPIX_Foo", "MPIX_Bar"};
  return finished(profile);
}

Profile one_core_profile() {
  Profile profile = with_ranks({9.0, 9.1}, 10.0);
  profile.command = {"mpiexec", "-n", "2", "./hybrid"};
  for (RankRow& rank : profile.ranks) {
    rank.threads = 2;
    rank.omp_idle_s = 3.2;
    rank.compute_s -= 3.2;
    rank.cpu_wait_s = 4.5;
    for (int thread = 0; thread < 2; ++thread) {
      profile.openmp.threads.push_back({rank.rank, thread, 4.4, 3.2});
      profile.placement.threads.push_back({"n0",
                                           rank.rank,
                                           thread,
                                           100 + rank.rank + thread,
                                           std::to_string(rank.rank),
                                           {rank.rank},
                                           {0},
                                           "after_parallel"});
    }
  }
  profile.context.omp_runtime = "libgomp";
  profile.openmp.measured = "gomp";
  profile.openmp.runtime = "libgomp";
  profile.openmp.regions = {{"solve._omp_fn.0", "/home/u/cg/cg.c", 90, 2000, 2.0, 7.6, 17.6, 12.8}};
  profile.placement.judgement = "2 ranks x 2 threads on 2 cores: both threads of rank 0 on core 0";
  profile.findings = {{"threads_on_one_core", "high",
                       "the 2 threads of each of 2 ranks run on one core",
                       "rank 0: 2 threads, allowed CPUs {0}", "up to 50 % of the threads' time",
                       "mpiexec --map-by slot:PE=2 --bind-to core -n 2 ./hybrid"}};
  profile.sites = {site(0, "MPI_Allreduce", kSolve, 4000, 32000, 1.9, 0.9, 1.0, 2)};
  return finished(profile, true);
}

Profile killed_profile() {
  Profile profile = with_ranks({2.9, 3.0, 2.9, 2.9}, 3.2);
  profile.exit_code = 137;
  profile.complete = false;
  profile.ranks.erase(profile.ranks.begin() + 1);
  profile.ranks_recorded = 3;
  profile.missing = {
      "rank 2 (pid 102) ended without MPI_Finalize; its records end 3.2 s after its start",
      "rank 1 left no records"};
  for (RankRow& rank : profile.ranks) rank.state = "initialized";
  profile.sites = {site(0, "MPI_Sendrecv", kHalo, 900, 7372800, 0.7, 0.2, 0.3, 3)};
  return finished(profile);
}

Profile many_ranks_profile() {
  std::vector<double> compute;
  for (int i = 0; i < 256; ++i) compute.push_back(40.0 + (i * 37 % 256) * 0.05);
  Profile profile = with_ranks(compute, 60.0);
  profile.context.hosts = {{"n0", 64}, {"n1", 64}, {"n2", 64}, {"n3", 64}};
  for (RankRow& rank : profile.ranks) rank.cpu_wait_s = 1.8;
  profile.sites = {site(0, "MPI_Waitall", kHalo, 2560000, 0, 3200.0, 2.0, 16.0, 256),
                   site(1, "MPI_Allreduce", kSolve, 1024000, 8192000, 211.0, 0.3, 1.4, 256)};
  for (int i = 0; i < 6; ++i) {
    profile.findings.push_back({"load_imbalance", i == 0 ? "high" : "low",
                                "rank 173 computes 1.14 times the mean", "evidence", "12 %",
                                "a fix that is long enough to need a second line because it "
                                "names an exact option such as --map-by ppr:8:l3cache"});
  }
  return finished(profile);
}

Profile no_mpi_calls_profile() {
  Profile profile = with_ranks({5.0, 5.0}, 5.0);
  profile.command = {"mpiexec", "-n", "2", "./farm"};
  profile.sites = {site(0, "MPI_Init", kStart, 2, 0, 0.3, 0.1, 0.2, 2),
                   site(1, "MPI_Finalize", kStart, 2, 0, 0.1, 0.05, 0.05, 2)};
  return finished(profile);
}

Profile one_rank_profile() {
  Profile profile = with_ranks({7.9}, 8.0);
  profile.command = {"python3", "one.py"};
  profile.context.launcher = {};
  profile.openmp.measured = "not measured";
  profile.openmp.runtime = "libopenblas";
  profile.sites = {site(0, "MPI_Allreduce", {"__pyx_pw_6mpi4py", "", 0, "MPI.so", "0x10"}, 10, 80,
                        0.1, 0.1, 0.1, 1)};
  return finished(profile);
}

Profile without_ranks_profile() {
  Profile profile = with_ranks({}, 0.1);
  profile.command = {"true"};
  profile.context.mpi = {};
  return finished(profile);
}

Profile hostile_profile() {
  Profile profile = with_ranks({3, 1, 2, 9, 4, 5, 6, 7}, 9.5);
  std::string wide;
  for (int i = 0; i < 60; ++i) wide += "\u6d41\u4f53e\u0301";
  const std::string nasty = "\033[2J\a</script><b>\n\xff\xfe" + wide;
  profile.command = {nasty, "--" + std::string(400, 'x')};
  profile.signal = 11;
  profile.context.hosts = {{nasty, 8}};
  profile.context.mpi.library = nasty;
  profile.missing = {nasty + " " + nasty, nasty, nasty};
  profile.overhead.unseen_entry_points = std::vector<std::string>(90, "MPI_Something_very_long");
  for (int i = 0; i < 20; ++i) {
    profile.sites.push_back(site(i, "MPI_" + nasty, {nasty, nasty, 1 << 30, nasty, "0x1"},
                                 18446744073709551615U, 18446744073709551615U, 1e9, 0, 1e9, 8));
    profile.findings.push_back({nasty, "high", nasty, nasty, nasty, nasty + " " + nasty});
  }
  profile.next = nasty;
  return finished(profile);
}

Profile full_profile() {
  Profile profile = one_core_profile();
  profile.signal = 9;
  profile.missing = {"rank 1 left no records"};
  profile.notes = {"addr2line was not found"};
  profile.calls = {{"MPI_Allreduce", 4000, 32000, 1.9, 0.01}};
  profile.communicators = {{0, "MPI_COMM_WORLD", 2, 4000, 32000, 1.9}};
  profile.peer_classes = {{"collective", 4000, 32000, 1.9}};
  profile.sizes = {{"point_to_point", 1024, 2047, 10, 12000, 0.01}};
  profile.matrix.point_to_point = {{0, 1, 100, 4096}};
  profile.matrix.collective = {{0, 1, 100, 800}, {1, 0, 100, 800}};
  profile.regions = {{"solve/assembly", 10, 3.0, 0.5, 2}};
  profile.parts = {{"ocean", "0", 1, 1, 1, 10, 6, 1, 3, 0}, {"ice", "1", 1, 2, 4, 10, 4, 0, 5, 1}};
  profile.functions = {{"mesh::assemble(int)",
                        "/home/u/cg/mesh.cpp",
                        60,
                        40,
                        4.7,
                        2.1,
                        2,
                        2,
                        1,
                        1.5,
                        true,
                        {{0, 0, 20, 2.0, 0.6}, {1, 0, 20, 2.7, 1.5}}}};
  profile.overhead.unseen_entry_points = {"MPIX_Foo"};
  Computation& sampled = profile.computation.emplace();
  sampled.rate_hz = 100;
  sampled.clock = "cpu";
  sampled.samples = 2000;
  sampled.code_share = 0.8;
  sampled.mpi_share = sampled.openmp_share = 0.1;
  sampled.lost = 3;
  sampled.truncated = 4;
  sampled.sample_us = 5;
  sampled.overhead_percent = 0.05;
  sampled.hot_spots = {{{"cg::solve", "/home/u/cg/cg.cpp", 90, "/home/u/cg/cg"},
                        0.6,
                        0.57,
                        0.63,
                        9.6,
                        {0.6, 0.6},
                        1,
                        1.2,
                        1,
                        0.5}};
  sampled.difference =
      DifferenceRow{{"assemble", "/home/u/cg/mesh.cpp", 62, "/home/u/cg/cg"}, 1, 4, 3, 1.33, 0.9};
  sampled.serial =
      SerialRow{{"cg::solve", "/home/u/cg/cg.cpp", 80, "/home/u/cg/cg"}, 0.71, 0.68, 0.74, 12,
                {"setup", "/home/u/cg/mesh.cpp", 12, "/home/u/cg/cg"}};
  profile.counters.events = {{"cycles", 4, 1, "too many open files", true, 0.5}};
  profile.counters.regions = {{"", 2, 16, 2, {4e9}, {1e9}}, {"solve", 2, 8, 1, {{}}, {5e8}}};
  profile.counters.threads = {{0, 1, 101, "solve", 4, 1, {2e9}, {{}}}};
  profile.counters.derived = {{"memory_bandwidth", "", "memory bandwidth of a node", 5, "GB/s", 20,
                               "STREAM triad, 8 threads"}};
  profile.counters.readings = 100;
  profile.counters.reading_ns = 650;
  profile.counters.overhead = 0.001;
  profile.counters.energy = {{"n0", "package-0", 400, 40}};
  profile.counters.roofline = {{{-1, "", 0.25, 4}, {0, "", 0.2, 2}},
                               {{"STREAM triad, 8 threads", 20}},
                               {{"peak (AVX2), 8 cores", 200}},
                               "a part is missing"};
  remap::RemapFile& remapping = profile.remapping.emplace();
  remapping.host = "n0";
  remapping.interval_s = 2;
  remapping.ranks = 2;
  remapping.intervals = 9;
  remapping.stopped = "the processes of the program changed";
  remap::Decision& decision = remapping.decisions.emplace_back();
  decision.at_s = 4;
  decision.asked = true;
  decision.move.interval_s = 2;
  decision.move.predicted_gain_s = 0.12;
  decision.move.cost_s = 0.0007;
  decision.move.effect = remap::Effect::faster;
  decision.move.speed = 1.06;
  decision.ranks = {{0, "2", "4"}, {1, "4", "2"}};
  profile.memory.heap = true;
  profile.memory.ranks = {{0, "n0", 1 << 30, 1 << 29, 1 << 28, 1 << 20, 5000, 2, 1e6, 900, 800,
                           9000, 1000, 2000, 9.5, 0.25}};
  profile.memory.hosts = {{"n0", 2, 2ULL << 30, 4ULL << 30, "the node"}};
  profile.memory.series = {{0, {{0, 1e6}, {1, 2e6}}}};
  profile.io.measured = true;
  profile.io.ranks = {{0, 0.5, 1200, 4096, 65536, 5000, 70000, 0, 65536}};
  IoFileRow file;
  file.path = "/scratch/out.dat";
  file.kind = "posix";
  file.ranks = file.writers = 2;
  file.open = {2, 0, 0, 0.01, 0.01};
  file.write = {1000, 0, 65536, 0.4, 0.01};
  file.read_sizes = {0, 0, 0, 0, 0, 0};
  file.write_sizes = {1000, 0, 0, 0, 0, 0};
  file.slowest_rank = 1;
  file.slowest_s = 0.3;
  profile.io.files = {file};
  profile.io.series = {{0, {{0, 100, 0}, {1.5, 0, 65536}}}};
  return profile;
}

}  // namespace plait::report
