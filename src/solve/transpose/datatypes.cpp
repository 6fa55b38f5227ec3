// SPDX-License-Identifier: BSD-3-Clause
// MPI datatypes of parts of a transpose, for any number of elements.
#include "solve/transpose/datatypes.hpp"

namespace plait::solve {
namespace {

/// Frees a type that another one was made of.
MPI_Datatype replaced(MPI_Datatype old, MPI_Datatype by) {
  MPI_Type_free(&old);
  return by;
}

OwnedType committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return OwnedType(type);
}

/// `count` times `type` at a distance of `stride` bytes. Does not free `type`.
MPI_Datatype repeated(MPI_Datatype type, std::int64_t count, std::int64_t stride, bool dense,
                      std::int64_t largest) {
  const auto some = [&](std::int64_t n) {
    MPI_Datatype result = MPI_DATATYPE_NULL;
    if (dense) {
      MPI_Type_contiguous(static_cast<int>(n), type, &result);
    } else {
      MPI_Type_create_hvector(static_cast<int>(n), 1, stride, type, &result);
    }
    return result;
  };
  const Counted counted = counted_items(count, largest);
  if (counted.pieces == 0) return some(counted.rest);
  MPI_Datatype piece = some(counted.piece);
  MPI_Datatype result = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(static_cast<int>(counted.pieces), 1, counted.piece * stride, piece,
                          &result);
  MPI_Type_free(&piece);
  if (counted.rest == 0) return result;
  MPI_Datatype rest = some(counted.rest);
  const std::array<int, 2> ones{1, 1};
  const std::array<MPI_Aint, 2> places{0, counted.pieces * counted.piece * stride};
  const std::array<MPI_Datatype, 2> types{result, rest};
  MPI_Datatype both = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, ones.data(), places.data(), types.data(), &both);
  MPI_Type_free(&rest);
  return replaced(result, both);
}

/// A type that begins `offset` bytes after the address that MPI is given. Frees `type`.
MPI_Datatype moved(MPI_Datatype type, MPI_Aint offset) {
  const int one = 1;
  MPI_Datatype result = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(1, &one, &offset, type, &result);
  return replaced(type, result);
}

}  // namespace

OwnedType element_type(std::size_t element_bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &type);
  return committed(type);
}

OwnedType run_type(std::int64_t elements, std::size_t element_bytes, std::int64_t largest) {
  const OwnedType element = element_type(element_bytes);
  return committed(
      repeated(element.get(), elements, static_cast<std::int64_t>(element_bytes), true, largest));
}

OwnedType box_type(const std::array<std::vector<Segment>, 3>& segments, const Long3& strides,
                   const std::array<int, 3>& order, std::size_t element_bytes,
                   std::int64_t largest) {
  const OwnedType element = element_type(element_bytes);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_dup(element.get(), &type);
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  MPI_Aint offset = 0;
  std::int64_t dense = bytes;  // extent of the type if it has no gaps, otherwise 0
  for (const int axis : order) {
    const std::vector<Segment>& along = segments[static_cast<std::size_t>(axis)];
    const std::int64_t stride = strides[static_cast<std::size_t>(axis)] * bytes;
    if (along.size() == 1) {
      const Segment& only = along[0];
      offset += only.local * stride;
      if (only.count == 1) continue;
      type = replaced(type, repeated(type, only.count, stride, stride == dense, largest));
      dense = stride == dense ? dense * only.count : 0;
      continue;
    }
    std::vector<int> ones;
    std::vector<MPI_Aint> places;
    std::vector<MPI_Datatype> types;
    for (const Segment& segment : along) {
      ones.push_back(1);
      places.push_back(segment.local * stride);
      types.push_back(repeated(type, segment.count, stride, stride == dense, largest));
    }
    MPI_Datatype all = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(static_cast<int>(ones.size()), ones.data(), places.data(), types.data(),
                           &all);
    for (MPI_Datatype& part : types) MPI_Type_free(&part);
    type = replaced(type, all);
    dense = 0;
  }
  return committed(moved(type, offset));
}

}  // namespace plait::solve
