// SPDX-License-Identifier: BSD-3-Clause
// Aligns the clocks of hosts by measured offsets.
#include "trace/clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace plait::trace {

namespace {

/// One clock of a host, shared by the processes that read it.
struct HostClock {
  const ProcessClock* longest = nullptr;                          ///< with the best known rate
  const plait_clock_offset *init = nullptr, *finalize = nullptr;  ///< least uncertain
};

/// Ticks between the clock's first and last sample.
std::uint64_t ticks_between_samples(const ProcessClock& clock) {
  return clock.last.ticks > clock.first.ticks ? clock.last.ticks - clock.first.ticks : 0;
}

void take_better(const plait_clock_offset*& best, const plait_clock_offset& other) {
  if (other.measured != 0 && (best == nullptr || other.uncertainty_s < best->uncertainty_s)) {
    best = &other;
  }
}

/// a - b; a damaged file may have any values.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// The process' own monotonic clock, in ns since it was `origin_ns`.
TickMap own_map(const ProcessClock& clock, std::int64_t origin_ns) {
  if (clock.kind == PLAIT_CLOCK_MONOTONIC_NS) {
    return {static_cast<std::uint64_t>(origin_ns), 0, 1};
  }
  return {clock.first.ticks, static_cast<double>(difference(clock.first.monotonic_ns, origin_ns)),
          1e9 / clock.ticks_per_s};
}

/// Wall clock minus monotonic clock.
std::int64_t wall_offset_ns(const ProcessClock& clock) {
  return difference(clock.first.realtime_ns, clock.first.monotonic_ns);
}

/// Adds the offset to the reference clock, interpolated linearly between two measurements.
void add_offset(TickMap& map, const plait_clock_offset& first, const plait_clock_offset& last) {
  const auto own_ns = [&](std::uint64_t ticks) {
    return map.ns +
           static_cast<double>(static_cast<std::int64_t>(ticks - map.ticks)) * map.ns_per_tick;
  };
  const double begin = own_ns(first.ticks), elapsed = own_ns(last.ticks) - begin;
  // Clocks differ by parts per million; a larger drift is that of a damaged file.
  constexpr double kMostDrift = 0.01;
  const double measured = elapsed > 0 ? (last.offset_s - first.offset_s) * 1e9 / elapsed : 0;
  const double drift = std::abs(measured) < kMostDrift ? measured : 0;
  map.ns += first.offset_s * 1e9 + (map.ns - begin) * drift;
  map.ns_per_tick *= 1 + drift;
}

}  // namespace

bool is_possible(const plait_clock_offset& offset) {
  constexpr double kMost = 1e9;
  return offset.measured == 0 || (std::abs(offset.offset_s) < kMost && offset.uncertainty_s >= 0 &&
                                  offset.uncertainty_s < kMost);
}

Alignment align_clocks(std::span<const ProcessDefinitions* const> processes) {
  Alignment out;
  if (processes.empty()) {
    return out;
  }
  using Key = std::pair<std::string, int>;
  const auto key_of = [](const ProcessDefinitions& process) {
    return Key(process.host, process.clock.kind);
  };
  std::map<Key, HostClock> clocks;
  for (const ProcessDefinitions* process : processes) {
    HostClock& clock = clocks[key_of(*process)];
    if (clock.longest == nullptr ||
        ticks_between_samples(process->clock) > ticks_between_samples(*clock.longest)) {
      clock.longest = &process->clock;
    }
    take_better(clock.init, process->clock.at_init);
    take_better(clock.finalize, process->clock.at_finalize);
  }
  const std::string& reference_host = processes.front()->host;
  const ProcessClock& reference = *clocks.at(key_of(*processes.front())).longest;
  std::map<Key, TickMap> maps;
  for (const auto& [key, clock] : clocks) {
    TickMap map = own_map(*clock.longest, reference.first.monotonic_ns);
    if (key.first != reference_host) {
      const plait_clock_offset* first = clock.init != nullptr ? clock.init : clock.finalize;
      const plait_clock_offset* last = clock.finalize != nullptr ? clock.finalize : clock.init;
      if (first == nullptr) {
        map.ns += static_cast<double>(
            difference(wall_offset_ns(*clock.longest), wall_offset_ns(reference)));
        out.problems.push_back(
            fmt::format("the clock of {} was not measured against that of {}; both are aligned by "
                        "their wall clocks, with an error of up to several milliseconds",
                        key.first, reference_host));
      } else {
        add_offset(map, *first, *last);
        out.error_s = std::max({out.error_s, first->uncertainty_s, last->uncertainty_s});
        if (first == last) {
          out.problems.push_back(fmt::format(
              "the clock of {} was measured only once; its drift is unknown", key.first));
        }
      }
    }
    maps.emplace(key, map);
  }
  for (const ProcessDefinitions* process : processes) {
    out.maps.push_back(maps.at(key_of(*process)));
  }
  return out;
}

}  // namespace plait::trace
