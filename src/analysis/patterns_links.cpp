// SPDX-License-Identifier: BSD-3-Clause
// Detects slow links: pairs of ranks or nodes whose messages take much longer than alike ones.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/pattern_detectors.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;
using trace::OperationKind;

/// A call is slow if it takes so many times as long as others that complete messages of the size.
constexpr double kSlow = 4;
/// Noise is shorter, s.
constexpr double kNoise_s = 10e-6;
/// The messages of a slow link that are slow, at least, in each direction in which there are any;
/// others may arrive while their receiver still waits for somebody else.
constexpr double kShare = 0.3;
constexpr std::uint64_t kFewest = 10;
/// Links are exceptions: at least so many pairs for each slow one.
constexpr std::size_t kAlikePairs = 5;
constexpr std::size_t kMostLinks = 3;
/// Two nodes are named instead of two ranks if they explain so much more.
constexpr double kNodesExplain = 1.5;

/// Pairs in one direction: sender and receiver, ranks or nodes.
using Direction = std::pair<std::uint32_t, std::uint32_t>;
struct DirectionHash {
  std::size_t operator()(const Direction& of) const {
    return (std::uint64_t{of.first} << 32U | of.second) * 0x9e3779b97f4a7c15U;
  }
};
Direction turned(const Direction& of) {
  return {of.second, of.first};
}

Direction ordered(const Direction& of) {
  return of.first <= of.second ? of : turned(of);
}

/// Lengths of calls in bins of an eighth of a power of two.
class Lengths {
public:
  void add(double seconds) {
    ++bins_[bin(seconds)];
    ++count_;
  }
  /// A quarter of the calls are not longer, about, s: the others may all be slow.
  [[nodiscard]] double quartile() const {
    std::uint64_t seen = 0;
    for (const auto& [bin, count] : bins_) {
      seen += count;
      if (4 * seen >= count_) return std::exp2((bin + 1) / kParts);
    }
    return 0;
  }

private:
  static constexpr double kParts = 8;
  static int bin(double seconds) {
    return static_cast<int>(std::floor(kParts * std::log2(std::max(seconds, 1e-9))));
  }
  std::map<int, std::uint64_t> bins_;
  std::uint64_t count_ = 0;
};

/// A call that completed messages later than usual.
struct SlowCall {
  std::uint32_t receiver = 0, site = kNone;
  double seconds = 0, excess = 0;
  std::size_t first = 0, last = 0;  ///< its senders
};

struct Link {
  Direction ends;
  bool nodes = false;
  double explained = 0;  ///< s
};

class Links {
public:
  explicit Links(const PatternInput& of) : of_(of) {}

  void find(Findings& findings) {
    if (of_.trace.messages.empty()) return;
    find_usual();
    find_slow();
    std::vector<Link> links;
    while (links.size() < kMostLinks) {
      const Link link = best();
      if (link.explained < kCostlyShare * of_.run_s) break;
      links.push_back(link);
      explain(link);
    }
    if (links.empty() || slow_pairs_.size() * kAlikePairs > undirected_pairs()) return;
    report(links, findings);
  }

private:
  struct Counts {
    std::uint64_t all = 0, slow = 0;
  };

