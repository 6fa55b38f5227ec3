// SPDX-License-Identifier: BSD-3-Clause
// Compares data sent and expected by the signatures of datatypes (MPI-4.1, section 3.3).
#pragma once

#include <cstdint>
#include <string>

#include "check/job.hpp"

namespace plait::check {

/// A number of elements of a type.
struct Data {
  const Type* type = nullptr;
  std::uint64_t count = 0;

  /// Size of the data; 0 if the type is unknown.
  [[nodiscard]] std::uint64_t bytes() const {
    return type == nullptr ? 0 : type->signature.bytes * count;
  }
  /// True if the type is unknown or empty, so that nothing can be compared.
  [[nodiscard]] bool unknown() const { return type == nullptr || type->signature.elements == 0; }
};

/// True if `sent` may be received into `room`, which may be larger; also if either is unknown.
bool fits_types(const Data& sent, const Data& room);

/// True if both signatures are equal, or either is unknown.
bool same_types(const Data& one, const Data& other);

/// The signature of the first `elements` basic types. False if they are not known one by one.
bool prefix(const Data& data, std::uint64_t elements, Signature* into);

/// "MPI_SUM", "a user-defined operation".
/// @param code  plait_check_op::operation
std::string operation_name(std::uint32_t code);

/// "4 MPI_INT", "2 x {MPI_INT, 3 MPI_DOUBLE}", "96 bytes".
std::string describe(const Data& data);

}  // namespace plait::check
