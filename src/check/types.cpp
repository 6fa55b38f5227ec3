// SPDX-License-Identifier: BSD-3-Clause
// Compares data sent and expected by the signatures of datatypes (MPI-4.1, section 3.3).
#include "check/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/counted.hpp"

namespace plait::check {
namespace {

Signature whole(const Data& data) {
  return repeat(data.type->signature, data.count);
}

std::string run_text(const Run& run) {
  return run.count == 1 ? run.name : fmt::format("{} {}", run.count, run.name);
}

}  // namespace

bool prefix(const Data& data, std::uint64_t elements, Signature* into) {
  const Type& type = *data.type;
  const std::uint64_t length = type.signature.elements;
  *into = repeat(type.signature, elements / length);
  std::uint64_t rest = elements % length;
  if (rest > 0 && !type.has_runs) return false;
  for (std::size_t i = 0; rest > 0 && i < type.runs.size(); ++i) {
    const Run& run = type.runs[i];
    const std::uint64_t part = std::min(rest, run.count);
    *into = join(*into, repeat(basic_signature(run.basic, run.bytes), part));
    rest -= part;
  }
  return rest == 0;
}

bool fits_types(const Data& sent, const Data& room) {
  if (sent.unknown() || room.unknown() || sent.type->bytes_only || room.type->bytes_only) {
    return true;
  }
  const Signature given = whole(sent);
  Signature expected;
  if (given.elements > room.type->signature.elements * room.count) return false;
  return !prefix(room, given.elements, &expected) || given == expected;
}

bool same_types(const Data& one, const Data& other) {
  if (one.unknown() || other.unknown()) return true;
  if (one.type->bytes_only || other.type->bytes_only) return one.bytes() == other.bytes();
  return whole(one) == whole(other);
}

std::string operation_name(std::uint32_t code) {
  // In the order of enum plait_operation (trace/event_format.h).
  static constexpr std::array<const char*, 15> kNames{
      "no operation", "MPI_MAX",    "MPI_MIN",    "MPI_SUM",     "MPI_PROD",
      "MPI_LAND",     "MPI_BAND",   "MPI_LOR",    "MPI_BOR",     "MPI_LXOR",
      "MPI_BXOR",     "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP"};
  return code < kNames.size() ? kNames[code] : "a user-defined operation";
}

std::string describe(const Data& data) {
  if (data.unknown()) return counted(data.count, "element");
  const Type& type = *data.type;
  if (!type.has_runs || type.runs.size() > 4) return counted(data.bytes(), "byte");
  if (type.runs.size() == 1) {
    Run run = type.runs[0];
    if (run.name.empty()) return counted(data.bytes(), "byte");
    return fmt::format("{} {}", run.count * data.count, run.name);
  }
  std::string inner;
  for (const Run& run : type.runs) inner += (inner.empty() ? "" : ", ") + run_text(run);
  return data.count == 1 ? fmt::format("{{{}}}", inner)
                         : fmt::format("{} x {{{}}}", data.count, inner);
}

}  // namespace plait::check
