// SPDX-License-Identifier: BSD-3-Clause
// Compares what is sent with what is expected, by signatures of datatypes (MPI-4.1, section 3.3).
#pragma once

#include <cstdint>
#include <string>

#include "check/job.hpp"

namespace plait::check {

/// So many elements of a type.
struct Data {
  const Type* type = nullptr;
  std::uint64_t count = 0;

  /// 0 if the type is unknown.
  [[nodiscard]] std::uint64_t bytes() const {
    return type == nullptr ? 0 : type->signature.bytes * count;
  }
  /// The type is unknown: nothing can be said.
  [[nodiscard]] bool unknown() const { return type == nullptr || type->signature.elements == 0; }
};

/// May data of this signature be received into that, which may have room for more?
bool fits_types(const Data& sent, const Data& room);

/// Are both signatures the same?
bool same_types(const Data& one, const Data& other);

/// The signature of the first `elements` basic types; false when they are not known one by one.
bool prefix(const Data& data, std::uint64_t elements, Signature* into);

/// "MPI_SUM"; "an operation of the program". `code`: plait_check_op::operation.
std::string operation_name(std::uint32_t code);

/// "4 MPI_INT", "2 x {MPI_INT, 3 MPI_DOUBLE}", "96 bytes".
std::string describe(const Data& data);

}  // namespace plait::check
