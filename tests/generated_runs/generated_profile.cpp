// SPDX-License-Identifier: BSD-3-Clause
// Generates runs of many ranks: run directories with a record for each rank, as plait run writes.
#include "generated_profile.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <stdexcept>

#include "synthetic_record.hpp"

namespace plait::generated {
namespace {

using trace::test::SyntheticRecord;

constexpr double kTicksPerSecond = 2e9;
constexpr std::uint64_t kLoaded = 1000;
constexpr int kSteps = 100;
constexpr std::uint64_t kHaloBytes = 65'536;
/// As many entries as the tables of a thread have that calls few functions.
constexpr std::size_t kCalls = 2048, kPeers = 512, kCollectives = 128;
constexpr int kFunctions = 400;  // of MPI, all of which a record names
constexpr std::uint64_t kFrames = 4;

enum Function : std::uint32_t { init, finalize, irecv, isend, waitall, allreduce, barrier, bcast };
constexpr const char* kNames[] = {"MPI_Init",    "MPI_Finalize",  "MPI_Irecv",   "MPI_Isend",
                                  "MPI_Waitall", "MPI_Allreduce", "MPI_Barrier", "MPI_Bcast"};
constexpr std::uint32_t kWorld = 1;

/// A number from 0 to 1 that depends on the arguments only (splitmix64).
double noise(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15U + index * 0xbf58476d1ce4e5b9U + 0x94d049bb133111ebU;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((x ^ (x >> 31U)) >> 11U) * 0x1p-53;
}

std::uint64_t ticks(double seconds) {
  return static_cast<std::uint64_t>(seconds * kTicksPerSecond);
}

plait_clock_sample clock_at(double seconds) {
  return {kLoaded + ticks(seconds), 1'700'000'000'000'000'000 + std::llround(seconds * 1e9),
          5'000'000'000 + std::llround(seconds * 1e9)};
}

/// Puts an entry into a hash table as the preload objects do: at its key, or behind it.
template <class Entry>
void put(std::vector<Entry>& table, const Entry& entry) {
  std::size_t at = (entry.key * 0x9e3779b97f4a7c15U >> 32U) % table.size();
  while (table[at].key != 0) at = (at + 1) % table.size();
  table[at] = entry;
}

/// The record of one rank after another, in the same memory.
class RecordMaker {
public:
  explicit RecordMaker(const RunShape& shape) : shape_(shape) {
    for (int rank = 0; rank < shape.ranks; ++rank) {
      longest_s_ = std::max(longest_s_, compute_s(shape, rank));
    }
  }

  SyntheticRecord make(int rank) const {
    SyntheticRecord record(std::size_t{1} << 18U, 1U << 14U);
    describe(record, rank);
    define(record, rank);
    record.table<plait_thread_record>(PLAIT_SECTION_THREADS, {thread(record, rank)});
    sample(record, rank);
    record.header().file_bytes = record.bytes().size();
    return record;
  }

private:
  void describe(SyntheticRecord& record, int rank) const {
    plait_record_header& head = record.header();
    const double end_s = 2 + kSteps * longest_s_;
    head.state = PLAIT_STATE_EXITED;
    head.world_rank = rank;
    head.world_size = shape_.ranks;
    head.pid = 1000 + rank;
    head.thread_provided = 1;
    head.at_init_begin = clock_at(0.5);
    head.at_init_end = clock_at(1);
    head.at_last = clock_at(end_s);
    head.overhead_ns_per_call = 20;
    head.allowed_cpus = shape_.ranks_per_node;
    head.mpi_yields = 0;
    head.host = record.string(host_of(shape_, rank));
    head.library = record.string("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4");
    head.program = record.string("/nowhere/app");
    head.process_cpu_ns[1] = static_cast<std::uint64_t>(end_s * 1e9);
  }

  void define(SyntheticRecord& record, int rank) const {
    std::vector<plait_function_record> functions;
    for (int i = 0; i < kFunctions; ++i) {
      const bool used = i < static_cast<int>(std::size(kNames));
      functions.push_back({record.string(used ? kNames[i] : fmt::format("MPI_Other_{}", i)),
                           i >= static_cast<int>(allreduce) ? 1U : 0U});
    }
    record.table(PLAIT_SECTION_FUNCTIONS, functions);
    // Where they are mapped differs between ranks.
    const std::uint64_t base = 0x5500'0000'0000U + static_cast<std::uint64_t>(rank) * 0x10'0000U;
    record.table<plait_module_record>(
        PLAIT_SECTION_MODULES,
        {{base, base + 0x8'0000, 0, record.string("/nowhere/app"), 0},
         {base + 0x8'0000, base + 0xf'0000, 0, record.string("/nowhere/libmpi.so.40"), 0}});
    std::vector<plait_site_record> sites(1);
    for (std::uint64_t function = 0; function < std::size(kNames); ++function) {
      plait_site_record site{};
      site.key = function + 1;
      site.depth = kFrames;
      for (std::uint64_t i = 0; i < kFrames; ++i) {
        site.pc[i] = base + 0x1000 * (i + 1) + (i < 2 ? 0x40 * function : 0);
      }
      sites.push_back(site);
    }
    record.table(PLAIT_SECTION_SITES, sites);
    record.table<plait_rank_run>(PLAIT_SECTION_RANKS,
                                 {{0, static_cast<std::uint32_t>(shape_.ranks), 1}});
    record.table<plait_comm_record>(
        PLAIT_SECTION_COMMS,
        {{}, {record.string("MPI_COMM_WORLD"), shape_.ranks, rank, 0, 0, 0, 77}});
  }

  plait_thread_record thread(SyntheticRecord& record, int rank) const {
    const std::vector<int> partners = neighbours_of(shape_, rank);
    const auto exchanges = kSteps * partners.size();
    const double wait_s = kSteps * (longest_s_ - compute_s(shape_, rank));
    std::vector<plait_call_entry> calls(kCalls);
    std::uint64_t mpi = 0;
    const auto call = [&](Function function, plait_peer_class peer, std::uint64_t count,
                          std::uint64_t bytes, double seconds) {
      const auto size_class =
          bytes == 0 ? 0U : 64U - static_cast<unsigned>(__builtin_clzll(bytes / count));
      plait_call_entry entry{};
      entry.key = PLAIT_CALL_KEY(function, function + 1, function < irecv ? 0 : kWorld, peer,
                                 std::min(63U, size_class));
      entry.count = count;
      entry.bytes = bytes;
      entry.ticks = ticks(seconds);
      entry.max_ticks = 2 * entry.ticks / count;
      entry.first_ticks = kLoaded + ticks(1);
      put(calls, entry);
      mpi += entry.ticks;
    };
    call(init, PLAIT_PEER_NONE, 1, 0, 0.5);
    call(irecv, PLAIT_PEER_NODE, exchanges, exchanges * kHaloBytes, 1e-6 * kSteps);
    std::uint64_t remote = 0;
    for (const int partner : partners) {
      if (host_of(shape_, partner) != host_of(shape_, rank)) ++remote;
    }
    const auto sends = [&](plait_peer_class peer, std::uint64_t to) {
      if (to > 0) call(isend, peer, kSteps * to, kSteps * to * kHaloBytes, 1e-6 * kSteps);
    };
    sends(PLAIT_PEER_NODE, partners.size() - remote);
    sends(PLAIT_PEER_REMOTE, remote);
    call(waitall, PLAIT_PEER_NONE, kSteps, 0, 0.25 * wait_s + 0.01 * kSteps);
    call(allreduce, PLAIT_PEER_COLLECTIVE, kSteps, std::uint64_t{8} * kSteps,
         0.75 * wait_s + 0.001 * kSteps);
    call(barrier, PLAIT_PEER_COLLECTIVE, 2, 0, 1e-5);
    call(bcast, PLAIT_PEER_COLLECTIVE, 1, 4096, 1e-5);
    call(finalize, PLAIT_PEER_NONE, 1, 0, 0.1);
    std::vector<plait_peer_entry> peers(kPeers);
    for (const int partner : partners) {
      put<plait_peer_entry>(
          peers, {1 + 2 * static_cast<std::uint64_t>(partner), kSteps, kSteps * kHaloBytes});
    }
    std::vector<plait_coll_entry> collectives(kCollectives);
    const auto collective = [&](Function function, std::uint64_t root, std::uint64_t count,
                                std::uint64_t bytes) {
      put<plait_coll_entry>(collectives, {PLAIT_KEY_USED | std::uint64_t{function} << 48U |
                                              std::uint64_t{kWorld} << 32U | root,
                                          count, bytes});
    };
    collective(allreduce, 0, kSteps, std::uint64_t{8} * kSteps);
    collective(barrier, 0, 2, 0);
    collective(bcast, 1, 1, 4096);
    plait_thread_record thread{};
    thread.tid = 1000 + rank;
    thread.omp_thread = -1;
    thread.first_ticks = kLoaded + ticks(0.5);
    thread.last_ticks = record.header().at_last.ticks;
    thread.mpi_ticks = mpi;
    thread.calls_offset = record.place(calls);
    thread.peers_offset = record.place(peers);
    thread.colls_offset = record.place(collectives);
    thread.calls_capacity = kCalls;
    thread.peers_capacity = kPeers;
    thread.colls_capacity = kCollectives;
    return thread;
  }

  void sample(SyntheticRecord& record, int rank) const {
    const double end_s = 2 + kSteps * longest_s_;
    const auto in_node = static_cast<unsigned>(rank % shape_.ranks_per_node);
    plait_placement_record place{PLAIT_PHASE_INIT, 1000 + rank, -1, static_cast<int>(in_node), {}};
    place.allowed[in_node / 64] = std::uint64_t{1} << (in_node % 64);
    record.table<plait_placement_record>(PLAIT_SECTION_PLACEMENT, {place});
    const auto cpu = [&](std::uint32_t at_end, double at_s) {
      return plait_cpu_wait_record{1000 + rank,
                                   at_end,
                                   kLoaded + ticks(at_s),
                                   static_cast<std::uint64_t>(at_s * 0.99e9),
                                   static_cast<std::uint64_t>(at_s * 1e6),
                                   10,
                                   static_cast<std::uint64_t>(at_s)};
    };
    record.table<plait_cpu_wait_record>(PLAIT_SECTION_CPU_WAIT, {cpu(0, 1), cpu(1, end_s)});
    plait_memory_record memory{};
    memory.peak = (std::uint64_t{100} << 20U) + static_cast<std::uint64_t>(rank % 7) * 4096;
    memory.resident = memory.peak - (std::uint64_t{1} << 20U);
    memory.node = std::uint64_t{256} << 30U;
    memory.user_us[1] = static_cast<std::uint64_t>(end_s * 0.98e6);
    memory.system_us[1] = static_cast<std::uint64_t>(end_s * 0.01e6);
    record.table<plait_memory_record>(PLAIT_SECTION_MEMORY, {memory});
  }

  const RunShape& shape_;
  double longest_s_ = 0;
};

/// Writes all pages that have contents; the others are holes.
void write_sparse(const std::vector<char>& bytes, const std::filesystem::path& file) {
  constexpr std::size_t kPage = 4096;
  const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool good = out >= 0 && ::ftruncate(out, static_cast<off_t>(bytes.size())) == 0;
  for (std::size_t at = 0; good && at < bytes.size();) {
    const auto empty = [&](std::size_t page) {
      const auto end =
          bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), page + kPage));
      return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(page), end,
                         [](char byte) { return byte == 0; });
    };
    std::size_t end = at;
    while (end < bytes.size() && !empty(end)) end += kPage;
    const std::size_t count = std::min(end, bytes.size()) - at;
    good = count == 0 || ::pwrite(out, bytes.data() + at, count, static_cast<off_t>(at)) ==
                             static_cast<ssize_t>(count);
    at = end + (count == 0 ? kPage : 0);
  }
  if (out >= 0) good = ::close(out) == 0 && good;
  if (!good) throw std::runtime_error(file.string() + " cannot be written");
}

}  // namespace