  /// Calls `use(receiver, site, seconds, parts)` for each call that completes messages: its time
  /// without waiting for others or for a CPU, and the sender and size class of each message.
  template <class Use>
  void for_completions(Use use) {
    struct Part {
      std::uint32_t sender, size_class;
    };
    std::vector<Part> parts;
    for (std::uint32_t number = 0; number < of_.lanes.all.size(); ++number) {
      const Lane& lane = of_.lanes.all[number];
      const trace::Rank& rank = of_.trace.ranks[lane.rank];
      for_calls_of(
          of_, number,
          [&](std::uint32_t call, const trace::Event& event, const trace::Shape& shape,
              double busy_s) {
            parts.clear();
            const auto take = [&](const trace::Operation& at) {
              const bool ends_here =
                  at.ended == lane.calls[call].event && at.end_stream == lane.stream;
              if (at.kind != OperationKind::receive || at.message == kNone || !ends_here) return;
              const std::uint32_t sender = of_.trace.messages[at.message].sender;
              const bool between = of_.trace.ranks[sender].node != rank.node;
              parts.push_back({sender, 2 * static_cast<std::uint32_t>(std::bit_width(at.bytes)) +
                                           (between ? 1U : 0U)});
            };
            for_operations(rank, event, take);
            if (parts.empty()) return;
            const double stalled = to_seconds(lane.stalled_in(call));
            use(lane.rank, shape.site, std::max(0.0, busy_s - stalled), parts);
          });
    }
  }

  void find_usual() {
    std::map<std::uint32_t, Lengths> lengths;
    for_completions([&](std::uint32_t receiver, std::uint32_t, double seconds, const auto& parts) {
      for (const auto& part : parts) {
        lengths[part.size_class].add(seconds);
        ++ranks_[{part.sender, receiver}].all;
        ++nodes_[nodes_of({part.sender, receiver})].all;
      }
    });
    for (const auto& [size_class, of] : lengths) usual_[size_class] = of.quartile();
  }

  void find_slow() {
    for_completions(
        [&](std::uint32_t receiver, std::uint32_t site, double seconds, const auto& parts) {
          double usual = 0;
          for (const auto& part : parts) usual = std::max(usual, usual_[part.size_class]);
          if (seconds < kSlow * usual + kNoise_s) return;
          SlowCall slow{receiver, site, seconds, seconds - usual, senders_.size(), 0};
          for (const auto& part : parts) senders_.push_back(part.sender);
          slow.last = senders_.size();
          slow_.push_back(slow);
        });
  }

  [[nodiscard]] Direction nodes_of(const Direction& ranks) const {
    return {of_.trace.ranks[ranks.first].node, of_.trace.ranks[ranks.second].node};
  }

  using AllCounts = std::unordered_map<Direction, Counts, DirectionHash>;

  /// True if the messages between two ends are slow in each direction in which there are any.
  static bool is_slow(const AllCounts& counts, const Direction& ends) {
    bool any = false;
    for (const Direction& way : {ends, turned(ends)}) {
      const auto found = counts.find(way);
      if (found == counts.end() || found->second.all == 0) continue;
      const Counts& of = found->second;
      if (of.all < kFewest || static_cast<double>(of.slow) < kShare * static_cast<double>(of.all))
        return false;
      any = true;
    }
    return any;
  }

  /// The link that explains most of the slow calls that are not explained yet.
  Link best() {
    for (auto& [ends, counts] : ranks_) counts.slow = 0;
    for (auto& [ends, counts] : nodes_) counts.slow = 0;
    std::map<Direction, double> of_ranks, of_nodes;  // by ends in ascending order
    for (const SlowCall& call : slow_) {
      for (std::size_t i = call.first; i < call.last; ++i) {
        const Direction ranks{senders_[i], call.receiver}, nodes = nodes_of(ranks);
        ++ranks_[ranks].slow;
        ++nodes_[nodes].slow;
        of_ranks[ordered(ranks)] += call.excess;
        const bool again = std::any_of(
            senders_.begin() + static_cast<std::ptrdiff_t>(call.first),
            senders_.begin() + static_cast<std::ptrdiff_t>(i),
            [&](std::uint32_t sender) { return of_.trace.ranks[sender].node == nodes.first; });
        if (nodes.first != nodes.second && !again) {
          of_nodes[ordered(nodes)] += call.excess;
        }
      }
    }
    Link ranks, nodes;
    const auto choose = [](const std::map<Direction, double>& sums, const AllCounts& counts,
                           Link& link) {
      for (const auto& [ends, seconds] : sums) {
        if (seconds > link.explained && is_slow(counts, ends)) {
          link.ends = ends;
          link.explained = seconds;
        }
      }
    };
    choose(of_ranks, ranks_, ranks);
    choose(of_nodes, nodes_, nodes);
    nodes.nodes = true;
    return nodes.explained > kNodesExplain * ranks.explained ? nodes : ranks;
  }

