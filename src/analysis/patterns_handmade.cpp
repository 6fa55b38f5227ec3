// SPDX-License-Identifier: BSD-3-Clause
// Detects collective operations made of sends and receives.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "analysis/pattern_detectors.hpp"
#include "text/units.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;
using trace::OperationKind;

/// With fewer ranks, a star is an exchange with neighbours.
constexpr std::size_t kFewestRanks = 3;
constexpr std::size_t kFewestOfAll = 4;

/// To or from all others, each once, or always to the same neighbour.
enum class Form : std::uint8_t { star_out, star_in, ring };

/// Consecutive messages of one kind, size and call site on one rank.
class Burst {
public:
  struct Kind {
    std::uint32_t site = kNone, comm = kNone;
    std::uint64_t bytes = 0;
    bool operator==(const Kind&) const = default;
  };

  void add(const Kind& kind, int partner, std::int64_t ns) {
    if (kind_ != kind) begin(kind);
    partners_.push_back(partner);
    ns_ += ns;
  }
  void begin(const Kind& kind) {
    kind_ = kind;
    partners_.clear();
    ns_ = 0;
  }
  [[nodiscard]] bool is(const Kind& kind) const { return kind_ == kind; }
  [[nodiscard]] const Kind& kind() const { return kind_; }
  [[nodiscard]] std::int64_t ns() const { return ns_; }
  [[nodiscard]] const std::vector<int>& partners() const { return partners_; }
  [[nodiscard]] bool has(int partner) const {
    return std::ranges::find(partners_, partner) != partners_.end();
  }

private:
  Kind kind_;
  std::vector<int> partners_;
  std::int64_t ns_ = 0;
};

/// Operations of bursts, by form, communicator and site.
using Handmade = std::map<std::tuple<Form, std::uint32_t, std::uint32_t>, SiteTally>;

/// The number of ranks of a communicator; 0: it has two groups.
std::size_t ranks_of(const PatternInput& of, std::uint32_t number) {
  const trace::Comm& comm = of.trace.comms[number];
  return comm.remote_members.empty() ? comm.members.size() : 0;
}

/// Finds the bursts of one rank.
class BurstsOfRank {
public:
  BurstsOfRank(const PatternInput& of, std::uint32_t rank, Handmade& found)
      : of_(of), rank_(rank), found_(found) {}

  void find() {
    for (const trace::Operation& operation : of_.trace.ranks[rank_].operations) {
      if (operation.stream == 0) add(operation);
    }
    end_ring();
  }

private:
  void add(const trace::Operation& operation) {
    const trace::Event& event = of_.trace.start(rank_, operation);
    const trace::Shape& shape = of_.trace.shapes[operation.shape];
    const EventKind call = of_.trace.shape(event).kind;
    if (operation.kind == OperationKind::collective || operation.partner < 0 ||
        shape.comm >= of_.trace.comms.size()) {
      sends_ = receives_ = {};
      end_ring();
      return;
    }
    const Burst::Kind kind{shape.site, shape.comm, operation.bytes};
    const std::int64_t ns = event.end - event.begin;
    // The next send may depend on what was received; then it is not a collective operation.
    if (call == EventKind::receive) sends_ = {};
    if (call == EventKind::send) receives_ = {};
    if (operation.kind == OperationKind::send) {
      star(Form::star_out, sends_, kind, operation.partner, ns);
      if (!ring_.is(kind) || !ring_.has(operation.partner)) end_ring();
      ring_.add(kind, operation.partner, ns);
    } else {
      star(Form::star_in, receives_, kind, operation.partner, ns);
    }
  }

