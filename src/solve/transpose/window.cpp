// SPDX-License-Identifier: BSD-3-Clause
// The source arrays of a transpose in memory that the ranks of a node share, with signals.
#include "solve/transpose/window.hpp"

#include <algorithm>

#include "solve/transpose/messages.hpp"

namespace plait::solve {
namespace {

std::int64_t padded(std::int64_t bytes) {
  constexpr auto unit = static_cast<std::int64_t>(TransposeWindow::alignment);
  return (bytes + unit - 1) / unit * unit;
}

/// Tells partners in the window, and sends messages to ranks of other nodes.
class Signals final : public TransposeMessages {
public:
  Signals(const TransposeRoutes& routes, TransposeWindow& window,
          std::unique_ptr<TransposeMessages> elsewhere)
      : comm_(routes.comm),
        window_(window),
        elsewhere_(std::move(elsewhere)),
        turns_(routes.sets.size(), 0) {}

  void send(std::size_t set) override {
    window_.say_filled(set, ++turns_[set]);
    elsewhere_->send(set);
  }

  bool test(std::size_t set) override {
    const bool arrived = elsewhere_->test(set);
    if (window_.all_filled(set, turns_[set])) return arrived;
    make_progress();
    return false;
  }

  void wait(std::size_t set) override {
    while (!test(set)) {
    }
  }

  void unpacked(std::size_t set) override { window_.say_emptied(set, turns_[set]); }

  bool released(std::size_t set) override {
    if (window_.all_emptied(set, turns_[set])) return true;
    make_progress();
    return false;
  }

private:
  /// A partner may be waiting for a rank of another node that waits for a message of this rank.
  void make_progress() const {
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE);
  }

  MPI_Comm comm_;
  TransposeWindow& window_;
  std::unique_ptr<TransposeMessages> elsewhere_;
  std::vector<std::uint64_t> turns_;
};

}  // namespace

TransposeWindow::TransposeWindow(MPI_Comm comm, std::span<const int> node_of_rank, std::size_t sets)
    : comm_(comm), sets_(sets), node_(comm, node_of_rank) {
  MPI_Comm_rank(comm, &rank_);
  for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank) {
    if (rank != rank_ && node_.reaches(rank)) partners_.push_back(rank);
  }
}

bool TransposeWindow::allocate(int fields, std::int64_t field_bytes, const Long3& strides) {
  const auto signals = static_cast<std::int64_t>(2 * sets_ * alignment);
  bytes_ = signals + fields * padded(field_bytes) + static_cast<std::int64_t>(alignment);
  int refused = node_.allocate(static_cast<std::size_t>(bytes_)) ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_MAX, comm_);
  if (refused != 0) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(node_.part(rank_));
  const Layout own{static_cast<std::int64_t>((alignment - address % alignment) % alignment),
                   padded(field_bytes), strides};
  int size = 1;
  MPI_Comm_size(comm_, &size);
  layouts_.resize(static_cast<std::size_t>(size));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, layouts_.data(), sizeof own, MPI_BYTE, comm_);
  parts_.assign(static_cast<std::size_t>(size), nullptr);
  for (int rank = 0; rank < size; ++rank) {
    if (node_.reaches(rank)) parts_[static_cast<std::size_t>(rank)] = node_.part(rank);
  }
  node_.synchronize();
  return true;
}

std::byte* TransposeWindow::array(int rank, int field) const {
  const auto signals = static_cast<std::int64_t>(2 * sets_ * alignment);
  return parts_[static_cast<std::size_t>(rank)] + layout(rank).begin + signals +
         field * layout(rank).field_bytes;
}

TransposeWindow::Counter TransposeWindow::counter(int rank, std::size_t which,
                                                  std::size_t set) const {
  std::byte* begin = parts_[static_cast<std::size_t>(rank)] + layout(rank).begin;
  return Counter(*reinterpret_cast<std::uint64_t*>(begin + (which * sets_ + set) * alignment));
}

void TransposeWindow::say(std::size_t which, std::size_t set, std::uint64_t turn) const {
  counter(rank_, which, set).store(turn, std::memory_order_release);
}

bool TransposeWindow::said(std::size_t which, std::size_t set, std::uint64_t turn) const {
  return std::ranges::all_of(partners_, [&](int rank) {
    return counter(rank, which, set).load(std::memory_order_acquire) >= turn;
  });
}

std::unique_ptr<TransposeMessages> make_signals(const TransposeRoutes& routes,
                                                TransposeWindow& window,
                                                std::unique_ptr<TransposeMessages> elsewhere) {
  return std::make_unique<Signals>(routes, window, std::move(elsewhere));
}

}  // namespace plait::solve