std::vector<int> grid_of(int ranks) {
  std::vector<int> best{1, 1, ranks};
  for (int x = 1; x * x * x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    for (int y = x; x * y * y <= ranks; ++y) {
      if (ranks / x % y != 0) continue;
      const std::vector<int> grid{x, y, ranks / x / y};
      if (grid[0] + grid[1] + grid[2] < best[0] + best[1] + best[2]) best = grid;
    }
  }
  return best;
}

std::vector<int> neighbours_of(const RunShape& shape, int rank) {
  std::vector<int> found;
  const std::vector<int> grid =
      shape.pattern == Pattern::ring ? std::vector<int>{shape.ranks} : grid_of(shape.ranks);
  int stride = 1;
  for (const int extent : grid) {
    const int at = rank / stride % extent;
    for (const int step : {1, extent - 1}) {
      found.push_back(rank + ((at + step) % extent - at) * stride);
    }
    stride *= extent;
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::erase(found, rank);
  return found;
}

std::string host_of(const RunShape& shape, int rank) {
  return fmt::format("node{:04}", rank / shape.ranks_per_node);
}

double compute_s(const RunShape& shape, int rank) {
  // The sum of twelve uniform numbers is close enough to a normal one.
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) {
    sum += noise(shape.seed, static_cast<std::uint64_t>(rank) * 12 + i);
  }
  const bool in_slow_row = shape.slow_row >= 0 && rank / grid_of(shape.ranks)[0] == shape.slow_row;
  const bool in_slow_node = rank / shape.ranks_per_node == shape.slow_node;
  const double slow = rank == shape.slow_rank ? 1.5 : in_slow_node || in_slow_row ? 1.3 : 1;
  return slow * std::max(0.1, 1 + shape.imbalance * sum);
}

void write_run_file(const RunShape& shape, const std::filesystem::path& run) {
  std::filesystem::create_directories(run);
  std::ofstream(run / "run.json") << fmt::format(
      R"({{"schema": "plait-run", "schema_version": 1, "plait_version": "0", "state": "finished",)"
      R"( "command": ["mpiexec", "-n", "{}", "/nowhere/app"], "wall_s": {}, "exit_code": 0,)"
      R"( "launcher": {{"kind": "openmpi", "path": "/usr/bin/mpiexec", "version": "4.1.4"}}}})"
      "\n",
      shape.ranks, kSteps);
}

void write_profile(const RunShape& shape, const std::filesystem::path& run) {
  write_run_file(shape, run);
  std::filesystem::create_directories(run / "records");
  const RecordMaker maker(shape);
  for (int rank = 0; rank < shape.ranks; ++rank) {
    write_sparse(maker.make(rank).bytes(),
                 run / "records" / fmt::format("{}-{}.rec", host_of(shape, rank), 1000 + rank));
  }
}

}  // namespace plait::generated
