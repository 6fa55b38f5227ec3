// SPDX-License-Identifier: BSD-3-Clause
// The record of one process with times in seconds and names instead of indices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trace/rank_group.hpp"
#include "trace/record_format.h"
#include "trace/resource_record.hpp"
#include "trace/shared_text.hpp"

namespace plait::trace {

/// An address of the program, resolved to the file it was mapped from.
struct CodeAddress {
  SharedText module;         ///< path of the ELF file, or see python_frame.hpp; empty: unknown
  std::uint64_t offset = 0;  ///< ELF virtual address in that file, as addr2line expects it
  std::uint64_t pc = 0;      ///< at run time
};

struct CallEntry {
  SharedText function;  ///< "MPI_Send"
  bool collective = false;
  std::uint32_t site = 0;  ///< index into RankRecord::sites
  std::uint32_t comm = 0;  ///< index into RankRecord::comms
  plait_peer_class peer = PLAIT_PEER_NONE;
  int size_class = 0;        ///< 0: 0 bytes, k: [2^(k-1), 2^k) bytes per call
  std::uint32_t thread = 0;  ///< index into RankRecord::threads
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;
  double max_s = 0;
  double before_s = 0;  ///< between the thread's previous MPI call and these
  double wait_s = 0;    ///< of time_s, waiting for a CPU; short calls count in MpiThread only
};

struct PeerEntry {
  int world_rank = 0;
  bool collective = false;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct CollectiveEntry {
  SharedText function;
  std::uint32_t comm = 0;
  int root = -1;  ///< rank in comm, -1: no root
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

struct Site {
  /// Innermost first. `offset` is within the call instruction (return address minus one), so it
  /// resolves to the line of the call without adjustment.
  std::vector<CodeAddress> frames;
};

struct Communicator {
  std::string name;
  int my_rank = 0;
  RankGroup members;         ///< world ranks of the local group
  RankGroup remote_members;  ///< of the remote group (intercommunicator)
  std::uint32_t ordinal = 0;
  std::uint64_t members_hash = 0;
  /// Indices into `members`: they send to this process in neighbourhood collectives. Empty: none,
  /// or unknown.
  std::vector<int> sources = {};
};

struct MpiThread {
  int tid = 0;
  int omp_thread = -1;
  double mpi_s = 0;
  double first_s = 0;         ///< since load
  double last_s = 0;          ///< since load
  double mpi_wait_s = 0;      ///< of mpi_s, waiting for a CPU, since Init
  double outside_wait_s = 0;  ///< waiting for a CPU between its calls, since Init
};

struct ParallelRegion {
  CodeAddress address;  ///< of its body (GOMP: function entry), or within its call (OMPT)
  std::uint64_t count = 0;
  double mean_threads = 0;
  double time_s = 0;
  double busy_s = 0;
  double idle_s = 0;
  double wait_s = 0;  ///< for a CPU, or for a thread that waits for one
};

struct OmpThread {
  int thread = 0;
  int tid = 0;
  double busy_s = 0;
  double idle_s = 0;
  double wait_s = 0;
};

struct UserRegion {
  std::string name;
  int parent = -1;  ///< index, -1: none
  std::uint64_t count = 0;
  double time_s = 0;
  double mpi_s = 0;
};

struct PlacementSample {
  plait_placement_phase phase = PLAIT_PHASE_INIT;
  int tid = 0;
  int thread = -1;
  int last_cpu = -1;
  std::vector<int> allowed;  ///< OS indices of the PUs, ascending
};

struct CpuWaitSample {
  int tid = 0;
  bool at_end = false;
  double at_s = 0;  ///< since load
  double cpu_s = 0;
  double wait_s = 0;
  std::uint64_t voluntary = 0;
  std::uint64_t involuntary = 0;
};

/// The use of a CPU on which the process may run, from Init to the latest sample.
struct CpuUse {
  int cpu = 0;
  double busy_s = 0;   ///< by all programs
  double steal_s = 0;  ///< the hypervisor ran something else while the CPU had work
};

struct ForeignProcess {
  int pid = 0;
  std::string name;
  std::vector<int> allowed;
  double cpu_share = -1;
};

/// One process that ran under Plait.
struct RankRecord {
  std::filesystem::path file;
  plait_record_state state = PLAIT_STATE_LOADED;
  plait_abi abi = PLAIT_ABI_OPENMPI;
  plait_openmp_view openmp_view = PLAIT_OPENMP_NOT_SEEN;
  int pid = 0;
  std::uint64_t boot = 0, pid_namespace = 0;  ///< see plait_record_header
  int world_rank = -1;                        ///< -1: MPI was not initialized
  int world_size = -1;
  int thread_required = -1;
  int thread_provided = -1;
  std::string host;
  std::string library;
  std::string program;
  std::string omp_runtime;
  double start_unix_s = 0;  ///< when the preload was loaded
  double init_begin_s = 0;  ///< since load
  double init_end_s = 0;    ///< since load
  double last_s = 0;        ///< since load: Finalize, exit, or the last recorded call
  double paused_s = 0;      ///< of the time from Init to last_s, by MPI_Pcontrol(0)
  double overhead_ns_per_call = 0;
  std::uint64_t lost_calls = 0;
  std::uint64_t unresolved_calls = 0;
  bool placement_only = false;
  int omp_max_threads = -1;
  int allowed_cpus = -1;
  int mpi_yields = -1;
  std::optional<double> cgroup_quota_cores;

  std::vector<CallEntry> calls;
  std::vector<PeerEntry> peers;  ///< summed over threads
  std::vector<CollectiveEntry> collectives;
  std::vector<Site> sites;
  std::vector<Communicator> comms;
  std::vector<MpiThread> threads;
  std::vector<ParallelRegion> parallel_regions;
  std::vector<OmpThread> omp_threads;
  std::vector<UserRegion> regions;
  std::vector<PlacementSample> placement;
  std::vector<CpuWaitSample> cpu_wait;
  std::vector<CpuUse> cpu_use;  ///< of CPUs with both samples
  double process_cpu_s = 0;     ///< CPU time of all threads, from Init to the latest sample
  double throttled_s = 0;       ///< in that time its control groups were stopped by their quota
  std::vector<std::string> unseen_entry_points;
  std::vector<std::string> notes;
  std::vector<ForeignProcess> foreign;
  std::vector<Counter> counters;
  std::vector<CounterSums> counter_sums;
  std::vector<CounterReading> counter_readings;  ///< of traced runs; those of a thread ascend
  std::vector<CounterValue> counter_totals;
  double counter_reading_ns = 0;  ///< the time to read a thread's counters; 0: none are read
  std::optional<ProcessMemory> memory;
  std::vector<MemorySample> memory_samples;
  std::vector<FileUse> files;
  std::vector<EnergyUse> energy;
};

/// The most ranks that a world can have of which `files` processes left files. Each process writes
/// one, so a larger size is damaged; it would take memory that the files do not justify.
constexpr std::size_t most_ranks(std::size_t files) {
  return 65536 + 64 * files;
}

struct CommonParts;  // see code_addresses.hpp

/// Reads one record file.
/// @param common  what other records of the run have read; null: nothing
/// @throws plait::Error when it is not a record file, has another version, or is damaged.
RankRecord read_record(const std::filesystem::path& file, CommonParts* common = nullptr);

/// Reads of a record file only what is needed often while its process writes it: the process,
/// communicators, threads, peers, collectives and regions. The other fields are empty.
/// @throws plait::Error as read_record() does.
RankRecord read_traffic(const std::filesystem::path& file);

/// The record files (`*.rec`) of a run's `records/` folder, also in containers, in order.
/// @param problems  gets one line for each container that cannot be read; may be null
/// @throws plait::Error when the folder is missing.
std::vector<std::filesystem::path> record_files(const std::filesystem::path& folder,
                                                std::vector<std::string>* problems = nullptr);

/// Reads all record files (`*.rec`) of a run's `records/` folder. Ranks ascend; processes that
/// never initialized MPI come last. Uses several threads.
/// @param problems  gets one sentence for each file that could not be read, or whose number of
///                  ranks is impossible; may be null
/// @throws plait::Error when the folder is missing.
std::vector<RankRecord> read_records(const std::filesystem::path& folder,
                                     std::vector<std::string>* problems);

}  // namespace plait::trace
