// SPDX-License-Identifier: BSD-3-Clause
// Detects non-blocking messages without overlap.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "analysis/message_profile.hpp"
#include "analysis/pattern_detectors.hpp"
#include "text/units.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::OperationKind;

/// Fewest completing calls on one rank.
constexpr std::uint64_t kFewest = 20;
/// Computation counts as overlap if it takes at least this share of the completing call.
constexpr double kSomeBehind = 0.1;
/// The share of a transfer that MPI must move during computation to count as progress.
constexpr double kProgresses = 0.5;

/// Completing calls of one rank and site.
struct Completions {
  using Bytes = std::array<std::uint64_t, MeasuredProgress::kKinds>;

  std::uint64_t calls = 0, messages = 0;
  Bytes bytes_of{};              ///< by kind of message
  std::int64_t busy_ns = 0;      ///< in the calls, without waiting for partners
  std::int64_t computed_ns = 0;  ///< while the messages were in transit
  double transfer_s = 0;         ///< of the messages, as measured
  bool known = true;             ///< transfer_s is known

  void operator+=(const Completions& other) {
    calls += other.calls;
    messages += other.messages;
    for (std::size_t kind = 0; kind < bytes_of.size(); ++kind) {
      bytes_of[kind] += other.bytes_of[kind];
    }
    busy_ns += other.busy_ns;
    computed_ns += other.computed_ns;
    transfer_s += other.transfer_s;
    known = known && other.known;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return std::accumulate(bytes_of.begin(), bytes_of.end(), std::uint64_t{0});
  }
  /// The share of the transfers that was done when their completion was requested; empty: unknown.
  [[nodiscard]] std::optional<double> progress() const {
    if (!known || transfer_s <= 0) return {};
    return std::clamp(1 - to_seconds(busy_ns) / transfer_s, 0.0, 1.0);
  }
};

/// Sites at which a rank may lose a costly share.
struct BySite {
  SiteTallies tallies;
  std::vector<Completions> of;  ///< of each lane and site

  [[nodiscard]] Completions sum() const {
    Completions sum;
    for (const Completions& one : of) sum += one;
    return sum;
  }
};

template <class Archive>
void fields(Archive& archive, BySite& of) {
  archive(of.tallies, of.of);
}

void merge(const BySite& later, BySite& sum) {
  merge(later.tallies, sum.tallies);
  sum.of.insert(sum.of.end(), later.of.begin(), later.of.end());
}

struct WithoutOverlap {
  BySite direct;   ///< completed immediately
  BySite stalled;  ///< not moved during computation
};

template <class Archive>
void fields(Archive& archive, WithoutOverlap& of) {
  archive(of.direct, of.stalled);
}

void merge(const WithoutOverlap& later, WithoutOverlap& sum) {
  merge(later.direct, sum.direct);
  merge(later.stalled, sum.stalled);
}

class Overlap {
public:
  explicit Overlap(const PatternInput& of) : of_(of) {}

  void find(Findings& findings) const {
    const auto [direct, stalled] = sum_lanes<WithoutOverlap>(
        of_, [&](std::uint32_t lane, WithoutOverlap& found) { look_at(lane, found); });
    name_stalled(stalled, findings);
    name_direct(direct, findings);
  }

private:
  /// Adds a message to those that its completing call ends.
  void add(std::uint32_t rank, const trace::Operation& operation, Completions& to) const {
    ++to.messages;
    if (operation.partner < 0) return;
    const auto partner = static_cast<std::size_t>(operation.partner);
    const bool between = of_.trace.ranks[partner].node != of_.trace.ranks[rank].node;
    const auto transfer = measured_time(of_.paths, between, operation.bytes);
    to.bytes_of[of_.progress.kind_of(between, operation.bytes)] += operation.bytes;
    to.known = to.known && transfer.has_value();
    to.transfer_s += transfer.value_or(0);
  }

  /// True if this MPI does not move such messages during computation, as measured, or otherwise as
  /// this trace shows.
  [[nodiscard]] bool held(const Completions& of) const {
    if (const machine::OverlapVerdict* verdict = of_.progress.judge(of.bytes_of)) {
      return !verdict->progresses;
    }
    const std::optional<double> progress = of.progress();
    const bool time_enough = !of.known || to_seconds(of.computed_ns) >= of.transfer_s;
    return time_enough && !(progress && *progress >= kProgresses);
  }

  /// The known facts about this MPI, for the end of a finding's evidence.
  [[nodiscard]] std::string judged_by(const Completions& of) const {
    const machine::OverlapVerdict* verdict = of_.progress.judge(of.bytes_of);
    return verdict != nullptr ? "; " + of_.progress.sentence(*verdict)
                              : "; judged by this trace alone: " + of_.progress.why_not();
  }

  /// A sentence for the remedy if a setting was measured to help.
  [[nodiscard]] std::string what_helps(const Completions& of) const {
    const machine::OverlapVerdict* verdict = of_.progress.judge(of.bytes_of);
    const std::string text = verdict == nullptr ? "" : of_.progress.what_helps(*verdict);
    return text.empty() ? "" : " " + text + ".";
  }

