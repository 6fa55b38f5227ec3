// SPDX-License-Identifier: BSD-3-Clause
// Compares data sent and expected by the signatures of datatypes (MPI-4.1, section 3.3).
#include "check/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "text/counted.hpp"

namespace plait::check {
namespace {

constexpr std::size_t kMostRuns = 4;  // of a type that is described in full
constexpr int kMostSteps = 1000;      // to find them

/// Adjacent equal basic types.
struct Run {
  std::string name;
  std::uint64_t count = 0;
};

Signature whole(const Data& data) {
  return repeat(data.type->signature, data.count);
}

std::string run_text(const Run& run) {
  return run.count == 1 ? run.name : fmt::format("{} {}", run.count, run.name);
}

/// The runs of a type; empty if there are too many, or if not all are known.
std::vector<Run> runs_of(const Type& type) {
  struct At {
    const Type* type;
    std::uint64_t times;
    std::size_t part = 0;
  };
  std::vector<Run> runs;
  std::vector<At> path{{&type, 1}};
  for (int step = 0; !path.empty(); ++step) {
    At& at = path.back();
    if (step == kMostSteps) return {};
    if (at.type->parts.empty()) {
      if (at.type->name.empty()) return {};
      if (!runs.empty() && runs.back().name == at.type->name) {
        runs.back().count += at.times;
      } else {
        runs.push_back({at.type->name, at.times});
      }
      if (runs.size() > kMostRuns) return {};
      path.pop_back();
    } else if (at.part < at.type->parts.size()) {
      const Part& part = at.type->parts[at.part++];
      path.push_back({part.type, part.times});
    } else if (at.times > 1) {
      at.part = 0;
      --at.times;
    } else {
      path.pop_back();
    }
  }
  return runs;
}

}  // namespace

bool prefix(const Data& data, std::uint64_t elements, Signature* into) {
  const Type* type = data.type;
  *into = repeat(type->signature, elements / type->signature.elements);
  std::uint64_t rest = elements % type->signature.elements;
  while (rest > 0) {
    const Type* inside = nullptr;  // the part that ends the prefix
    for (const Part& part : type->parts) {
      const Signature& unit = part.type->signature;
      const std::uint64_t times =
          unit.elements == 0 ? 0 : std::min(rest / unit.elements, part.times);
      *into = join(*into, repeat(unit, times));
      rest -= times * unit.elements;
      if (times == part.times) continue;
      inside = part.type;
      break;
    }
    if (rest > 0 && inside == nullptr) return false;
    type = inside;
  }
  return true;
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
  const std::vector<Run> runs = runs_of(*data.type);
  if (runs.empty()) return fmt::format("{} bytes", data.bytes());  // exact: they are compared
  if (runs.size() == 1) return fmt::format("{} {}", runs[0].count * data.count, runs[0].name);
  std::string inner;
  for (const Run& run : runs) inner += (inner.empty() ? "" : ", ") + run_text(run);
  return data.count == 1 ? fmt::format("{{{}}}", inner)
                         : fmt::format("{} x {{{}}}", data.count, inner);
}

}  // namespace plait::check
