// SPDX-License-Identifier: BSD-3-Clause
// Detects slow links: pairs of ranks or nodes whose messages take much longer than alike ones.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

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
  void operator+=(const Lengths& other) {
    for (const auto& [bin, count] : other.bins_) bins_[bin] += count;
    count_ += other.count_;
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
  template <class Archive>
  friend void fields(Archive& archive, Lengths& of) {
    archive(of.bins_, of.count_);
  }

  static constexpr double kParts = 8;
  static int bin(double seconds) {
    return static_cast<int>(std::floor(kParts * std::log2(std::max(seconds, 1e-9))));
  }
  std::map<int, std::uint64_t> bins_;
  std::uint64_t count_ = 0;
};

/// A message that a call completes.
struct Part {
  std::uint32_t sender, size_class;
};

/// Calls that complete messages.
struct Completing {
  std::map<std::uint32_t, Lengths> lengths;     ///< by the size class of their messages
  std::map<Direction, std::uint64_t> of_nodes;  ///< messages by nodes
};

template <class Archive>
void fields(Archive& archive, Completing& of) {
  archive(of.lengths, of.of_nodes);
}

void merge(const Completing& later, Completing& sum) {
  for (const auto& [size_class, of] : later.lengths) sum.lengths[size_class] += of;
  for (const auto& [ends, count] : later.of_nodes) sum.of_nodes[ends] += count;
}

/// A call that completed messages later than usual.
struct SlowCall {
  std::uint32_t receiver = 0, site = kNone;
  double seconds = 0, excess = 0;
  std::size_t first = 0, last = 0;  ///< its senders
};
struct SlowCalls {
  std::vector<SlowCall> calls;         ///< in the order of the lanes
  std::vector<std::uint32_t> senders;  ///< of all calls
};

template <class Archive>
void fields(Archive& archive, SlowCalls& of) {
  archive(of.calls, of.senders);
}

void merge(const SlowCalls& later, SlowCalls& sum) {
  const std::size_t before = sum.senders.size();
  for (SlowCall call : later.calls) {
    call.first += before;
    call.last += before;
    sum.calls.push_back(call);
  }
  sum.senders.insert(sum.senders.end(), later.senders.begin(), later.senders.end());
}

struct Link {
  Direction ends;
  bool nodes = false;
  double explained = 0;  ///< s
};

class Links {
public:
  explicit Links(const PatternInput& of) : of_(of) {}

