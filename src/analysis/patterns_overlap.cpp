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
  Bytes bytes_of{};       ///< by kind of message
  double busy_s = 0;      ///< in the calls, without waiting for partners
  double computed_s = 0;  ///< while the messages were in transit
  double transfer_s = 0;  ///< of the messages, as measured
  bool known = true;      ///< transfer_s is known

  void operator+=(const Completions& other) {
    calls += other.calls;
    messages += other.messages;
    for (std::size_t kind = 0; kind < bytes_of.size(); ++kind) {
      bytes_of[kind] += other.bytes_of[kind];
    }
    busy_s += other.busy_s;
    computed_s += other.computed_s;
    transfer_s += other.transfer_s;
    known = known && other.known;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return std::accumulate(bytes_of.begin(), bytes_of.end(), std::uint64_t{0});
  }
  /// The share of the transfers that was done when their completion was requested; empty: unknown.
  [[nodiscard]] std::optional<double> progress() const {
    if (!known || transfer_s <= 0) return {};
    return std::clamp(1 - busy_s / transfer_s, 0.0, 1.0);
  }
};

class Overlap {
public:
  explicit Overlap(const PatternInput& of) : of_(of) {}

  void find(Findings& findings) {
    for (std::uint32_t lane = 0; lane < of_.lanes.all.size(); ++lane) look_at(lane);
    name_stalled(findings);
    name_direct(findings);
  }

private:
  struct BySite {
    SiteTallies tallies;
    Completions sum;
  };

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
    const bool time_enough = !of.known || of.computed_s >= of.transfer_s;
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

  void look_at(std::uint32_t number) {
    const Lane& lane = of_.lanes.all[number];
    const trace::Rank& rank = of_.trace.ranks[lane.rank];
    std::map<std::uint32_t, Completions> direct;
    std::map<std::uint32_t, Completions> behind;
    std::map<std::uint32_t, std::int64_t> counted;  // computation until the site's previous call
    for_calls_of(of_, number,
                 [&](std::uint32_t call, const trace::Event& event, const trace::Shape& shape,
                     double busy_s) {
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
                   one.busy_s = busy_s;
                   // Concurrent messages share the computation.
                   std::int64_t& until = counted[shape.site];
                   one.computed_s = to_seconds(std::min(least, lane.computed_before(call) - until));
                   until = lane.computed_before(call);
                   const bool some = to_seconds(least) >= kSomeBehind * busy_s;
                   (some ? behind : direct)[shape.site] += one;
                 });
    const auto calls = static_cast<std::uint32_t>(lane.calls.size());
    const double computed = calls == 0 ? 0 : to_seconds(lane.computed_before(calls - 1));
    // Nobody waits for buffered messages.
    const std::uint64_t buffered =
        std::max(of_.waits.largest_buffered[0], of_.waits.largest_buffered[1]);
    keep(lane.rank, direct, direct_, [&](const Completions& of) {
      return of.bytes() <= buffered * of.messages ? 0 : std::min(of.busy_s, computed);
    });
    keep(lane.rank, behind, stalled_, [&](const Completions& of) {
      const bool at_once = of.bytes() <= kSentAtOnce * of.messages;
      return at_once || !held(of) ? 0 : std::min(of.busy_s, of.computed_s);
    });
  }

  /// Keeps sites at which a rank may lose a costly share.
  template <class Cost>
  void keep(std::uint32_t rank, const std::map<std::uint32_t, Completions>& from, BySite& to,
            Cost cost) {
    for (const auto& [site, of] : from) {
      const double seconds = cost(of);
      if (of.calls < kFewest || seconds < kCostlyShare * of_.run_s) continue;
      to.tallies[site].add(rank, seconds, of.calls);
      to.sum += of;
    }
  }

  [[nodiscard]] static std::string numbers(const Completions& of) {
    const auto messages = static_cast<double>(of.messages);
    return fmt::format(
        "{} messages of {} on average; {} in the calls that "
        "complete them, without waiting for partners",
        of.messages, format_bytes(static_cast<double>(of.bytes()) / messages),
        format_seconds(of.busy_s));
  }

  void name_stalled(Findings& findings) const {
    if (stalled_.tallies.empty()) return;
    PatternFinding finding = finding_at("no_overlap", stalled_.tallies);
    finding.what = "MPI does not move non-blocking messages during computation.";
    finding.evidence = fmt::format("{}, after {} of computation", numbers(stalled_.sum),
                                   format_seconds(stalled_.sum.computed_s));
    if (const auto progress = stalled_.sum.progress()) {
      finding.evidence +=
          fmt::format("; the measured transfer time is {}, of which {} overlapped",
                      format_seconds(stalled_.sum.transfer_s), format_percent(*progress));
    }
    finding.evidence += judged_by(stalled_.sum);
    finding.remedy =
        "This MPI moves such messages only inside calls. Call MPI_Test between pieces of the "
        "computation, use a communication thread, or enable the library's progress thread "
        "(MPICH_ASYNC_PROGRESS=1, I_MPI_ASYNC_PROGRESS=1) if a core is free for it." +
        what_helps(stalled_.sum);
    findings.push_back(std::move(finding));
  }

  void name_direct(Findings& findings) const {
    if (direct_.tallies.empty()) return;
    PatternFinding finding = finding_at("no_overlap", direct_.tallies);
    finding.what = "Non-blocking messages are completed immediately, without overlap.";
    finding.evidence = numbers(direct_.sum);
    finding.remedy = "Do computation that does not need the messages before completing them";
    if (const machine::OverlapVerdict* verdict = of_.progress.judge(direct_.sum.bytes_of)) {
      finding.evidence += "; " + of_.progress.sentence(*verdict);
      finding.remedy += verdict->progresses ? "."
                                            : ", and call MPI_Test between pieces of it, or use a "
                                              "communication thread." +
                                                  what_helps(direct_.sum);
    } else {
      finding.remedy += "; if this MPI does not move them, use a thread or MPI_Test (" +
                        of_.progress.why_not() + ").";
    }
    findings.push_back(std::move(finding));
  }

  const PatternInput& of_;
  BySite direct_, stalled_;
};

}  // namespace

void find_no_overlap(const PatternInput& of, Findings& findings) {
  Overlap(of).find(findings);
}

}  // namespace plait::analysis
