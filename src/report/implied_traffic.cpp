// SPDX-License-Identifier: BSD-3-Clause
// The communication matrix: messages that ranks sent, and traffic that collectives imply.
#include "report/implied_traffic.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "trace/collective_name.hpp"

namespace plait::report {
namespace {

/// Collectives in which each of more members sends to all others are left out: their entries
/// would be the square of the members.
constexpr int kMostDense = 512;

/// What one rank at a time sends to each world rank. The time of a rank depends on its partners
/// only, not on the world.
class Row {
public:
  explicit Row(int size)
      : messages_(static_cast<std::size_t>(size)), bytes_(static_cast<std::size_t>(size)) {}

  void add(int to, std::uint64_t count, std::uint64_t amount) {
    if (to < 0 || static_cast<std::size_t>(to) >= messages_.size() || count == 0) return;
    if (messages_[static_cast<std::size_t>(to)] == 0) partners_.push_back(to);
    messages_[static_cast<std::size_t>(to)] += count;
    bytes_[static_cast<std::size_t>(to)] += amount;
  }

  /// Empties the row for the next rank.
  void move_to(std::vector<MatrixEntry>& entries, int from) {
    std::sort(partners_.begin(), partners_.end());
    for (const int to : partners_) {
      const auto at = static_cast<std::size_t>(to);
      entries.push_back({from, to, messages_[at], bytes_[at]});
      messages_[at] = bytes_[at] = 0;
    }
    partners_.clear();
  }

private:
  std::vector<std::uint64_t> messages_;
  std::vector<std::uint64_t> bytes_;
  std::vector<int> partners_;
};

/// @returns the number of entries that are left out
std::uint64_t add_implied(Row& row, const trace::RankRecord& record,
                          const trace::CollectiveEntry& collective) {
  const trace::Communicator& comm = record.comms.at(collective.comm);
  const bool inter = !comm.remote_members.empty();
  const trace::RankGroup& partners = inter ? comm.remote_members : comm.members;
  const auto to = [&](int rank) {
    if (!inter && rank == comm.my_rank) return;
    const auto bytes = flow_of(collective.function) == Flow::synchronize ? 0 : collective.bytes;
    row.add(partners[static_cast<std::size_t>(rank)], collective.count, bytes);
  };
  const int size = static_cast<int>(partners.size());
  const auto to_all_from = [&](int first) -> std::uint64_t {
    if (size > kMostDense) {
      const int itself = !inter && comm.my_rank >= first ? 1 : 0;
      return static_cast<std::uint64_t>(std::max(0, size - first - itself));
    }
    for (int rank = first; rank < size; ++rank) to(rank);
    return 0;
  };
  switch (flow_of(collective.function)) {
    case Flow::from_root:
      // On an intercommunicator the root is MPI_ROOT, not a rank.
      if (inter ? collective.root >= 0 || collective.bytes == 0 : collective.root != comm.my_rank) {
        return 0;
      }
      for (int rank = 0; rank < size; ++rank) to(rank);
      return 0;
    case Flow::to_root:
      if (collective.root >= 0 && collective.root < size) to(collective.root);
      return 0;
    case Flow::all_to_all:
    case Flow::synchronize:
      return to_all_from(0);
    case Flow::to_higher:
      return to_all_from(comm.my_rank + 1);
    case Flow::unknown:
      break;
  }
  return 0;
}

/// Drops those with the fewest bytes.
void limit(std::vector<MatrixEntry>& entries, std::size_t most, std::uint64_t& left_out) {
  if (entries.size() <= most) return;
  left_out += entries.size() - most;
  std::nth_element(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(most),
                   entries.end(), [](const MatrixEntry& a, const MatrixEntry& b) {
                     return std::tuple(b.bytes, a.from, a.to) < std::tuple(a.bytes, b.from, b.to);
                   });
  entries.resize(most);
  std::sort(entries.begin(), entries.end(), [](const MatrixEntry& a, const MatrixEntry& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
}

}  // namespace

Flow flow_of(const std::string& function) {
  static const std::map<std::string, Flow, std::less<>> kFlows{
      {"Bcast", Flow::from_root},
      {"Scatter", Flow::from_root},
      {"Reduce", Flow::to_root},
      {"Gather", Flow::to_root},
      {"Gatherv", Flow::to_root},
      {"Allreduce", Flow::all_to_all},
      {"Allgather", Flow::all_to_all},
      {"Allgatherv", Flow::all_to_all},
      {"Alltoall", Flow::all_to_all},
      {"Reduce_scatter", Flow::all_to_all},
      {"Reduce_scatter_block", Flow::all_to_all},
      {"Scan", Flow::to_higher},
      {"Exscan", Flow::to_higher},
      {"Barrier", Flow::synchronize}};
  const auto found = kFlows.find(trace::blocking_name(function));
  return found == kFlows.end() ? Flow::unknown : found->second;
}

Matrix communication_matrix(const std::vector<const trace::RankRecord*>& records, int world_size,
                            std::size_t max_entries) {
  Matrix matrix;
  matrix.size = world_size;
  Row sent(world_size);
  Row implied(world_size);
  for (const trace::RankRecord* record : records) {
    for (const trace::PeerEntry& peer : record->peers) {
      if (peer.collective && peer.world_rank == record->world_rank) continue;
      (peer.collective ? implied : sent).add(peer.world_rank, peer.messages, peer.bytes);
    }
    for (const trace::CollectiveEntry& collective : record->collectives) {
      matrix.left_out += add_implied(implied, *record, collective);
    }
    sent.move_to(matrix.point_to_point, record->world_rank);
    implied.move_to(matrix.collective, record->world_rank);
    for (std::vector<MatrixEntry>* entries : {&matrix.point_to_point, &matrix.collective}) {
      if (entries->size() > 4 * max_entries) limit(*entries, max_entries, matrix.left_out);
    }
  }
  limit(matrix.point_to_point, max_entries, matrix.left_out);
  limit(matrix.collective, max_entries, matrix.left_out);
  return matrix;
}

}  // namespace plait::report
