// SPDX-License-Identifier: BSD-3-Clause
// Address vectors: numbers that the MPI library uses for members of the node.
#pragma once

#include <rdma/fi_domain.h>

#include <cstddef>
#include <cstdint>
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

  /// @return false if nothing has that number
  bool member(fi_addr_t number, uint32_t& member) const noexcept {
    if (number >= inserted_.size() || inserted_[number].uses == 0) return false;
    member = inserted_[number].member;
    return true;
  }
  /// FI_ADDR_NOTAVAIL if the member has none: a message may arrive before its sender is inserted.
  [[nodiscard]] fi_addr_t number(uint32_t member) const noexcept { return numbers_[member]; }

private:
  explicit AddressVector(Membership& membership)
      : membership_(membership), numbers_(membership.node().members(), FI_ADDR_NOTAVAIL) {}

  int insert(const void* addresses, std::size_t count, fi_addr_t* numbers);
  int remove(const fi_addr_t* numbers, std::size_t count) noexcept;
  int look_up(fi_addr_t number, void* address, std::size_t* bytes) const;

  struct Inserted {
    uint32_t member;
    uint32_t uses;
  };

  Membership& membership_;
  std::vector<Inserted> inserted_;  ///< by number
  std::vector<fi_addr_t> numbers_;  ///< by member

  friend struct VectorOperations;
};

}  // namespace plait::preload::provider
