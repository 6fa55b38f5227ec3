// SPDX-License-Identifier: BSD-3-Clause
// What counts of events say about memory traffic and floating-point operations.
#include "report/event_counts.hpp"

namespace plait::report {
namespace {

constexpr double kCacheLine = 64;  // bytes of a miss, on x86 and most ARM processors

/// An event that counts floating-point operations, and how many per count.
struct FlopEvent {
  const char* name;
  double operations;
};
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, FP_ARITH_INST_RETIRED
// (event C7H): by umask scalar, 128, 256 and 512 bits, double and single precision; a fused
// multiply-add counts twice. AMD Processor Programming Reference, family 17h and 19h, PMCx003
// (FpRetSseAvxOps): all operations.
constexpr FlopEvent kFlopEvents[] = {{"r01c7", 1}, {"r02c7", 1}, {"r04c7", 2}, {"r08c7", 4},
                                     {"r10c7", 4}, {"r20c7", 8}, {"r40c7", 8}, {"r80c7", 16},
                                     {"r0f03", 1}, {"r1f03", 1}, {"rf03", 1}};

std::optional<double> count_of(const EventCounts& counts, const std::string& name) {
  const auto at = counts.find(name);
  return at == counts.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

EventCounts event_counts(const std::vector<CounterEventRow>& events,
                         const std::vector<std::optional<double>>& counts) {
  EventCounts by_name;
  for (std::size_t i = 0; i < events.size() && i < counts.size(); ++i) {
    if (counts[i]) by_name[events[i].name] = *counts[i];
  }
  return by_name;
}

std::optional<double> memory_bytes(const EventCounts& counts) {
  if (const auto misses = count_of(counts, "cache-misses")) return *misses * kCacheLine;
  const auto loads = count_of(counts, "LLC-load-misses");
  if (!loads) return {};
  return (*loads + count_of(counts, "LLC-store-misses").value_or(0)) * kCacheLine;
}

std::optional<double> floating_point_operations(const EventCounts& counts) {
  std::optional<double> sum;
  for (const FlopEvent& event : kFlopEvents) {
    if (const auto counted = count_of(counts, event.name)) {
      sum = sum.value_or(0) + *counted * event.operations;
    }
  }
  return sum;
}

}  // namespace plait::report
