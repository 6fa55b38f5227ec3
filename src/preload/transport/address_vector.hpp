// SPDX-License-Identifier: BSD-3-Clause
// Address vectors: numbers that the MPI library uses for members of the node.
#pragma once

#include <rdma/fi_domain.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "preload/transport/membership.hpp"

namespace plait::preload::provider {

/// A member that is inserted again keeps its number: MPI libraries insert some twice, and compare.
/// It is removed as often as it was inserted.
class AddressVector {
public:
  fid_av fid{};  ///< first: libfabric's pointer to it is one to this object

  /// @throws std::bad_alloc
  static int open(Membership& membership, fid_av** vector, void* context);

  /// Any thread may call these two while another one inserts addresses.
  /// @return false if nothing has that number
  bool member(fi_addr_t number, uint32_t& member) const noexcept {
    if (number >= member_.size()) return false;
    const uint32_t found = member_[number].load(std::memory_order_acquire);
    if (found == kNone) return false;
    member = found;
    return true;
  }
  /// FI_ADDR_NOTAVAIL if the member has none: a message may arrive before its sender is inserted.
  [[nodiscard]] fi_addr_t number(uint32_t member) const noexcept {
    return numbers_[member].load(std::memory_order_acquire);
  }

private:
  static constexpr uint32_t kNone = ~0u;

  explicit AddressVector(Membership& membership);

  int insert(const void* addresses, std::size_t count, fi_addr_t* numbers);
  int remove(const fi_addr_t* numbers, std::size_t count) noexcept;
  int look_up(fi_addr_t number, void* address, std::size_t* bytes) const;

  Membership& membership_;
  std::mutex lock_;                              ///< for those that change what follows
  std::vector<std::atomic<uint32_t>> member_;    ///< by number; kNone: free
  std::vector<uint32_t> uses_;                   ///< by number
  std::vector<std::atomic<fi_addr_t>> numbers_;  ///< by member

  friend struct VectorOperations;
};

}  // namespace plait::preload::provider
