// SPDX-License-Identifier: BSD-3-Clause
// Address vectors: numbers that the MPI library uses for members of the node.
#pragma once

#include <rdma/fi_domain.h>

#include <cstddef>
#include <cstdint>

#include "preload/transport/member_numbers.hpp"
#include "preload/transport/membership.hpp"

namespace plait::preload::provider {

/// MPI libraries insert some addresses twice, and compare the numbers.
class AddressVector {
public:
  fid_av fid{};  ///< first: libfabric's pointer to it is one to this object

  /// @throws std::bad_alloc
  static int open(Membership& membership, fid_av** vector, void* context);

  /// Any thread may call these two while another one inserts addresses.
  /// @return false if nothing has that number
  bool member(fi_addr_t number, uint32_t& member) const noexcept {
    const uint32_t found = numbers_.member(number);
    if (found == MemberNumbers::kNone) return false;
    member = found;
    return true;
  }
  /// FI_ADDR_NOTAVAIL if the member has none: a message may arrive before its sender is inserted.
  [[nodiscard]] fi_addr_t number(uint32_t member) const noexcept {
    const uint32_t number = numbers_.number(member);
    return number == MemberNumbers::kNone ? FI_ADDR_NOTAVAIL : number;
  }

private:
  explicit AddressVector(Membership& membership)
      : membership_(membership), numbers_(membership.node().members()) {}

  int insert(const void* addresses, std::size_t count, fi_addr_t* numbers);
  int remove(const fi_addr_t* numbers, std::size_t count) noexcept;
  int look_up(fi_addr_t number, void* address, std::size_t* bytes) const;

  Membership& membership_;
  MemberNumbers numbers_;

  friend struct VectorOperations;
};

}  // namespace plait::preload::provider