  void look_at(std::uint32_t number, WithoutOverlap& found) const {
    const Lane& lane = of_.lanes.all[number];
    const trace::Rank& rank = of_.trace.ranks[lane.rank];
    std::map<std::uint32_t, Completions> direct;
    std::map<std::uint32_t, Completions> behind;
    std::map<std::uint32_t, std::int64_t> counted;  // computation until the site's previous call
    for_calls_of(of_, number,
                 [&](std::uint32_t call, const trace::Event& event, const trace::Shape& shape,
                     std::int64_t busy_ns) {
                   if (shape.kind != EventKind::complete) return;
                   Completions one;
                   std::int64_t least = INT64_MAX;
                   for (const std::uint32_t ended : rank.completed_by(event)) {
                     const trace::Operation& operation = rank.operations[ended];
                     const Lanes::Place start = of_.lanes.start_of(lane.rank, operation);
                     if (operation.kind == OperationKind::collective || start.lane != number)
                       continue;
                     add(lane.rank, operation, one);
                     least = std::min(
                         least, lane.computed_before(call) - lane.computed_before(start.call));
                   }
                   if (one.messages == 0) return;
                   one.calls = 1;
                   one.busy_ns = busy_ns;
                   // Concurrent messages share the computation.
                   std::int64_t& until = counted[shape.site];
                   one.computed_ns = std::min(least, lane.computed_before(call) - until);
                   until = lane.computed_before(call);
                   const bool some =
                       static_cast<double>(least) >= kSomeBehind * static_cast<double>(busy_ns);
                   (some ? behind : direct)[shape.site] += one;
                 });
    const auto calls = static_cast<std::uint32_t>(lane.calls.size());
    const std::int64_t computed = calls == 0 ? 0 : lane.computed_before(calls - 1);
    // Nobody waits for buffered messages.
    const std::uint64_t buffered =
        std::max(of_.waits.largest_buffered[0], of_.waits.largest_buffered[1]);
    keep(lane.rank, direct, found.direct, [&](const Completions& of) {
      return of.bytes() <= buffered * of.messages ? 0 : std::min(of.busy_ns, computed);
    });
    keep(lane.rank, behind, found.stalled, [&](const Completions& of) {
      const bool at_once = of.bytes() <= kSentAtOnce * of.messages;
      return at_once || !held(of) ? 0 : std::min(of.busy_ns, of.computed_ns);
    });
  }

  /// Keeps sites at which a rank may lose a costly share.
  template <class Cost>
  void keep(std::uint32_t rank, const std::map<std::uint32_t, Completions>& from, BySite& to,
            Cost cost_ns) const {
    for (const auto& [site, of] : from) {
      const std::int64_t ns = cost_ns(of);
      if (of.calls < kFewest || to_seconds(ns) < kCostlyShare * of_.run_s) continue;
      to.tallies[site].add(rank, ns, of.calls);
      to.of.push_back(of);
    }
  }

  [[nodiscard]] static std::string numbers(const Completions& of) {
    const auto messages = static_cast<double>(of.messages);
    return fmt::format(
        "{} messages of {} on average; {} in the calls that "
        "complete them, without waiting for partners",
        of.messages, format_bytes(static_cast<double>(of.bytes()) / messages),
        format_seconds(to_seconds(of.busy_ns)));
  }

  void name_stalled(const BySite& stalled, Findings& findings) const {
    if (stalled.tallies.empty()) return;
    const Completions sum = stalled.sum();
    PatternFinding finding = finding_at("no_overlap", stalled.tallies);
    finding.what = "MPI does not move non-blocking messages during computation.";
    finding.evidence = fmt::format("{}, after {} of computation", numbers(sum),
                                   format_seconds(to_seconds(sum.computed_ns)));
    if (const auto progress = sum.progress()) {
      finding.evidence += fmt::format("; the measured transfer time is {}, of which {} overlapped",
                                      format_seconds(sum.transfer_s), format_percent(*progress));
    }
    finding.evidence += judged_by(sum);
    finding.remedy =
        "This MPI moves such messages only inside calls. Call MPI_Test between pieces of the "
        "computation, use a communication thread, or enable the library's progress thread "
        "(MPICH_ASYNC_PROGRESS=1, I_MPI_ASYNC_PROGRESS=1) if a core is free for it." +
        what_helps(sum);
    findings.push_back(std::move(finding));
  }

  void name_direct(const BySite& direct, Findings& findings) const {
    if (direct.tallies.empty()) return;
    const Completions sum = direct.sum();
    PatternFinding finding = finding_at("no_overlap", direct.tallies);
    finding.what = "Non-blocking messages are completed immediately, without overlap.";
    finding.evidence = numbers(sum);
    finding.remedy = "Do computation that does not need the messages before completing them";
    if (const machine::OverlapVerdict* verdict = of_.progress.judge(sum.bytes_of)) {
      finding.evidence += "; " + of_.progress.sentence(*verdict);
      finding.remedy += verdict->progresses ? "."
                                            : ", and call MPI_Test between pieces of it, or use a "
                                              "communication thread." +
                                                  what_helps(sum);
    } else {
      finding.remedy += "; if this MPI does not move them, use a thread or MPI_Test (" +
                        of_.progress.why_not() + ").";
    }
    findings.push_back(std::move(finding));
  }

  const PatternInput& of_;
};

}  // namespace

void find_no_overlap(const PatternInput& of, Findings& findings) {
  Overlap(of).find(findings);
}

}  // namespace plait::analysis
