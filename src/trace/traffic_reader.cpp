// SPDX-License-Identifier: BSD-3-Clause
// Reads of a record what its process has sent so far, its time in MPI and its regions.
#include "trace/traffic_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace plait::trace {
namespace {

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

}  // namespace

TrafficReader::TrafficReader(const std::filesystem::path& file, CommonParts& common)
    : in_(file), common_(common) {
  out_.file = file;
}

void TrafficReader::read() {
  read_process();
  read_comms();
  read_threads();
  read_collectives();
  read_regions();
}

const SharedText& TrafficReader::name_of(std::uint32_t function) {
  SharedText& name = names_[function];
  if (name.empty()) name = common_.texts.share(in_.string(functions_[function].name));
  return name;
}

void TrafficReader::read_process() {
  const plait_record_header& head = in_.header();
  out_.state = static_cast<plait_record_state>(head.state);
  if (head.abi > PLAIT_ABI_STANDARD || head.openmp_view > PLAIT_OPENMP_BLIND) {
    in_.damaged(fmt::format("its ABI is {} and its view of OpenMP {}", head.abi, head.openmp_view));
  }
  out_.abi = static_cast<plait_abi>(head.abi);
  out_.openmp_view = static_cast<plait_openmp_view>(head.openmp_view);
  if (head.world_rank < -1 || (head.world_rank >= 0 && head.world_rank >= head.world_size)) {
    in_.damaged(fmt::format("its rank is {} of {}", head.world_rank, head.world_size));
  }
  if (!(std::abs(head.overhead_ns_per_call) < 1e9) || !(std::abs(head.cgroup_quota_cores) < 1e9)) {
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
  out_.last_s = std::max({out_.init_begin_s, out_.init_end_s, in_.since_load(head.at_last.ticks)});
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

void TrafficReader::read_comms() {
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
  // Index 0 means "none" even in a record without entries.
  out_.comms.resize(std::max<std::size_t>(out_.comms.size(), 1));
  read_sources();
}

void TrafficReader::read_sources() {
  std::vector<bool> has_several(out_.comms.size());
  for (const auto& at : in_.table<plait_source_record>(PLAIT_SECTION_SOURCES)) {
    if (at.comm >= out_.comms.size()) {
      in_.damaged(fmt::format("it has neighbours in a communicator {}", at.comm));
    }
    Communicator& comm = out_.comms[at.comm];
    if (at.rank < 0) has_several[at.comm] = true;
    if (has_several[at.comm]) {
      comm.sources.clear();
    } else if (std::cmp_less(at.rank, comm.members.size())) {
      comm.sources.push_back(at.rank);
    }
  }
}

void TrafficReader::read_threads() {
  std::map<std::pair<int, bool>, PeerEntry> peers;
  for (const auto& at : in_.table<plait_thread_record>(PLAIT_SECTION_THREADS)) {
    take_tables(at);
    threads_.push_back({at, thread_of(at)});
    out_.last_s = std::max(out_.last_s, out_.threads[threads_.back().index].last_s);
    read_peers(at, peers);
  }
  for (auto& [key, peer] : peers) out_.peers.push_back(peer);
}

/// Refuses a record in which threads share tables, which would be read once for each of them.
void TrafficReader::take_tables(const plait_thread_record& at) {
  thread_bytes_ += sizeof(plait_call_entry) * std::uint64_t{at.calls_capacity} +
                   sizeof(plait_peer_entry) * std::uint64_t{at.peers_capacity} +
                   sizeof(plait_coll_entry) * std::uint64_t{at.colls_capacity};
  if (thread_bytes_ > in_.size()) {
    in_.damaged("the tables of its threads are larger than the file");
  }
}

/// The index of the record's thread; a thread whose tables were full has several records.
std::uint32_t TrafficReader::thread_of(const plait_thread_record& at) {
  const auto [known, added] =
      thread_of_.try_emplace(at.tid, static_cast<std::uint32_t>(out_.threads.size()));
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

void TrafficReader::read_peers(const plait_thread_record& at,
                               std::map<std::pair<int, bool>, PeerEntry>& peers) {
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
}

void TrafficReader::read_collectives() {
  functions_ = in_.table<plait_function_record>(PLAIT_SECTION_FUNCTIONS);
  names_.resize(functions_.size());
  std::map<std::tuple<std::uint32_t, std::uint32_t, int>, CollectiveEntry> collectives;
  for (const Thread& at : threads_) {
    for (const auto& coll :
         in_.array<plait_coll_entry>(at.record.colls_offset, at.record.colls_capacity)) {
      if (coll.key == 0) {
        continue;
      }
      const auto function = static_cast<std::uint32_t>(coll.key >> 48) & 0x7fffu;
      const auto comm = known_comm(static_cast<std::uint32_t>(coll.key >> 32) & 0xffffu);
      const auto root = static_cast<int>(static_cast<std::uint32_t>(coll.key) - 1);
      if (!defines(function)) {
        ++undefined_;
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
  for (auto& [key, collective] : collectives) out_.collectives.push_back(std::move(collective));
}

void TrafficReader::read_regions() {
  for (const auto& at : in_.table<plait_region_record>(PLAIT_SECTION_REGIONS)) {
    const auto index = out_.regions.size();
    // A parent precedes its children; any other reference could be a cycle.
    const int parent = at.parent > 0 && at.parent <= index ? static_cast<int>(at.parent) - 1 : -1;
    out_.regions.push_back(
        {in_.string(at.name), parent, at.count, in_.seconds(at.ticks), in_.seconds(at.mpi_ticks)});
  }
}

}  // namespace plait::trace
