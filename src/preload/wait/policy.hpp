// SPDX-License-Identifier: BSD-3-Clause
// What a rank does that polls and finds nothing: decided from what it sees, without system calls.
//
// Henriksen (2008, chapter 4) polls and yields. Today a yield costs a time slice of milliseconds as
// soon as another program has the CPU; a thread that sleeps is woken at once.
#pragma once

#include <stdint.h>

#include "trace/wait_page.h"

namespace plait::preload::wait {

/// Instead of one sched_yield().
enum class Action { pause, yield, sleep };

constexpr uint64_t kUs = 1000, kMs = 1000 * kUs;

/// A thread that sleeps does so for a fraction of the wait so far, within these limits.
constexpr uint64_t kLeastSleepNs = 5 * kUs, kMostSleepNs = 100 * kUs;
/// How long a thread with a CPU for itself waits before it sleeps.
constexpr uint64_t kAwakeNs = 100 * kUs;
/// A yield that takes longer gave a whole time slice away.
constexpr uint64_t kLongYieldNs = 200 * kUs;
/// Two signs of other programs within this time count; kernel threads cause single ones.
constexpr uint64_t kTogetherNs = 20 * kMs;
/// How long other programs are then assumed, at first and at most.
constexpr uint64_t kFirstDisturbedNs = 200 * kMs, kMostDisturbedNs = 2000 * kMs;
/// Ranks that poll use their CPUs wholly. Below this share, other programs used the rest.
constexpr double kOwnShare = 0.85;

/// True if the processes whose CPU sets these are need more CPUs than there are: each takes an
/// equal part of each CPU that it may run on, and a CPU of process `self` would be shared.
/// @param entries  with `ready` set; others are skipped
inline bool is_crowded(const plait_wait_process* entries, uint32_t count, uint32_t self) {
  const auto cpus_of = [](const plait_wait_process& entry) {
    int cpus = 0;
    for (const uint64_t word : entry.cpus) cpus += __builtin_popcountll(word);
    return cpus;
  };
  const int own = cpus_of(entries[self]);
  if (own == 0) return true;
  double load = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!entries[i].ready) continue;
    int common = 0;
    for (int word = 0; word < PLAIT_WAIT_CPU_SETS; ++word)
      common += __builtin_popcountll(entries[i].cpus[word] & entries[self].cpus[word]);
    const int all = cpus_of(entries[i]);
    if (all > 0) load += static_cast<double>(common) / all;
  }
  return load > own + 0.001;
}

/// The wait of one thread; zero at first.
struct Wait {
  uint64_t began_ns;
  uint64_t call;  ///< of MPI, in which the thread waits

  /// A poll in a call found nothing. Returns how long the wait has lasted. A program that tests
  /// again and again begins a new wait each time.
  uint64_t poll(uint64_t now_ns, uint64_t in_call) {
    if (in_call != call || began_ns == 0) {
      began_ns = now_ns;
      call = in_call;
    }
    return now_ns - began_ns;
  }
};

/// What the automatic policy does.
/// @param crowded    more own ranks than CPUs
/// @param disturbed  other programs use the CPUs
/// @param waited_ns  how long the wait has lasted
inline Action automatic_action(bool crowded, bool disturbed, uint64_t waited_ns) {
  // With a CPU per rank most messages come while the thread is awake.
  if (disturbed && (crowded || waited_ns >= kAwakeNs)) return Action::sleep;
  return crowded ? Action::yield : Action::pause;
}

/// How long to sleep: a fraction of the wait so far, so that a message is late by that fraction at
/// most.
inline uint64_t sleep_ns(uint64_t waited_ns) {
  const uint64_t part = waited_ns / 4;
  if (part < kLeastSleepNs) return kLeastSleepNs;
  return part > kMostSleepNs ? kMostSleepNs : part;
}

/// Collects signs of other programs on the CPUs of a thread; zero at first.
struct Signs {
  uint64_t last_ns;           ///< of the sign before; 0: none
  uint64_t assumed_until_ns;  ///< of the last assumption
  uint64_t length_ns;         ///< and its length

  /// A sign at this time. Returns until when to assume other programs; 0: one sign is none.
  uint64_t add(uint64_t now_ns) {
    const bool together = last_ns != 0 && now_ns - last_ns < kTogetherNs;
    last_ns = now_ns;
    if (!together) return 0;
    last_ns = 0;
    const bool soon_again = now_ns < assumed_until_ns + 5 * kTogetherNs;
    length_ns = soon_again && length_ns ? length_ns * 2 : kFirstDisturbedNs;
    if (length_ns > kMostDisturbedNs) length_ns = kMostDisturbedNs;
    assumed_until_ns = now_ns + length_ns;
    return assumed_until_ns;
  }
};

/// True if own ranks used so little of their CPUs that other programs must have had the rest.
/// @param used_ns   CPU time of all own ranks within `passed_ns`
/// @param cpus      CPUs that they may run on
inline bool others_ran(uint64_t used_ns, uint64_t passed_ns, int cpus) {
  const double all = static_cast<double>(passed_ns) * cpus;
  return all > 0 && static_cast<double>(used_ns) < kOwnShare * all;
}

}  // namespace plait::preload::wait
