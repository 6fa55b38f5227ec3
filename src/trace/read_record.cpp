// SPDX-License-Identifier: BSD-3-Clause
// Reads record files into RankRecords.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/parallel.hpp"
#include "plait/error.hpp"
#include "trace/code_addresses.hpp"
#include "trace/python_format.h"
#include "trace/python_frame.hpp"
#include "trace/rank_record.hpp"
#include "trace/record_bytes.hpp"

namespace plait::trace {

namespace {

/// Tables whose lost entries nothing else reports.
constexpr std::pair<plait_section, const char*> kLosses[] = {
    {PLAIT_SECTION_STRINGS, "names"},
    {PLAIT_SECTION_MODULES, "libraries"},
    {PLAIT_SECTION_SITES, "call paths"},
    {PLAIT_SECTION_COMMS, "communicators"},
    {PLAIT_SECTION_PARALLEL, "OpenMP regions"},
    {PLAIT_SECTION_OMP_THREADS, "OpenMP threads"},
    {PLAIT_SECTION_REGIONS, "user regions"},
    {PLAIT_SECTION_PLACEMENT, "placements of threads"},
    {PLAIT_SECTION_CPU_WAIT, "samples of CPU time"},
    {PLAIT_SECTION_CPU_USE, "samples of the use of CPUs"},
    {PLAIT_SECTION_COUNTERS, "counters"},
    {PLAIT_SECTION_COUNTER_SUMS, "counts of threads and regions"},
    {PLAIT_SECTION_COUNTER_READINGS, "readings of counters"},
    {PLAIT_SECTION_COUNTER_TOTALS, "values of counters"},
    {PLAIT_SECTION_MEMORY_SAMPLES, "samples of memory"},
    {PLAIT_SECTION_FILES, "files"},
    {PLAIT_SECTION_ENERGY, "parts of the node whose energy is measured"}};

std::vector<int> cpu_list(const std::uint64_t (&mask)[PLAIT_MAX_CPUS / 64]) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < PLAIT_MAX_CPUS; ++cpu) {
    if ((mask[cpu / 64] >> (cpu % 64)) & 1) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

/// The budget of copies bounds the memory of a group, which has few runs, and the time of what goes
/// through its ranks.
constexpr std::size_t kRanksPerByte = 8;

/// The members of communicators.
class RankTable {
public:
  explicit RankTable(const RecordBytes& in) : in_(in) {
    if (in.entry_bytes(PLAIT_SECTION_RANKS) == sizeof(std::int32_t)) {
      for (const std::int32_t rank : in.table<std::int32_t>(PLAIT_SECTION_RANKS)) {
        runs_.push_back({rank, 1, 0});
      }
    } else {
      runs_ = in.table<plait_rank_run>(PLAIT_SECTION_RANKS);
    }
  }

  /// A communicator whose members did not fit has none.
  void read(const plait_comm_record& of, Communicator& comm) const {
    std::size_t at = of.first_run;
    const auto locals = static_cast<std::size_t>(std::max(of.size, 0));
    const auto remotes = static_cast<std::size_t>(std::max(of.remote_size, 0));
    RankGroup members, others;
    if (!read(at, locals, members) || !read(at, remotes, others)) return;
    comm.members = std::move(members);
    comm.remote_members = std::move(others);
  }

private:
  /// @returns false when the table does not have as many ranks from `at` on
  bool read(std::size_t& at, std::size_t ranks, RankGroup& group) const {
    while (group.size() < ranks) {
      if (at >= runs_.size() || runs_[at].count > ranks - group.size()) return false;
      const plait_rank_run& run = runs_[at++];
      if (run.count == 0) return false;
      const std::int64_t last = run.first + (std::int64_t{run.count} - 1) * run.stride;
      if (!std::in_range<std::int32_t>(last)) {
        in_.damaged(fmt::format("a communicator has the rank {}", last));
      }
      group.append(run.first, run.count, run.stride);
    }
    return true;
  }

  const RecordBytes& in_;
  std::vector<plait_rank_run> runs_;
};

/// Reads one file, with one function per group of tables.
class Reader {
public:
  Reader(const std::filesystem::path& file, CommonParts& common) : in_(file), common_(common) {
    out_.file = file;
  }

  RankRecord read() {
    read_process();
    read_definitions();
    read_calls();
    read_pauses();
    read_openmp();
    read_regions();
    read_placement();
    read_resources(in_, out_);
    read_remarks();
    return std::move(out_);
  }

private:
  void read_process() {
    const plait_record_header& head = in_.header();
    out_.state = static_cast<plait_record_state>(head.state);
    if (head.abi > PLAIT_ABI_STANDARD || head.openmp_view > PLAIT_OPENMP_BLIND) {
      in_.damaged(
          fmt::format("its ABI is {} and its view of OpenMP {}", head.abi, head.openmp_view));
    }
    out_.abi = static_cast<plait_abi>(head.abi);
    out_.openmp_view = static_cast<plait_openmp_view>(head.openmp_view);
    if (head.world_rank < -1 || (head.world_rank >= 0 && head.world_rank >= head.world_size)) {
      in_.damaged(fmt::format("its rank is {} of {}", head.world_rank, head.world_size));
    }
    if (!(std::abs(head.overhead_ns_per_call) < 1e9) ||
        !(std::abs(head.cgroup_quota_cores) < 1e9)) {
      in_.damaged(fmt::format("a call costs {} ns and its quota is {} cores",
                              head.overhead_ns_per_call, head.cgroup_quota_cores));
    }
    out_.pid = head.pid;
    out_.boot = head.boot;
    out_.pid_namespace = head.pid_namespace;
    out_.world_rank = head.world_rank;
    out_.world_size = head.world_size;
    out_.thread_required = head.thread_required;
    out_.thread_provided = head.thread_provided;
    out_.host = in_.string(head.host);
    out_.library = in_.string(head.library);
    out_.program = in_.string(head.program);
    out_.omp_runtime = in_.string(head.omp_runtime);
    out_.start_unix_s = static_cast<double>(head.at_load.realtime_ns) * 1e-9;
    out_.init_begin_s = in_.since_load(head.at_init_begin.ticks);
    out_.init_end_s = in_.since_load(head.at_init_end.ticks);
    out_.last_s =
        std::max({out_.init_begin_s, out_.init_end_s, in_.since_load(head.at_last.ticks)});
    out_.overhead_ns_per_call = head.overhead_ns_per_call;
    out_.lost_calls = head.lost_calls;
    out_.unresolved_calls = head.unresolved_calls;
    out_.placement_only = head.placement_only != 0;
    out_.omp_max_threads = head.omp_max_threads;
    out_.allowed_cpus = head.allowed_cpus;
    out_.mpi_yields = head.mpi_yields;
    if (head.cgroup_quota_cores > 0) {
      out_.cgroup_quota_cores = head.cgroup_quota_cores;
    }
  }

  /// "LINE FUNCTION\nFILE"
  CodeAddress python_line(std::uint64_t pc) {
    const std::string text = in_.string(static_cast<std::uint32_t>(pc));
    const std::size_t blank = text.find(' '), end = text.find('\n');
    if (blank == std::string::npos || end == std::string::npos || end < blank + 2) return {};
    int line = 0;
    std::from_chars(text.data(), text.data() + blank, line);
    CodeAddress address =
        python_address(text.substr(blank + 1, end - blank - 1), text.substr(end + 1), line);
    address.module = common_.texts.share(address.module);
    return address;
  }

  void read_definitions() {
    std::vector<Module> modules;
    for (const auto& at : in_.table<plait_module_record>(PLAIT_SECTION_MODULES)) {
      modules.push_back(
          {at.start, at.end, at.file_offset, common_.texts.share(in_.string(at.path))});
    }
    addresses_.emplace(std::move(modules), &common_.files);
    for (const auto& at : in_.table<plait_site_record>(PLAIT_SECTION_SITES)) {
      Site site;
      for (std::uint32_t i = 0; i < std::min<std::uint32_t>(at.depth, PLAIT_MAX_FRAMES); ++i) {
        site.frames.push_back((at.pc[i] & PLAIT_PYTHON_FRAME) != 0
                                  ? python_line(at.pc[i])
                                  : addresses_->resolve(at.pc[i], true));
        in_.take(sizeof(CodeAddress));
      }
      out_.sites.push_back(std::move(site));
    }
    const RankTable ranks(in_);
    for (const auto& at : in_.table<plait_comm_record>(PLAIT_SECTION_COMMS)) {
      Communicator comm;
      comm.name = in_.string(at.name);
      comm.my_rank = at.my_rank;
      comm.ordinal = at.ordinal;
      comm.members_hash = at.members_hash;
      ranks.read(at, comm);
      const std::size_t runs = comm.members.runs().size() + comm.remote_members.runs().size();
      in_.take((comm.members.size() + comm.remote_members.size()) / kRanksPerByte +
               runs * sizeof(RankGroup::Run));
      out_.comms.push_back(std::move(comm));
    }
    // Index 0 means "unknown" or "none" even in a record without entries.
    out_.sites.resize(std::max<std::size_t>(out_.sites.size(), 1));
    out_.comms.resize(std::max<std::size_t>(out_.comms.size(), 1));
  }

  void read_calls() {
    const auto functions = in_.table<plait_function_record>(PLAIT_SECTION_FUNCTIONS);
    std::vector<SharedText> names(functions.size());  // of those that were called
    const auto name_of = [&](std::uint32_t function) -> const SharedText& {
      SharedText& name = names[function];
      if (name.empty()) name = common_.texts.share(in_.string(functions[function].name));
      return name;
    };
    std::map<std::pair<int, bool>, PeerEntry> peers;
    std::map<std::tuple<std::uint32_t, std::uint32_t, int>, CollectiveEntry> collectives;
    std::uint64_t undefined = 0;
    for (const auto& at : in_.table<plait_thread_record>(PLAIT_SECTION_THREADS)) {
      take_tables(at);
      const std::uint32_t thread = thread_of(at);
      out_.last_s = std::max(out_.last_s, out_.threads[thread].last_s);
      for (const auto& call : in_.array<plait_call_entry>(at.calls_offset, at.calls_capacity)) {
        if (call.key == 0) {
          continue;
        }
        const std::uint32_t function = PLAIT_KEY_FUNCTION(call.key);
        if (function >= names.size()) {
          ++undefined;
          continue;
        }
        CallEntry& entry = out_.calls.emplace_back(call_entry(call, thread));
        entry.function = name_of(function);
        entry.collective = functions[function].is_coll != 0;
      }
      for (const auto& peer : in_.array<plait_peer_entry>(at.peers_offset, at.peers_capacity)) {
        if (peer.key == 0) {
          continue;
        }
        const auto rank = static_cast<int>((peer.key - 1) / 2);
        const bool collective = (peer.key - 1) % 2 != 0;
        PeerEntry& sum = peers[{rank, collective}];
        sum.world_rank = rank;
        sum.collective = collective;
        sum.messages += peer.messages;
        sum.bytes += peer.bytes;
      }
      for (const auto& coll : in_.array<plait_coll_entry>(at.colls_offset, at.colls_capacity)) {
        if (coll.key == 0) {
          continue;
        }
        const auto function = static_cast<std::uint32_t>(coll.key >> 48) & 0x7fffu;
        const auto comm = known_comm(static_cast<std::uint32_t>(coll.key >> 32) & 0xffffu);
        const auto root = static_cast<int>(static_cast<std::uint32_t>(coll.key) - 1);
        if (function >= names.size()) {
          ++undefined;
          continue;
        }
        CollectiveEntry& sum = collectives[{function, comm, root}];
        sum.function = name_of(function);
        sum.comm = comm;
        sum.root = root;
        sum.count += coll.count;
        sum.bytes += coll.bytes;
      }
    }
    for (auto& [key, peer] : peers) {
      out_.peers.push_back(peer);
    }
    for (auto& [key, collective] : collectives) {
      out_.collectives.push_back(std::move(collective));
    }
    if (undefined > 0) {
      out_.notes.push_back(
          fmt::format("{} table entries were left out because the record does not define their "
                      "functions",
                      undefined));
    }
  }

  /// Refuses a record in which threads share tables, which would be read once for each of them.
  void take_tables(const plait_thread_record& at) {
    thread_bytes_ += sizeof(plait_call_entry) * std::uint64_t{at.calls_capacity} +
                     sizeof(plait_peer_entry) * std::uint64_t{at.peers_capacity} +
                     sizeof(plait_coll_entry) * std::uint64_t{at.colls_capacity};
    if (thread_bytes_ > in_.size()) {
      in_.damaged("the tables of its threads are larger than the file");
    }
  }

  /// The index of the record's thread; a thread whose tables were full has several records.
  std::uint32_t thread_of(const plait_thread_record& at) {
    const auto [known, added] =
        threads_.try_emplace(at.tid, static_cast<std::uint32_t>(out_.threads.size()));
    if (added) {
      out_.threads.push_back({at.tid, at.omp_thread, in_.seconds(at.mpi_ticks),
                              in_.since_load(at.first_ticks), in_.since_load(at.last_ticks),
                              in_.seconds(at.mpi_wait_ticks), in_.seconds(at.outside_wait_ticks)});
    } else {
      MpiThread& thread = out_.threads[known->second];
      thread.mpi_s += in_.seconds(at.mpi_ticks);
      thread.mpi_wait_s += in_.seconds(at.mpi_wait_ticks);
      thread.outside_wait_s += in_.seconds(at.outside_wait_ticks);
      thread.last_s = std::max(thread.last_s, in_.since_load(at.last_ticks));
    }
    return known->second;
  }

  /// The last pause may be open; it then lasts until the last known time.
  void read_pauses() {
    const plait_record_header& head = in_.header();
    out_.paused_s = in_.seconds(head.paused_ticks);
    if (head.paused_since != 0) {
      out_.paused_s += std::max(0.0, out_.last_s - in_.since_load(head.paused_since));
    }
    if (out_.paused_s > 0) {
      out_.notes.emplace_back(
          "the program paused recording (MPI_Pcontrol(0)); calls and time during the pauses are "
          "left out");
    }
  }

  [[nodiscard]] std::uint32_t known_comm(std::uint32_t comm) const {
    return comm < out_.comms.size() ? comm : 0;
  }

  /// A call without its function.
  [[nodiscard]] CallEntry call_entry(const plait_call_entry& call, std::uint32_t thread) const {
    CallEntry entry;
    const auto site = PLAIT_KEY_SITE(call.key);
    entry.site = site < out_.sites.size() ? site : 0;
    entry.comm = known_comm(PLAIT_KEY_COMM(call.key));
    const auto peer = PLAIT_KEY_PEER(call.key);
    entry.peer =
        peer <= PLAIT_PEER_COLLECTIVE ? static_cast<plait_peer_class>(peer) : PLAIT_PEER_NONE;
    entry.size_class = static_cast<int>(PLAIT_KEY_SIZE(call.key));
    entry.thread = thread;
    entry.count = call.count;
    entry.bytes = call.bytes;
    entry.time_s = in_.seconds(call.ticks);
    entry.max_s = in_.seconds(call.max_ticks);
    entry.before_s = in_.seconds(call.before_ticks);
    entry.wait_s = in_.seconds(call.wait_ticks);
    return entry;
  }

  void read_openmp() {
    for (const auto& at : in_.table<plait_parallel_record>(PLAIT_SECTION_PARALLEL)) {
      ParallelRegion region;
      region.address = addresses_->resolve(at.address, false);
      region.count = at.count;
      region.mean_threads =
          at.count > 0 ? static_cast<double>(at.threads) / static_cast<double>(at.count) : 0;
      region.time_s = in_.seconds(at.ticks);
      region.busy_s = in_.seconds(at.busy_ticks);
      region.idle_s = in_.seconds(at.idle_ticks);
      region.wait_s = in_.seconds(at.wait_ticks);
      out_.parallel_regions.push_back(std::move(region));
    }
    for (const auto& at : in_.table<plait_omp_thread_record>(PLAIT_SECTION_OMP_THREADS)) {
      out_.omp_threads.push_back({at.thread, at.tid, in_.seconds(at.busy_ticks),
                                  in_.seconds(at.idle_ticks), in_.seconds(at.wait_ticks)});
    }
  }

  void read_regions() {
    for (const auto& at : in_.table<plait_region_record>(PLAIT_SECTION_REGIONS)) {
      const auto index = out_.regions.size();
      // A parent precedes its children; any other reference could be a cycle.
      const int parent = at.parent > 0 && at.parent <= index ? static_cast<int>(at.parent) - 1 : -1;
      out_.regions.push_back({in_.string(at.name), parent, at.count, in_.seconds(at.ticks),
                              in_.seconds(at.mpi_ticks)});
    }
  }

  void read_placement() {
    for (const auto& at : in_.table<plait_placement_record>(PLAIT_SECTION_PLACEMENT)) {
      out_.placement.push_back(
          {at.phase == PLAIT_PHASE_AFTER_PARALLEL ? PLAIT_PHASE_AFTER_PARALLEL : PLAIT_PHASE_INIT,
           at.tid, at.thread, at.last_cpu, cpu_list(at.allowed)});
    }
    for (const auto& at : in_.table<plait_cpu_wait_record>(PLAIT_SECTION_CPU_WAIT)) {
      out_.cpu_wait.push_back(
          {at.tid, at.at_end != 0, in_.since_load(at.ticks), static_cast<double>(at.cpu_ns) * 1e-9,
           static_cast<double>(at.wait_ns) * 1e-9, at.voluntary, at.involuntary});
    }
    read_cpu_use();
    for (const auto& at : in_.table<plait_foreign_record>(PLAIT_SECTION_FOREIGN)) {
      out_.foreign.push_back({at.pid, in_.string(at.name), cpu_list(at.allowed), at.cpu_share});
    }
  }

  void read_cpu_use() {
    const auto since = [](std::uint64_t begin, std::uint64_t end) {
      return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0;
    };
    const plait_record_header& head = in_.header();
    out_.process_cpu_s = since(head.process_cpu_ns[0], head.process_cpu_ns[1]);
    out_.throttled_s = since(head.throttled_ns[0], head.throttled_ns[1]);
    std::map<int, plait_cpu_use_record> begins;
    for (const auto& at : in_.table<plait_cpu_use_record>(PLAIT_SECTION_CPU_USE)) {
      if (at.at_end == 0) {
        begins[at.cpu] = at;
        continue;
      }
      const auto begin = begins.find(at.cpu);
      if (begin == begins.end()) continue;
      out_.cpu_use.push_back({at.cpu, since(begin->second.busy_ns, at.busy_ns),
                              since(begin->second.steal_ns, at.steal_ns)});
    }
  }

  void read_remarks() {
    for (const std::uint32_t at : in_.table<std::uint32_t>(PLAIT_SECTION_UNSEEN)) {
      out_.unseen_entry_points.push_back(in_.string(at));
    }
    for (const std::uint32_t at : in_.table<std::uint32_t>(PLAIT_SECTION_NOTES)) {
      out_.notes.push_back(in_.string(at));
    }
    for (const auto& [section, what] : kLosses) {
      const std::uint32_t lost = in_.header().sections[section].lost;
      if (lost > 0) {
        out_.notes.push_back(
            fmt::format("{} are missing ({}), because the record could not grow", what, lost));
      }
    }
  }

  RecordBytes in_;
  CommonParts& common_;
  std::optional<CodeAddresses> addresses_;
  std::map<int, std::uint32_t> threads_;  // by tid
  std::uint64_t thread_bytes_ = 0;        // of the threads' tables
  RankRecord out_;
};

}  // namespace

RankRecord read_record(const std::filesystem::path& file, CommonParts* common) {
  if (common != nullptr) return Reader(file, *common).read();
  CommonParts own;
  return Reader(file, own).read();
}

std::vector<RankRecord> read_records(const std::filesystem::path& folder,
                                     std::vector<std::string>* problems) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) {
    throw Error(folder.string(), fmt::format("no records ({})", error.message()),
                "pass the directory that plait run wrote");
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : entries) {
    if (entry.path().extension() == ".rec") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  CommonParts common;
  std::vector<RankRecord> records(files.size());
  std::vector<std::string> errors(files.size());
  for_each_index(files.size(), [&](std::size_t i) {
    try {
      records[i] = read_record(files[i], &common);
    } catch (const Error& problem) {
      errors[i] = problem.what();
    }
  });
  std::erase_if(records, [](const RankRecord& record) { return record.file.empty(); });
  std::erase(errors, "");
  const auto add_problem = [&](const std::string& problem) {
    if (problems != nullptr) problems->push_back(problem);
  };
  for (const std::string& problem : errors) add_problem(problem);
  const int most = static_cast<int>(most_ranks(records.size()));
  std::erase_if(records, [&](const RankRecord& record) {
    if (record.world_size <= most) return false;
    add_problem(fmt::format("{}: damaged: {} of {} ranks cannot have left {} records",
                            record.file.string(), record.world_rank, record.world_size,
                            records.size()));
    return true;
  });
  std::sort(records.begin(), records.end(), [](const RankRecord& a, const RankRecord& b) {
    const auto order = [](const RankRecord& record) {
      return std::tuple(record.world_rank < 0, record.world_rank, record.host, record.pid);
    };
    return order(a) < order(b);
  });
  if (problems != nullptr) {
    std::sort(problems->begin(), problems->end());
  }
  return records;
}

}  // namespace plait::trace