  [[nodiscard]] bool is_on(const Link& link, std::uint32_t sender, std::uint32_t receiver) const {
    const Direction way = link.nodes ? nodes_of({sender, receiver}) : Direction{sender, receiver};
    return way == link.ends || way == turned(link.ends);
  }

  /// Takes the slow calls that a link explains.
  void explain(const Link& link) {
    const auto explained = [&](const SlowCall& call) {
      bool any = false;
      for (std::size_t i = call.first; i < call.last; ++i) {
        if (!is_on(link, senders_[i], call.receiver)) continue;
        any = true;
        slow_pairs_.insert(ordered({senders_[i], call.receiver}));
      }
      if (!any) return false;
      taken_.push_back(call);
      return true;
    };
    std::erase_if(slow_, explained);
  }

  [[nodiscard]] std::size_t undirected_pairs() const {
    std::size_t count = 0;
    for (const auto& [ends, counts] : ranks_) {
      if (ends.first < ends.second || !ranks_.contains(turned(ends))) ++count;
    }
    return count;
  }

  [[nodiscard]] std::string name_of(const Link& link) const {
    const auto& [a, b] = link.ends;
    return link.nodes ? fmt::format("nodes {} and {}", of_.trace.nodes[a], of_.trace.nodes[b])
                      : fmt::format("ranks {} and {}", a, b);
  }

  void report(const std::vector<Link>& links, Findings& findings) {
    std::ranges::stable_sort(taken_, {}, &SlowCall::receiver);
    SiteTallies tallies;
    double usual = 0, seconds = 0;
    for (const SlowCall& call : taken_) {
      tallies[call.site].add(call.receiver, call.excess);
      usual += call.seconds - call.excess;
      seconds += call.seconds;
    }
    PatternFinding finding = finding_at("slow_link", tallies);
    if (finding.cost_s < kCostlyShare * of_.run_s) return;
    std::vector<std::string> others;
    bool nodes = false;
    for (const Link& link : links) {
      if (&link != &links.front()) others.push_back(name_of(link));
      nodes = nodes || link.nodes || nodes_of(link.ends).first != nodes_of(link.ends).second;
    }
    const auto calls = static_cast<double>(taken_.size());
    finding.what = fmt::format("Messages between {} are slow.", name_of(links.front()));
    finding.evidence = fmt::format(
        "{} that complete them take {} on average, not counting the wait for senders; calls that "
        "complete messages between other ranks take {}",
        counted(taken_.size(), "call"), format_seconds(seconds / calls),
        format_seconds(usual / calls));
    if (!others.empty()) {
      finding.evidence +=
          fmt::format("; this includes messages between {}", fmt::join(others, ", and between "));
    }
    finding.remedy =
        nodes
            ? "Measure the path between these nodes (plait measure), and check its cables, ports "
              "and adapters; until then, place ranks that exchange messages on other nodes."
            : "Check where these ranks run: their cores may be far apart, or shared (plait place); "
              "place ranks that exchange messages next to each other.";
    findings.push_back(std::move(finding));
  }

  const PatternInput& of_;
  AllCounts ranks_, nodes_;
  std::map<std::uint32_t, double> usual_;  ///< by size class, s
  std::vector<SlowCall> slow_, taken_;     ///< not explained yet; explained
  std::vector<std::uint32_t> senders_;
  std::set<Direction> slow_pairs_;
};

}  // namespace

void find_slow_links(const PatternInput& of, Findings& findings) {
  Links(of).find(findings);
}

}  // namespace plait::analysis
