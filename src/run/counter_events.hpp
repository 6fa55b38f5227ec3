// SPDX-License-Identifier: BSD-3-Clause
// Names of the events that perf_event_open(2) counts, and which of them this user may count here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plait::run {

/// The kernel's folder of PMUs.
inline constexpr const char* kEventSources = "/sys/bus/event_source/devices";

/// An event as the kernel identifies it.
struct CounterEvent {
  std::string name;  ///< as the user gave it
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  bool operator==(const CounterEvent&) const = default;
};

/// An event that Plait knows by name, as perf does.
struct KnownEvent {
  CounterEvent event;
  std::string meaning;
  bool hardware = false;
};

/// The events with names of their own, software events first.
std::vector<KnownEvent> known_events();

/// The events of the kernel's folder of PMUs, as "pmu/event/", sorted.
std::vector<std::string> sysfs_events(const std::filesystem::path& devices = kEventSources);

/// The event of a name: a known one, rNNN (a raw event of the processor, hexadecimal), or
/// "pmu/event/", "pmu/term=value,.../" as in the kernel's folder of PMUs.
/// @throws Error when there is no such event.
CounterEvent find_event(const std::string& name,
                        const std::filesystem::path& devices = kEventSources);

/// The events of the names; a comma within a pmu's slashes separates nothing.
/// @throws Error for an unknown event, or more than a thread can have.
std::vector<CounterEvent> find_events(const std::vector<std::string>& names);

/// Splits a list of names at its commas.
std::vector<std::string> split_event_names(const std::string& list);

/// 0 if the calling thread can count the event, at least without the kernel's part, else errno.
int try_event(const CounterEvent& event);

/// Why an event cannot be counted: a sentence about the cause, without a full stop.
std::string event_problem(const CounterEvent& event, int error);

/// The events that cannot be counted here, a sentence for each.
std::vector<std::string> uncountable_events(const std::vector<CounterEvent>& events);

/// The value of PLAIT_COUNTERS, which preload/counters reads.
std::string counters_variable(const std::vector<CounterEvent>& events);

/// The list of events with what can be counted here, for plait run --counters help.
std::string event_list_text();

}  // namespace plait::run