  void star(Form form, Burst& burst, const Burst::Kind& kind, int partner, std::int64_t ns) {
    // Limits the cost of searching for a partner.
    constexpr std::size_t kWidest = 4096;
    const std::size_t size = ranks_of(of_, kind.comm);
    if (size < kFewestRanks || size > kWidest || partner == static_cast<int>(rank_)) return;
    if (burst.is(kind) && burst.has(partner)) burst.begin(kind);
    burst.add(kind, partner, ns);
    if (burst.partners().size() != size - 1) return;
    found_[{form, kind.comm, kind.site}].add(rank_, burst.ns());
    burst = {};
  }

  /// A ring: one message fewer than there are ranks, all to the next rank.
  void end_ring() {
    const std::vector<int>& partners = ring_.partners();
    if (!partners.empty()) {
      const Burst::Kind kind = ring_.kind();
      const std::size_t size = ranks_of(of_, kind.comm);
      if (size >= kFewestOfAll && partners.size() == size - 1 && is_next(kind.comm, partners[0])) {
        found_[{Form::ring, kind.comm, kind.site}].add(rank_, ring_.ns());
      }
    }
    ring_ = {};
  }

  [[nodiscard]] bool is_next(std::uint32_t comm, int partner) const {
    const std::vector<int>& members = of_.trace.comms[comm].members;
    const auto me = std::ranges::find(members, static_cast<int>(rank_));
    if (me == members.end()) return false;
    const auto at = static_cast<std::size_t>(me - members.begin());
    return members[(at + 1) % members.size()] == partner ||
           members[(at + members.size() - 1) % members.size()] == partner;
  }

  const PatternInput& of_;
  std::uint32_t rank_;
  Handmade& found_;
  Burst sends_, receives_, ring_;
};

PatternFinding finding(const SiteTallies& sites, const char* what, const char* instead) {
  PatternFinding finding = finding_at("handmade_collective", sites);
  finding.what = what;
  finding.evidence = fmt::format("{} times; {} in these calls on rank {}", count_all(sites),
                                 format_seconds(finding.cost_s), finding.ranks.front());
  finding.remedy = fmt::format(
      "Use {}; MPI libraries choose an algorithm for each size and number of ranks.", instead);
  return finding;
}

void name(const PatternInput& of, const Handmade& found, Form form, Findings& findings) {
  std::array<SiteTallies, 2> by;  // by few roots, by all
  for (const auto& [key, tally] : found) {
    const auto& [of_form, comm, site] = key;
    if (of_form != form || tally.most() < kHotBursts) continue;
    const std::size_t size = ranks_of(of, comm);
    const bool all = tally.ranks().size() == size;
    if (form == Form::ring ? !all : all ? size < kFewestOfAll : 2 * tally.ranks().size() > size) {
      continue;
    }
    // Receives from all are the other side of sends to all.
    if (all && form == Form::star_in) continue;
    by[all ? 1 : 0][site].add(tally);
  }
  if (!by[0].empty()) {
    const bool out = form == Form::star_out;
    findings.push_back(
        finding(by[0],
                out ? "One rank sends equal messages to all others in turn."
                    : "One rank receives equal messages from all others in turn.",
                out ? "MPI_Bcast (the same data) or MPI_Scatter" : "MPI_Reduce or MPI_Gather"));
  }
  if (!by[1].empty()) {
    const bool ring = form == Form::ring;
    findings.push_back(finding(by[1],
                               ring ? "All ranks pass equal messages around a ring."
                                    : "Each rank sends equal messages to all others.",
                               ring ? "MPI_Allgather or MPI_Allreduce"
                                    : "MPI_Alltoall, or MPI_Allgather (the same data)"));
  }
}

}  // namespace

void find_handmade_collectives(const PatternInput& of, Findings& findings) {
  const Handmade found = sum_lanes<Handmade>(of, [&](std::uint32_t number, Handmade& of_ranks) {
    const Lane& lane = of.lanes.all[number];
    if (lane.stream == 0) BurstsOfRank(of, lane.rank, of_ranks).find();
  });
  for (const Form form : {Form::star_out, Form::star_in, Form::ring}) {
    name(of, found, form, findings);
  }
}

}  // namespace plait::analysis
