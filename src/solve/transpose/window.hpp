// SPDX-License-Identifier: BSD-3-Clause
// The source arrays of a transpose in memory that the ranks of a node share, with signals.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plait/transpose_shape.hpp"
#include "solve/node_window.hpp"

namespace plait::solve {

/// The window: each rank's part has two signals per set, then its source arrays.
///
/// A signal is the number of the last turn, that is, use of the set. `filled` says that the
/// elements of a set are in the window, `emptied` that this rank has read those of all others.
class TransposeWindow {
public:
  static constexpr std::size_t alignment = 64;

  /// Collective over comm.
  TransposeWindow(MPI_Comm comm, std::span<const int> node_of_rank, std::size_t sets);

  /// Allocates the parts. Collective over comm.
  /// @param fields       number of source arrays
  /// @param field_bytes  of each source array of this rank
  /// @param strides      of this rank's source arrays, in elements
  /// @return false if the system of any rank has no memory to share
  bool allocate(int fields, std::int64_t field_bytes, const Long3& strides);

  [[nodiscard]] bool reaches(int rank) const { return node_.reaches(rank); }
  /// The other ranks of the node.
  [[nodiscard]] const std::vector<int>& partners() const { return partners_; }
  /// A source array of a rank of the node, as this rank sees it.
  [[nodiscard]] std::byte* array(int rank, int field) const;
  [[nodiscard]] const Long3& strides(int rank) const { return layout(rank).strides; }
  /// Bytes of this rank's part.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  void say_filled(std::size_t set, std::uint64_t turn) const { say(0, set, turn); }
  void say_emptied(std::size_t set, std::uint64_t turn) const { say(1, set, turn); }
  [[nodiscard]] bool all_filled(std::size_t set, std::uint64_t turn) const {
    return said(0, set, turn);
  }
  [[nodiscard]] bool all_emptied(std::size_t set, std::uint64_t turn) const {
    return said(1, set, turn);
  }

private:
  using Counter = std::atomic_ref<std::uint64_t>;
  static_assert(Counter::is_always_lock_free, "a lock works within one process only");

  /// What the other ranks need to know of a rank's part.
  struct Layout {
    std::int64_t begin = 0;        ///< of the signals: the library may align less strictly
    std::int64_t field_bytes = 0;  ///< padded
    Long3 strides{};
  };

  [[nodiscard]] const Layout& layout(int rank) const {
    return layouts_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] Counter counter(int rank, std::size_t which, std::size_t set) const;
  void say(std::size_t which, std::size_t set, std::uint64_t turn) const;
  [[nodiscard]] bool said(std::size_t which, std::size_t set, std::uint64_t turn) const;

  MPI_Comm comm_;
  int rank_ = 0;
  std::size_t sets_;
  NodeWindow node_;
  std::vector<int> partners_;
  std::vector<Layout> layouts_;    ///< of each rank of comm
  std::vector<std::byte*> parts_;  ///< of each rank of comm; null on other nodes
  std::int64_t bytes_ = 0;
};

}  // namespace plait::solve
