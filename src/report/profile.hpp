// SPDX-License-Identifier: BSD-3-Clause
// The profile of one run, as in profile.json (docs/schemas/profile-1.schema.json).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "remap/remap_file.hpp"
#include "report/resources.hpp"
#include "trace/symbolize.hpp"

namespace plait::report {

using trace::Frame;

inline constexpr const char* kProfileSchema = "plait-profile";
inline constexpr int kProfileVersion = 1;

struct HostRanks {
  std::string name;
  int ranks = 0;
  bool operator==(const HostRanks&) const = default;
};

struct MpiContext {
  std::string abi;  ///< "openmpi", "mpich", "abi"; empty: no process under MPI
  std::string library;
  bool operator==(const MpiContext&) const = default;
};

struct LauncherContext {
  std::string kind;  ///< "openmpi", "mpich", "intel", "slurm", ...; empty: none
  std::string version;
  std::string path;
  bool operator==(const LauncherContext&) const = default;
};

struct Context {
  std::vector<HostRanks> hosts;
  std::string cpu_model;
  MpiContext mpi;
  LauncherContext launcher;
  std::string omp_runtime;   ///< "libgomp", "libomp", ...; empty: none
  std::string thread_level;  ///< "MPI_THREAD_FUNNELED"; empty: unknown
  std::string machine_file;  ///< beside profile.json; empty: none
  bool operator==(const Context&) const = default;
};

struct EfficiencyValue {
  std::optional<double> value;
  std::string kind = "not measured";  ///< "measured", "lower bound", "not measured"
  bool operator==(const EfficiencyValue&) const = default;
};

struct EfficiencyTable {
  std::string definition;
  EfficiencyValue parallel;
  EfficiencyValue load_balance;
  EfficiencyValue communication;
  EfficiencyValue transfer;
  EfficiencyValue serialization;
  EfficiencyValue threads;
  EfficiencyValue cpu;
  bool operator==(const EfficiencyTable&) const = default;
};

/// Where one rank's time went: wall_s = compute_s + mpi_s + omp_idle_s.
struct RankRow {
  int rank = 0;
  std::string host;
  int pid = 0;
  std::string state;      ///< "loaded", "initialized", "finalized", "exited"
  double wall_s = 0;      ///< MPI_Init's end to MPI_Finalize, or to the last record
  double mpi_s = 0;       ///< inside MPI, of the busiest calling thread
  double compute_s = 0;   ///< the rest
  double omp_idle_s = 0;  ///< idle in parallel regions, mean over the rank's threads
  int threads = 1;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double cpu_s = 0;
  double cpu_wait_s = 0;  ///< waiting for a CPU (runnable but not running), all threads
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  double compute_wait_s = 0;  ///< of compute_s, waiting for a CPU
  double mpi_wait_s = 0;      ///< of mpi_s, waiting for a CPU
  bool operator==(const RankRow&) const = default;
};

/// One MPI function, summed over ranks.
struct CallRow {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;
  double max_s = 0;  ///< the longest single call
  bool operator==(const CallRow&) const = default;
};

/// One call site and communicator, over all ranks; frames innermost first.
struct SiteRow {
  int id = 0;
  std::string call;
  std::vector<Frame> frames;
  int communicator = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;  ///< summed over ranks
  double time_min_s = 0;
  double time_max_s = 0;
  int time_min_rank = -1;
  int time_max_rank = -1;
  double before_s = 0;  ///< between the previous MPI call and these, summed over ranks
  int ranks = 0;
  bool operator==(const SiteRow&) const = default;
};

struct CommunicatorRow {
  int id = 0;
  std::string name;
  int size = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;
  int spacing = 0;  ///< from the world rank of its first rank to that of the second; 0: only one
  int on_node = 0;  ///< ranks on the node that has most of them; 0: unknown
  bool operator==(const CommunicatorRow&) const = default;
};

struct PeerClassRow {
  std::string peer_class;  ///< "none", "self", "same_node", "remote", "any", "null", "collective"
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;
  bool operator==(const PeerClassRow&) const = default;
};

struct SizeRow {
  std::string kind;  ///< "point_to_point", "collective"
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;
  bool operator==(const SizeRow&) const = default;
};

/// One entry of a communication matrix; in JSON [from, to, messages, bytes].
struct MatrixEntry {
  int from = 0;
  int to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  bool operator==(const MatrixEntry&) const = default;
};

struct Matrix {
  int size = 0;
  std::vector<int> nodes;  ///< of each rank, index into context.hosts; -1: not recorded
  std::vector<MatrixEntry> point_to_point;  ///< what ranks sent
  std::vector<MatrixEntry> collective;      ///< implied by collectives (see implied_traffic.hpp)
  std::uint64_t left_out = 0;  ///< entries dropped at the limit, those with the fewest bytes
  bool operator==(const Matrix&) const = default;
};

struct OmpRegionRow {
  std::string function;
  std::string file;
  int line = 0;
  std::uint64_t count = 0;
  double threads = 0;  ///< mean over executions
  double time_s = 0;
  double busy_s = 0;
  double idle_s = 0;
  double cpu_wait_s = 0;  ///< waiting for a CPU, or for a thread that waits for one
  bool operator==(const OmpRegionRow&) const = default;
};

struct OmpThreadRow {
  int rank = 0;
  int thread = 0;
  double busy_s = 0;
  double idle_s = 0;
  double cpu_wait_s = 0;
  bool operator==(const OmpThreadRow&) const = default;
};

struct OpenMp {
  std::string measured;  ///< "gomp", "ompt", "not measured", "no OpenMP"
  std::string runtime;
  std::vector<OmpRegionRow> regions;
  std::vector<OmpThreadRow> threads;
  bool operator==(const OpenMp&) const = default;
};

struct RegionRow {
  std::string name;  ///< with enclosing regions: "solve/assembly"
  std::uint64_t count = 0;
  double time_s = 0;
  double mpi_s = 0;
  int ranks = 0;
  bool operator==(const RegionRow&) const = default;
};

/// One function of a program compiled with -finstrument-functions, on one thread.
struct FunctionThreadRow {
  int rank = 0;
  int thread = 0;  ///< 0: the first that called such a function
  std::uint64_t calls = 0;
  double inclusive_s = 0;
  double exclusive_s = 0;
  bool operator==(const FunctionThreadRow&) const = default;
};

/// One function that --functions names, summed over ranks and threads.
struct FunctionRow {
  std::string name;
  std::string file;
  int line = 0;
  std::uint64_t calls = 0;
  double inclusive_s = 0;
  double exclusive_s = 0;  ///< without the functions named that it calls
  int ranks = 0;
  int threads = 0;
  int worst_rank = -1;  ///< with most exclusive time
  double worst_s = 0;
  bool switched_off = false;  ///< too short and too frequent: later calls were not recorded
  std::vector<FunctionThreadRow> by_thread;
  bool operator==(const FunctionRow&) const = default;
};

struct ThreadPlace {
  std::string host;
  int rank = 0;
  int thread = 0;
  int tid = 0;
  std::string cpus;  ///< hardware threads it may use: "0-3,8"
  std::vector<int> cores;
  std::vector<int> numa;
  std::string phase;  ///< "init", "after_parallel"
  bool operator==(const ThreadPlace&) const = default;
};

struct Placement {
  std::vector<ThreadPlace> threads;
  std::string judgement;
  bool operator==(const Placement&) const = default;
};

struct Finding {
  std::string id;
  std::string severity;  ///< "high", "medium", "low"
  std::string what;      ///< title
  std::string evidence;
  std::string cost;
  std::string fix;                        ///< the fix: a command or what to change
  std::optional<double> cost_share = {};  ///< of the ranks' time; empty: not known
  bool operator==(const Finding&) const = default;
};

/// The overhead of Plait, and the calls that it did not record.
struct Overhead {
  double ns_per_call = 0;  ///< calibrated at MPI_Init; 0: not calibrated
  std::uint64_t calls = 0;
  double total_s = 0;
  double fraction = 0;  ///< of the ranks' time
  std::uint64_t lost_records = 0;
  std::vector<std::string> unseen_entry_points;
  bool operator==(const Overhead&) const = default;
};

/// Why threads waited for a CPU, in thread seconds, and what used the CPUs of the ranks.
struct Contention {
  double own_ranks_s = 0;       ///< for threads of this run
  double other_programs_s = 0;  ///< for other programs
  double throttled_s = 0;       ///< for the next period, because the cgroup's quota was used up
  double steal_s = 0;     ///< CPU seconds for which the hypervisor ran something else; in addition
  double other_cpus = 0;  ///< CPUs that other programs used on average
  double cpus = 0;        ///< on which the ranks could run, all hosts
  double threads_per_cpu = 0;  ///< of this run, on the host with most
  bool operator==(const Contention&) const = default;
};

/// A function, and its line that matters.
struct FunctionPlace {
  std::string function;  ///< without parameters: "assemble"
  std::string file;      ///< path of its source; empty: unknown
  int line = 0;          ///< with most samples; 0: unknown
  std::string module;    ///< path of its ELF file; empty: Python
  bool operator==(const FunctionPlace&) const = default;
};

/// A function in which samples in code were taken, itself and not what it calls.
struct HotSpotRow {
  FunctionPlace place;
  double share = 0;  ///< of the samples in code of all ranks
  double low = 0;    ///< 95 % interval of the share
  double high = 0;
  double time_s = 0;                ///< of all threads
  std::vector<double> ranks_share;  ///< of each rank's samples in code
  int worst_rank = -1;              ///< with most time in it
  double worst_ratio = 0;           ///< its time by the mean over ranks
  int worst_thread = -1;            ///< of that rank
  double explains_imbalance = 0;    ///< of the excess in code of the rank with most
  bool operator==(const HotSpotRow&) const = default;
};

/// The function in which the rank with most time in code differs from the mean.
struct DifferenceRow {
  FunctionPlace place;
  int rank = -1;
  double rank_s = 0;    ///< in the function and what it calls
  double mean_s = 0;    ///< over ranks
  double ratio = 0;     ///< rank_s / mean_s
  double explains = 0;  ///< of the rank's excess in code
  bool operator==(const DifferenceRow&) const = default;
};

/// The function with most of what one thread of a rank computes outside OpenMP regions.
struct SerialRow {
  FunctionPlace place;  ///< the innermost that also has regions
  double share = 0;     ///< of its time and of what it calls, outside regions; of main threads
  double low = 0;       ///< 95 % interval of the share
  double high = 0;
  double time_s = 0;     ///< outside regions, all ranks
  FunctionPlace inside;  ///< the function called there with most of it; may be the same
  bool operator==(const SerialRow&) const = default;
};

/// Where threads were when they were sampled (plait run --sample).
struct Computation {
  double rate_hz = 0;
  std::string clock;  ///< "cpu", "wall"
  std::uint64_t samples = 0;
  double code_share = 0;
  double mpi_share = 0;
  double openmp_share = 0;   ///< idle in an OpenMP runtime
  double waiting_share = 0;  ///< for a CPU; only with the wall clock
  std::uint64_t lost = 0;
  std::uint64_t truncated = 0;        ///< whose outer callers are not known
  double sample_us = 0;               ///< cost of a sample
  double overhead_percent = 0;        ///< of the CPU time
  std::vector<HotSpotRow> hot_spots;  ///< hottest first
  std::optional<DifferenceRow> difference;
  std::optional<SerialRow> serial;  ///< empty: no OpenMP region in the samples
  bool operator==(const Computation&) const = default;
};

/// Ranks of a heterogeneous job that are alike. Times are sums over these ranks.
struct JobPart {
  std::string program;  ///< name of its file
  std::string ranks;    ///< "0-3,8"
  int count = 0;
  int least_threads = 1, most_threads = 1;  ///< per rank
  double wall_s = 0;
  double compute_s = 0;   ///< on a CPU
  double cpu_wait_s = 0;  ///< of the time outside MPI, waiting for a CPU
  double mpi_s = 0;
  double omp_idle_s = 0;
  bool operator==(const JobPart&) const = default;
};

struct Profile {
  std::string plait_version;
  std::string created;
  std::vector<std::string> command;
  std::optional<int> exit_code;
  std::optional<int> signal;
  double wall_s = 0;
  Context context;
  int world_size = 0;
  int ranks_recorded = 0;
  bool complete = false;
  std::vector<std::string> missing;  ///< one sentence each: what is missing and why
  std::vector<std::string> notes;    ///< one sentence each: what limits the figures
  std::string verdict;
  EfficiencyTable efficiencies;
  double cpu_wait_fraction = 0;  ///< waiting for a CPU / threads' time
  Contention contention;
  std::vector<RankRow> ranks;
  std::vector<JobPart> parts;  ///< empty: all ranks run one program with as many threads
  std::vector<CallRow> calls;
  std::vector<SiteRow> sites;
  std::vector<CommunicatorRow> communicators;
  std::vector<PeerClassRow> peer_classes;
  std::vector<SizeRow> sizes;
  Matrix matrix;
  OpenMp openmp;
  std::vector<RegionRow> regions;
  std::vector<FunctionRow> functions;  ///< most exclusive time first; empty: not asked for
  Counters counters;
  Memory memory;
  Io io;
  Placement placement;
  std::vector<Finding> findings;
  Overhead overhead;
  std::optional<Computation> computation;     ///< empty: not sampled
  std::optional<remap::RemapFile> remapping;  ///< empty: the run had no --remap
  std::string next;
  bool operator==(const Profile&) const = default;
};

/// The profile as the JSON of schema "plait-profile", version 1.
nlohmann::json profile_to_json(const Profile& profile);

/// Reads a profile from a JSON value of that schema and version.
/// @param name  of the value in error messages (a path)
/// @throws Error when a field is missing or of another type.
Profile profile_from_json(const nlohmann::json& value, const std::string& name);

/// Reads a profile.json.
/// @throws Error when it is missing, damaged or of another version.
Profile read_profile(const std::filesystem::path& file);

}  // namespace plait::report