  void find(Findings& findings) {
    find_usual();
    find_slow();
    count_slow_pairs();
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

  /// Calls `use(site, seconds, parts)` for each call of a lane that completes messages: its time
  /// without waiting for others or for a CPU, and the sender and size class of each message.
  template <class Use>
  void for_completions(std::uint32_t number, Use use) const {
    std::vector<Part> parts;
    const Lane& lane = of_.lanes.all[number];
    const trace::Rank& rank = of_.trace.ranks[lane.rank];
    for_calls_of(
        of_, number,
        [&](std::uint32_t call, const trace::Event& event, const trace::Shape& shape,
            std::int64_t busy_ns) {
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
          const std::int64_t moving = std::max<std::int64_t>(0, busy_ns - lane.stalled_in(call));
          use(shape.site, to_seconds(moving), std::span<const Part>(parts));
        });
  }

  /// Collective. Finds how long calls take that complete messages of a size, and who sends any.
  void find_usual() {
    std::mutex lock;
    const auto all = sum_lanes<Completing>(of_, [&](std::uint32_t number, Completing& found) {
      const std::uint32_t receiver = of_.lanes.all[number].rank;
      std::map<std::uint32_t, std::uint64_t> by_sender;
      for_completions(number, [&](std::uint32_t, double seconds, std::span<const Part> parts) {
        for (const Part& part : parts) {
          found.lengths[part.size_class].add(seconds);
          ++by_sender[part.sender];
        }
      });
      for (const auto& [sender, count] : by_sender) {
        found.of_nodes[nodes_of({sender, receiver})] += count;
      }
      const std::lock_guard hold(lock);
      for (const auto& [sender, count] : by_sender) received_[{sender, receiver}] += count;
    });
    for (const auto& [size_class, of] : all.lengths) usual_[size_class] = of.quartile();
    for (const auto& [ends, count] : all.of_nodes) nodes_[ends].all = count;
  }

  /// Collective.
  void find_slow() {
    slow_ = sum_lanes<SlowCalls>(of_, [&](std::uint32_t number, SlowCalls& found) {
      for_completions(number, [&](std::uint32_t site, double seconds, std::span<const Part> parts) {
        double usual = 0;
        for (const Part& part : parts) usual = std::max(usual, usual_.at(part.size_class));
        if (seconds < kSlow * usual + kNoise_s) return;
        SlowCall slow{of_.lanes.all[number].rank, site, seconds, seconds - usual,
                      found.senders.size(),       0};
        for (const Part& part : parts) found.senders.push_back(part.sender);
        slow.last = found.senders.size();
        found.calls.push_back(slow);
      });
    });
  }

  /// Collective. Counts the messages of the pairs that have slow calls, in both directions.
  void count_slow_pairs() {
    for (const SlowCall& call : slow_.calls) {
      for (const std::uint32_t sender : senders_of(call)) {
        ranks_.try_emplace({sender, call.receiver});
        ranks_.try_emplace({call.receiver, sender});
      }
    }
    std::vector<std::uint64_t> all;
    for (const auto& [ends, counts] : ranks_) {
      const auto received = received_.find(ends);
      all.push_back(received == received_.end() ? 0 : received->second);
    }
    combine(of_.processes, all, [](std::uint64_t count, std::uint64_t& sum) { sum += count; });
    std::size_t next = 0;
    for (auto& [ends, counts] : ranks_) counts.all = all[next++];
  }

  [[nodiscard]] std::span<const std::uint32_t> senders_of(const SlowCall& call) const {
    return std::span(slow_.senders).subspan(call.first, call.last - call.first);
  }

  [[nodiscard]] Direction nodes_of(const Direction& ranks) const {
    return {of_.trace.ranks[ranks.first].node, of_.trace.ranks[ranks.second].node};
  }

  using AllCounts = std::map<Direction, Counts>;

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
    for (const SlowCall& call : slow_.calls) {
      const std::span<const std::uint32_t> senders = senders_of(call);
      for (std::size_t i = 0; i < senders.size(); ++i) {
        const Direction ranks{senders[i], call.receiver}, nodes = nodes_of(ranks);
        ++ranks_[ranks].slow;
        ++nodes_[nodes].slow;
        of_ranks[ordered(ranks)] += call.excess;
        const bool again = std::ranges::any_of(senders.first(i), [&](std::uint32_t sender) {
          return of_.trace.ranks[sender].node == nodes.first;
        });
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
      for (const std::uint32_t sender : senders_of(call)) {
        if (!is_on(link, sender, call.receiver)) continue;
        any = true;
        slow_pairs_.insert(ordered({sender, call.receiver}));
      }
      if (!any) return false;
      taken_.push_back(call);
      return true;
    };
    std::erase_if(slow_.calls, explained);
  }

  [[nodiscard]] std::size_t process_of(std::uint32_t rank) const {
    return range_of(of_.lanes.shares, of_.lanes.main_of[rank]);
  }

  /// Collective. Gives each process a list.
  /// @returns the lists that this process got, one after the other
  [[nodiscard]] std::vector<Direction> swapped(std::vector<std::vector<Direction>> to) const {
    return joined(to.size() == 1 ? std::move(to) : swap_lists(*of_.processes, to));
  }

  /// Collective. The number of pairs of different ranks with messages. The process of a receiver
  /// counts messages from lower ranks, and asks the processes of higher ranks whether they know the
  /// pair already from the opposite direction.
  [[nodiscard]] std::uint64_t undirected_pairs() const {
    std::vector<std::vector<Direction>> to(size_of(of_.processes));
    std::uint64_t count = 0;
    for (const auto& [ends, messages] : received_) {
      if (ends.first < ends.second) {
        ++count;
      } else {
        to[process_of(ends.first)].push_back(ends);
      }
    }
    for (const Direction& ends : swapped(std::move(to))) {
      if (!received_.contains(turned(ends))) ++count;
    }
    std::vector<std::uint64_t> sum{count};
    combine(of_.processes, sum, [](std::uint64_t later, std::uint64_t& all) { all += later; });
    return sum.front();
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
      tallies[call.site].add(call.receiver, std::llround(call.excess * 1e9));
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
  /// The messages that own ranks received.
  std::unordered_map<Direction, std::uint64_t, DirectionHash> received_;
  AllCounts ranks_, nodes_;                ///< ranks: of pairs with slow calls
  std::map<std::uint32_t, double> usual_;  ///< by size class, s
  SlowCalls slow_;                         ///< not explained yet
  std::vector<SlowCall> taken_;            ///< explained
  std::set<Direction> slow_pairs_;
};

}  // namespace

void find_slow_links(const PatternInput& of, Findings& findings) {
  Links(of).find(findings);
}

}  // namespace plait::analysis
