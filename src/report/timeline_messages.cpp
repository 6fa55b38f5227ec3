// SPDX-License-Identifier: BSD-3-Clause
// The messages of the page's timeline. The process of the receiver looks at a message.
#include "report/timeline_messages.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <tuple>
#include <utility>

#include "analysis/hash.hpp"
#include "base/combine.hpp"
#include "base/parallel.hpp"

namespace plait::report {
namespace {

using trace::kNone;

/// A message that the page may show.
struct Candidate {
  std::uint64_t waited = 0;  ///< by its receiver, ns
  std::uint64_t lot = 0;     ///< decides among equal ones; the same in all processes
  std::uint32_t message = 0;

  [[nodiscard]] bool is_worth_more_than(const Candidate& other) const {
    return waited != other.waited ? waited > other.waited : lot > other.lot;
  }
  /// The digits to base kBase of what a message is worth, the highest one first.
  static constexpr unsigned kBase = 256, kDigits = 16;
  [[nodiscard]] std::size_t digit(unsigned number) const {
    return (number < 8 ? waited : lot) >> (56U - 8U * (number % 8)) & 0xffU;
  }
};

/// A message that the page shows.
struct Line {
  std::int64_t begin = 0, end = 0;
  std::uint64_t bytes = 0;
  std::uint32_t sender = 0, receiver = 0, receive = 0;
  int tag = 0;

  bool operator<(const Line& other) const {
    return std::tie(begin, sender, receiver, receive) <
           std::tie(other.begin, other.sender, other.receiver, other.receive);
  }
};

class Chooser {
public:
  Chooser(const TimelineSource& of, const std::vector<TimelineWindow>& windows,
          const std::vector<std::uint32_t>& row_of)
      : of_(of), trace_(of.trace), windows_(windows), row_of_(row_of) {}

  /// Messages of own receivers, among which are the `most` that are worth most.
  [[nodiscard]] std::vector<Candidate> candidates(std::uint64_t most) const {
    const std::vector<IndexRange> ranges = ranges_of(trace_.messages.size(), of_.team.threads);
    std::vector<Candidate> all;
    std::mutex mutex;
    for_each_index(
        ranges.size(),
        [&](std::size_t i) {
          std::vector<Candidate> some;
          for (std::size_t message = ranges[i].first; message < ranges[i].last; ++message) {
            if (!is_shown(static_cast<std::uint32_t>(message))) continue;
            some.push_back(candidate(static_cast<std::uint32_t>(message)));
            drop_surplus(some, most);
          }
          const std::scoped_lock lock(mutex);
          all.insert(all.end(), some.begin(), some.end());
          drop_surplus(all, most);
        },
        of_.team.threads);
    return all;
  }

  [[nodiscard]] Line line(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    const trace::Operation& receive = trace_.ranks[of.receiver].operations[of.receive];
    // Its bytes and tag are those of the message.
    return {begin_of(message), end_of(of.receiver, receive),
            receive.bytes,     of.sender,
            of.receiver,       of.receive,
            receive.tag};
  }

private:
  [[nodiscard]] bool is_shown(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    if (!trace_.has(of.receiver) || (!is_alone(of.sender) && !is_alone(of.receiver))) return false;
    const std::int64_t begin = begin_of(message);
    const trace::Operation& receive = trace_.ranks[of.receiver].operations[of.receive];
    if (receive.ended == kNone) return false;
    const std::int64_t end = end_of(of.receiver, receive);
    return is_in(windows_, begin, begin + 1) || is_in(windows_, end, end + 1);
  }

  [[nodiscard]] Candidate candidate(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    const trace::Operation& receive = trace_.ranks[of.receiver].operations[of.receive];
    const std::int64_t waited =
        of_.wait ? of_.wait(of.receiver, receive.end_stream, receive.ended) : 0;
    return {static_cast<std::uint64_t>(std::max<std::int64_t>(0, waited)),
            analysis::mix(of.receiver, of.receive), message};
  }

