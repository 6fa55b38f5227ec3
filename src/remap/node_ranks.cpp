// SPDX-License-Identifier: BSD-3-Clause
// What the ranks on this node have done so far, from the records that they write while they run.
#include "remap/node_ranks.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "base/process_tree.hpp"
#include "plait/error.hpp"
#include "remap/collective_messages.hpp"
#include "trace/rank_record.hpp"

namespace plait::remap {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// As preload/recorder.cpp has them in a record.
struct ThisNode {
  std::uint64_t boot = 0, pid_namespace = 0;
};

ThisNode this_node() {
  ThisNode node;
  const std::string boot = text_of("/proc/sys/kernel/random/boot_id");
  if (!boot.empty()) node.boot = plait_hash_text(boot.c_str());
  struct stat space {};
  if (::stat("/proc/self/ns/pid", &space) == 0) node.pid_namespace = space.st_ino;
  return node;
}

/// User and system time: fields 14 and 15 of proc(5), of which the second ends with ") ".
double cpu_seconds(pid_t pid) {
  const std::string stat = text_of(fmt::format("/proc/{}/stat", pid));
  const std::size_t name = stat.rfind(") ");
  if (name == std::string::npos) return 0;
  unsigned long long user = 0, system = 0;
  if (std::sscanf(stat.c_str() + name + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
                  &user, &system) != 2) {
    return 0;
  }
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// As plait/remap.h has it, which needs MPI's header.
constexpr const char* kRequest = "plait_remap";

std::uint64_t requests_of(const trace::RankRecord& record) {
  std::uint64_t requests = 0;
  for (const trace::UserRegion& region : record.regions) {
    if (region.name == kRequest) requests += region.count;
  }
  return requests;
}

std::optional<NodeRank> rank_of(const trace::RankRecord& record) {
  const std::optional<ProcessStat> process = process_stat(record.pid);
  if (!process || process->state == 'Z') return std::nullopt;
  NodeRank rank;
  rank.world_rank = record.world_rank;
  rank.pid = record.pid;
  rank.start_ticks = process->start_ticks;
  if (record.openmp_view != PLAIT_OPENMP_NOT_SEEN)
    rank.threads = std::max(1, record.omp_max_threads);
  for (const trace::MpiThread& thread : record.threads) {
    rank.mpi_s = std::max(rank.mpi_s, thread.mpi_s);
  }
  rank.cpu_s = cpu_seconds(record.pid);
  const auto send = [&](int world_rank, double messages, double bytes) {
    NodeRank::Sent& sent = rank.sent[world_rank];
    sent.messages += messages;
    sent.bytes += bytes;
  };
  for (const trace::PeerEntry& peer : record.peers) {
    send(peer.world_rank, static_cast<double>(peer.messages), static_cast<double>(peer.bytes));
  }
  for (const trace::CollectiveEntry& calls : record.collectives) {
    collective_messages(record.comms[calls.comm], calls, send);
  }
  return rank;
}

/// Nothing if it cannot be read (yet).
std::optional<trace::RankRecord> traffic_of(const std::filesystem::path& file) {
  try {
    return trace::read_traffic(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

NodeRanks read_node_ranks(const std::filesystem::path& records) {
  static const ThisNode here = this_node();
  NodeRanks result;
  std::size_t world_size = 0;
  result.at_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  for (const std::filesystem::path& file : trace::record_files(records)) {
    const std::optional<trace::RankRecord> read = traffic_of(file);
    if (!read || read->world_rank < 0) continue;
    const trace::RankRecord& record = *read;
    world_size = static_cast<std::size_t>(std::max(0, record.world_size));
    if (record.boot != here.boot || record.pid_namespace != here.pid_namespace) {
      ++result.elsewhere;
      continue;
    }
    if (record.state >= PLAIT_STATE_FINALIZED) result.ended = true;
    if (record.state != PLAIT_STATE_INITIALIZED) continue;
    if (const auto rank = rank_of(record)) {
      if (result.ranks.empty() || rank->world_rank < result.ranks.front().world_rank) {
        result.first_record = record.file;
        result.asked = requests_of(record);
      }
      result.ranks.push_back(*rank);
    } else {
      result.ended = true;
    }
  }
  std::sort(result.ranks.begin(), result.ranks.end(),
            [](const NodeRank& a, const NodeRank& b) { return a.world_rank < b.world_rank; });
  result.complete = !result.ranks.empty() &&
                    result.ranks.size() + static_cast<std::size_t>(result.elsewhere) >= world_size;
  for (std::size_t i = 1; i < result.ranks.size(); ++i) {
    if (result.ranks[i].world_rank == result.ranks[i - 1].world_rank) result.ambiguous = true;
  }
  return result;
}

std::uint64_t requests_in(const std::filesystem::path& record) {
  const std::optional<trace::RankRecord> read = traffic_of(record);
  return read ? requests_of(*read) : 0;
}

bool same_processes(const NodeRanks& a, const NodeRanks& b) {
  return std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(),
                    [](const NodeRank& x, const NodeRank& y) {
                      return x.pid == y.pid && x.start_ticks == y.start_ticks &&
                             x.world_rank == y.world_rank;
                    });
}

Interval interval_between(const NodeRanks& before, const NodeRanks& after) {
  Interval interval;
  interval.seconds = after.at_s - before.at_s;
  std::map<int, int> number;
  for (std::size_t i = 0; i < after.ranks.size(); ++i) {
    number[after.ranks[i].world_rank] = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < after.ranks.size(); ++i) {
    const NodeRank &then = before.ranks[i], &now = after.ranks[i];
    const double mpi = std::clamp(now.mpi_s - then.mpi_s, 0.0, interval.seconds);
    const double cpu = std::max(0.0, now.cpu_s - then.cpu_s);
    interval.mpi_s.push_back(mpi);
    // A rank may wait in MPI with or without using its core.
    interval.busy_s.push_back(std::max(std::min(cpu, interval.seconds - mpi), cpu - mpi));
    for (const auto& [peer, sent] : now.sent) {
      const auto to = number.find(peer);
      if (to == number.end() || to->second == static_cast<int>(i)) continue;
      NodeRank::Sent earlier;
      if (const auto found = then.sent.find(peer); found != then.sent.end())
        earlier = found->second;
      if (sent.messages <= earlier.messages) continue;
      interval.flows.push_back({static_cast<int>(i), to->second, sent.messages - earlier.messages,
                                sent.bytes - earlier.bytes});
    }
  }
  return interval;
}

}  // namespace plait::remap
