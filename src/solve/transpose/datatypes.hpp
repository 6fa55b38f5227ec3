// SPDX-License-Identifier: BSD-3-Clause
// MPI datatypes of parts of a transpose, for any number of elements.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solve/transpose/plan.hpp"

namespace plait::solve {

/// A committed datatype, which it frees.
class OwnedType {
public:
  OwnedType() = default;
  explicit OwnedType(MPI_Datatype type) : type_(type) {}
  ~OwnedType() { release(); }
  OwnedType(OwnedType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  OwnedType& operator=(OwnedType&& other) noexcept {
    if (this != &other) {
      release();
      type_ = std::exchange(other.type_, MPI_DATATYPE_NULL);
    }
    return *this;
  }
  OwnedType(const OwnedType&) = delete;
  OwnedType& operator=(const OwnedType&) = delete;

  [[nodiscard]] MPI_Datatype get() const { return type_; }

private:
  void release() {
    int finalized = 0;
    if (type_ == MPI_DATATYPE_NULL) return;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Type_free(&type_);
    type_ = MPI_DATATYPE_NULL;
  }
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// One element, as bytes.
OwnedType element_type(std::size_t element_bytes);

/// Consecutive elements, more than a count of MPI can say if need be.
/// @param largest  the largest count that MPI is given
OwnedType run_type(std::int64_t elements, std::size_t element_bytes, std::int64_t largest);

/// The elements of a box in an array, in the order of memory of the side that receives.
/// @param segments  along x, y and z; all of them have elements
/// @param strides   along x, y and z, in elements
/// @param order     the axes from the innermost to the outermost loop
OwnedType box_type(const std::array<std::vector<Segment>, 3>& segments, const Long3& strides,
                   const std::array<int, 3>& order, std::size_t element_bytes,
                   std::int64_t largest);

}  // namespace plait::solve