  /// Leaves twice as many as are needed.
  static void drop_surplus(std::vector<Candidate>& of, std::uint64_t most) {
    constexpr std::size_t kFew = 1024;
    if (of.size() <= 2 * most + kFew) return;
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(of.begin(), middle, of.end(), [](const Candidate& a, const Candidate& b) {
      return a.is_worth_more_than(b);
    });
    of.erase(middle, of.end());
  }

  [[nodiscard]] bool is_alone(std::uint32_t rank) const {
    return of_.rows[row_of_[rank]].is_single();
  }
  [[nodiscard]] std::int64_t begin_of(std::uint32_t message) const {
    const trace::Message& of = trace_.messages[message];
    if (!trace_.has(of.sender)) return of_.team.ends->sender(message).begin;
    return trace_.start(of.sender, trace_.ranks[of.sender].operations[of.send]).begin;
  }
  [[nodiscard]] std::int64_t end_of(std::uint32_t rank, const trace::Operation& receive) const {
    return trace_.ranks[rank].streams[receive.end_stream].events[receive.ended].end;
  }

  const TimelineSource& of_;
  const trace::Trace& trace_;
  const std::vector<TimelineWindow>& windows_;
  const std::vector<std::uint32_t>& row_of_;
};

/// Collective. Keeps the `most` candidates of all processes that are worth most. Digit by digit,
/// they find out how much the last one of these is worth.
void keep_most_worth(Processes* processes, std::vector<Candidate>& candidates, std::uint64_t most) {
  std::vector<Candidate> kept;
  for (unsigned number = 0; number < Candidate::kDigits; ++number) {
    std::vector<std::uint64_t> counts(Candidate::kBase, 0);
    for (const Candidate& one : candidates) ++counts[one.digit(number)];
    combine(processes, counts, [](std::uint64_t one, std::uint64_t& sum) { sum += one; });
    std::size_t least = counts.size();  // the least digit with which all are kept
    while (least > 0 && counts[least - 1] <= most) most -= counts[--least];
    std::vector<Candidate> undecided;
    for (const Candidate& one : candidates) {
      const std::size_t digit = one.digit(number);
      if (digit >= least) {
        kept.push_back(one);
      } else if (digit + 1 == least) {
        undecided.push_back(one);
      }
    }
    candidates = std::move(undecided);
    if (least == 0) break;
  }
  candidates = std::move(kept);
}

}  // namespace

JoinedColumns timeline_messages(const TimelineSource& of,
                                const std::vector<TimelineWindow>& windows, std::uint64_t most) {
  std::vector<std::uint32_t> row_of(of.trace.ranks.size());
  for (std::uint32_t i = 0; i < of.rows.size(); ++i) {
    std::fill(row_of.begin() + of.rows[i].first, row_of.begin() + of.rows[i].last, i);
  }
  const Chooser chooser(of, windows, row_of);
  std::vector<Candidate> candidates = chooser.candidates(most);
  keep_most_worth(of.team.processes, candidates, most);
  std::vector<Line> lines;
  for (const Candidate& one : candidates) lines.push_back(chooser.line(one.message));
  gather(of.team.processes, lines);
  if (rank_of(of.team.processes) != 0) return {};
  std::sort(lines.begin(), lines.end());
  ColumnBytes begins, durations, senders, receivers, bytes, tags;
  std::int64_t last_begin = of.run.begin, last_tag = 0;
  std::uint64_t last_bytes = 0;
  for (const Line& line : lines) {
    begins.add_signed(line.begin - std::exchange(last_begin, line.begin));
    durations.add_signed(line.end - line.begin);
    senders.add(row_of[line.sender]);
    receivers.add(row_of[line.receiver]);
    bytes.add_change(last_bytes, line.bytes);
    tags.add_signed(line.tag - std::exchange(last_tag, line.tag));
  }
  return {lines.size(), joined({begins, durations, senders, receivers, bytes, tags})};
}

}  // namespace plait::report
