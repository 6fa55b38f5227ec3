// SPDX-License-Identifier: BSD-3-Clause
// Finds phases of a run from the repeating pattern of its calls.
#include "analysis/phases.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <type_traits>

#include "analysis/hash.hpp"
#include "analysis/loops.hpp"
#include "analysis/shares.hpp"
#include "analysis/typical_lane.hpp"
#include "base/statistics.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

/// Fewest repetitions of a phase.
constexpr std::size_t kFewest = 4;
/// Smallest share of the run of a phase.
constexpr double kShortest = 0.02;
/// Inner loops of one kind that take this share of an outer loop are the phase; the rest (output, a
/// new neighbour list) is deviation.
constexpr double kMainPart = 0.6;
/// Smallest share of the outer loop's computation: a loop over messages is not an iteration.
constexpr double kComputes = 0.3;
/// If loops cover less of the run than this, a collective call cuts the run instead.
constexpr double kFound = 0.2;
/// A pause that is longer than this many repetitions and than kShortest of the run ends a phase.
constexpr double kPause = 10;
constexpr std::size_t kPatternShown = 64;
constexpr std::size_t kRanksExamined = 32;

/// Repetitions of one pattern, as calls of the examined rank's lane.
struct Candidate {
  std::vector<Repetition> repetitions;  ///< of the sequence of symbols
  std::set<std::uint32_t> places;
  std::int64_t begin = 0, end = 0;  ///< ns
  std::int64_t lead = 0;            ///< computation before a repetition's first call, median, ns
  std::uint64_t signature = 0;
};

/// What a function finds for shapes, called once for each.
template <class Find>
class OfShapes {
public:
  OfShapes(const trace::Trace& trace, const Find& find) : trace_(trace), find_(find) {}

  auto operator()(std::uint32_t shape) {
    if (known_.empty()) known_.resize(trace_.shapes.size());
    auto& known = known_[shape];
    if (!known) known = find_(trace_.shapes[shape]);
    return *known;
  }

private:
  const trace::Trace& trace_;
  const Find& find_;
  std::vector<std::optional<std::invoke_result_t<Find, const trace::Shape&>>> known_;
};

/// The calls of ranks in a window of time.
struct CallSums {
  struct Function {
    std::uint64_t count = 0;
    std::int64_t ns = 0;
  };
  std::vector<Function> functions;
  int ranks = 0;  ///< with calls

  void add(const CallSums& later) {
    for (std::size_t i = 0; i < functions.size(); ++i) {
      functions[i].count += later.functions[i].count;
      functions[i].ns += later.functions[i].ns;
    }
    ranks += later.ranks;
  }
};

template <class Archive>
void fields(Archive& archive, CallSums& of) {
  archive(of.functions, of.ranks);
}

/// All processes run it, with the same decisions.
class Finder {
public:
  Finder(const trace::Trace& trace, const Lanes& lanes, const Waits& waits, const TypicalLane& lane,
         unsigned threads, Processes* processes)
      : trace_(trace),
        lanes_(lanes),
        waits_(waits),
        lane_(lane),
        calls_(lane.calls()),
        of_(lane.symbols()),
        threads_(threads),
        processes_(processes) {}

  std::vector<Phase> find() {
    const Folded folded = fold_loops(of_.symbol, of_.symbols);
    for (const LoopPart& part : folded.parts) {
      if (part.loop != kNone) collect(folded, part.loop);
    }
    std::vector<Candidate> loops = accepted();
    if (covered(loops) < kFound * to_seconds(length())) {
      cut_by_collective();
      std::vector<Candidate> cut = accepted();
      if (covered(cut) > 2 * covered(loops)) loops = std::move(cut);
    }
    return phases(loops);
  }

private:
  [[nodiscard]] std::int64_t length() const { return lanes_.end - lanes_.begin; }
  [[nodiscard]] std::int64_t begin_of(const Repetition& of) const {
    return calls_[of_.call[of.begin]].begin;
  }
  [[nodiscard]] std::int64_t end_of(const Repetition& of) const {
    return calls_[of_.call[of.end - 1]].end;
  }
  /// Sums a growing quantity over repetitions, adjacent ones up to the begin of the next.
  template <class Begin, class End>
  static std::int64_t sum_over(const std::vector<Repetition>& all, Begin begin, End end) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool joined = i + 1 < all.size() && all[i].end == all[i + 1].begin;
      sum += (joined ? begin(all[i + 1]) : end(all[i])) - begin(all[i]);
    }
    return sum;
  }
  [[nodiscard]] std::int64_t time_of(const std::vector<Repetition>& all) const {
    return sum_over(
        all, [this](const Repetition& of) { return begin_of(of); },
        [this](const Repetition& of) { return end_of(of); });
  }
  [[nodiscard]] std::int64_t computed_in(const std::vector<Repetition>& all) const {
    return sum_over(
        all, [this](const Repetition& of) { return calls_[of_.call[of.begin]].computed; },
        [this](const Repetition& of) { return calls_[of_.call[of.end - 1]].computed; });
  }

  static double covered(const std::vector<Candidate>& loops) {
    double sum = 0;
    for (const Candidate& one : loops) sum += to_seconds(one.end - one.begin);
    return sum;
  }

  /// All repetitions of one kind of loop within another.
  struct Kind {
    std::vector<Repetition> repetitions;
    std::int64_t time = 0, computed = 0;
  };
  void gather(const Folded& folded, const Loop& loop, std::map<std::uint32_t, Kind>& kinds) const {
    for (const LoopPart& part : loop.body) {
      if (part.loop == kNone) continue;
      const Loop& inner = folded.loops[part.loop];
      Kind& kind = kinds[part.symbol];
      kind.repetitions.insert(kind.repetitions.end(), inner.repetitions.begin(),
                              inner.repetitions.end());
      kind.time += time_of(inner.repetitions);
      kind.computed += computed_in(inner.repetitions);
      gather(folded, inner, kinds);
    }
  }

  /// Adds the loop, or the inner loops that dominate it, as a candidate.
  void collect(const Folded& folded, std::uint32_t number) {
    const Loop& loop = folded.loops[number];
    if (loop.repetitions.size() < kFewest) {
      for (const LoopPart& part : loop.body) {
        if (part.loop != kNone) collect(folded, part.loop);
      }
      return;
    }
    std::map<std::uint32_t, Kind> kinds;
    gather(folded, loop, kinds);
    const auto share = [](std::int64_t part, double of) {
      return static_cast<std::int64_t>(of * static_cast<double>(part));
    };
    const std::int64_t time = share(time_of(loop.repetitions), kMainPart);
    const std::int64_t computed = share(computed_in(loop.repetitions), kComputes);
    const std::vector<Repetition>* most = &loop.repetitions;
    for (const auto& [symbol, kind] : kinds) {
      if (kind.time >= time && kind.computed >= computed &&
          kind.repetitions.size() > most->size()) {
        most = &kind.repetitions;
      }
    }
    std::set<std::uint32_t> places;
    const Repetition& one = most->front();
    for (std::uint32_t i = one.begin; i < one.end; ++i) places.insert(of_.place[i]);
    add(*most, places);
  }

  void add(const std::vector<Repetition>& repetitions, const std::set<std::uint32_t>& places) {
    std::uint64_t signature = 0;
    for (const std::uint32_t place : places) signature += mix(of_.place_hash[place]);
    Candidate& to = candidates_[signature];
    to.signature = signature;
    to.places.insert(places.begin(), places.end());
    to.repetitions.insert(to.repetitions.end(), repetitions.begin(), repetitions.end());
  }

  /// Replaces the candidates if no loop was found because calls differ from step to step: cuts the
  /// run at the most regular call, preferably a collective.
  void cut_by_collective() {
    std::vector<std::vector<std::uint32_t>> at(of_.places);
    for (std::uint32_t i = 0; i < of_.place.size(); ++i) at[of_.place[i]].push_back(i);
    std::uint32_t best = kNone;
    double best_score = 0;
    for (std::uint32_t place = 0; place < of_.places; ++place) {
      if (at[place].size() <= kFewest) continue;
      const double score = regularity(at[place]);
      if (score > best_score) {
        best = place;
        best_score = score;
      }
    }
    candidates_.clear();
    if (best == kNone) return;
    std::vector<Repetition> repetitions;
    std::set<std::uint32_t> places;
    for (std::size_t i = 0; i + 1 < at[best].size(); ++i) {
      repetitions.push_back({at[best][i] + 1, at[best][i + 1] + 1});
    }
    for (const Repetition& one : repetitions) {
      for (std::uint32_t i = one.begin; i < one.end; ++i) places.insert(of_.place[i]);
    }
    add(repetitions, places);
  }

  /// Share of the run between the first and the last of these calls, reduced for irregular ones.
  [[nodiscard]] double regularity(const std::vector<std::uint32_t>& at) const {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
      const double step = to_seconds(calls_[of_.call[at[i + 1]]].end - calls_[of_.call[at[i]]].end);
      sum += step;
      squares += step * step;
    }
    if (sum <= 0) return 0;
    const double mean = sum / static_cast<double>(at.size() - 1);
    const double cv =
        std::sqrt(std::max(0.0, squares / static_cast<double>(at.size() - 1) - mean * mean)) / mean;
    const std::uint32_t shape = lane_.shape_of(of_.place[at.front()]);
    const bool collective = trace_.shapes[shape].kind == trace::EventKind::collective;
    return sum / to_seconds(length()) / (1 + cv) * (collective ? 1 : 0.5);
  }

  /// The candidates as phases that do not overlap, in order of time.
  std::vector<Candidate> accepted() {
    std::vector<Candidate> pieces;
    for (auto& [signature, candidate] : candidates_) split(candidate, pieces);
    std::ranges::stable_sort(pieces, std::ranges::greater{},
                             [](const Candidate& of) { return of.end - of.begin; });
    std::vector<Candidate> kept;
    for (Candidate& one : pieces) {
      const bool free = std::ranges::none_of(kept, [&](const Candidate& other) {
        return one.begin < other.end && other.begin < one.end;
      });
      if (free && to_seconds(one.end - one.begin) >= kShortest * to_seconds(length()) &&
          others_agree(one)) {
        kept.push_back(std::move(one));
      }
    }
    std::ranges::sort(kept, {}, &Candidate::begin);
    return kept;
  }

  /// Splits repetitions at long pauses.
  void split(Candidate& all, std::vector<Candidate>& to) {
    std::ranges::sort(all.repetitions, {}, &Repetition::begin);
    const double mean =
        to_seconds(time_of(all.repetitions)) / static_cast<double>(all.repetitions.size());
    const double longest = std::max(kPause * mean, kShortest * to_seconds(length()));
    std::vector<Repetition> piece;
    const auto end_piece = [&] {
      if (piece.size() >= kFewest) {
        Candidate& one = to.emplace_back();
        one.repetitions = piece;
        one.places = all.places;
        one.signature = all.signature;
        bound(one);
      }
      piece.clear();
    };
    for (const Repetition& one : all.repetitions) {
      if (!piece.empty() && to_seconds(begin_of(one) - end_of(piece.back())) > longest) end_piece();
      piece.push_back(one);
    }
    end_piece();
  }

  /// Sets begin and end: from the computation before the first repetition to the last call.
  void bound(Candidate& one) const {
    std::vector<double> leads;
    for (std::size_t i = 1; i < one.repetitions.size(); ++i) {
      const Repetition& at = one.repetitions[i];
      if (one.repetitions[i - 1].end == at.begin) {
        leads.push_back(static_cast<double>(begin_of(at) - end_of(one.repetitions[i - 1])));
      }
    }
    one.lead = static_cast<std::int64_t>(median(leads));
    one.begin = begin_with_lead(one, 0);
    one.end = end_of(one.repetitions.back());
  }

  /// The begin of a repetition: the end of the previous one, or the usual computation before its
  /// first call.
  [[nodiscard]] std::int64_t begin_with_lead(const Candidate& of, std::size_t number) const {
    const Repetition& at = of.repetitions[number];
    const std::uint32_t call = of_.call[at.begin];
    const std::int64_t before = call == 0 ? lane_.begin() : calls_[call - 1].end;
    if (number > 0 && of.repetitions[number - 1].end == at.begin) return before;
    return std::max(before, begin_of(at) - of.lead);
  }

  /// Collective. Sums up what is found for a sample of ranks.
  /// @param find  find(shape), see OfShapes
  /// @param use   use(main lane, what find() finds by shape, sum)
  template <class Sum, class Find, class Use, class Add>
  Sum sum_of_sample(const Sum& none, const Find& find, Use use, Add add) const {
    const std::size_t step = std::max<std::size_t>(1, lanes_.main_of.size() / kRanksExamined);
    return shares().sum(
        none,
        [&](const IndexRange& range, Sum& sum) {
          OfShapes<Find> found(trace_, find);
          for_ranks(lanes_, range, [&](std::uint32_t rank) {
            if (rank % step == 0) use(lanes_.all[lanes_.main_of[rank]], found, sum);
          });
        },
        add);
  }

  /// Collective. True if at least half of a sample of ranks call from the same places as often in
  /// that time.
  [[nodiscard]] bool others_agree(const Candidate& one) const {
    std::set<std::uint64_t> expected;
    for (const std::uint32_t place : one.places) expected.insert(of_.place_hash[place]);
    const auto find = [&](const trace::Shape& shape) {
      return expected.contains(hash_of_place(trace_, shape));
    };
    // Positive if more ranks agree.
    const auto majority = sum_of_sample(
        std::int64_t{0}, find,
        [&](const Lane& lane, auto& belongs, std::int64_t& sum) {
          std::size_t calls = 0;
          for_calls(lane, one.begin, one.end, [&](const trace::Event& event, const Call&) {
            calls += belongs(event.shape) ? 1 : 0;
          });
          sum += 2 * calls >= one.repetitions.size() ? 1 : -1;
        },
        kAdd);
    return majority >= 0;
  }

  /// Calls `use(event, call)` for the calls of a lane that begin in [begin, end).
  template <class Use>
  void for_calls(const Lane& lane, std::int64_t begin, std::int64_t end, Use use) const {
    const auto middle = static_cast<std::uint32_t>(lane.calls.size() / 2);
    for (std::uint32_t call = lane.calls_begun(begin - 1, middle); call < lane.calls.size();
         ++call) {
      if (lane.calls[call].begin >= end) return;
      const trace::Event* event = event_of(trace_, lane, call);
      if (event != nullptr) use(*event, lane.calls[call]);
    }
  }

  std::vector<Phase> phases(const std::vector<Candidate>& loops) const {
    std::vector<Phase> all;
    std::int64_t at = lanes_.begin;
    std::map<std::uint64_t, std::size_t> numbers;
    for (const Candidate& loop : loops) {
      const std::int64_t begin = std::max(at, loop.begin);
      if (begin > at) all.push_back(rest(at, begin, all.empty() ? "before" : "between"));
      Phase& phase = all.emplace_back(window(begin, loop.end));
      const std::size_t number =
          numbers.try_emplace(loop.signature, numbers.size() + 1).first->second;
      phase.name = "iterations " + std::to_string(number);
      phase.signature = signature_of_all(loop);
      describe(loop, phase);
      at = loop.end;
    }
    if (at < lanes_.end) all.push_back(rest(at, lanes_.end, all.empty() ? "whole run" : "after"));
    return all;
  }

  /// Collective. Hash of the places from which any rank calls in at least half of the repetitions.
  /// Which rank is typical, and from where it calls, depends on the number of ranks.
  [[nodiscard]] std::uint64_t signature_of_all(const Candidate& loop) const {
    const auto find = [&](const trace::Shape& shape) {
      return shape.kind == trace::EventKind::poll ? 0 : hash_of_place(trace_, shape);
    };
    const auto found = sum_of_sample(
        std::vector<std::uint64_t>(), find,
        [&](const Lane& lane, auto& hash_of, std::vector<std::uint64_t>& places) {
          std::map<std::uint64_t, std::size_t> calls;
          for_calls(lane, loop.begin, loop.end, [&](const trace::Event& event, const Call&) {
            const std::uint64_t hash = hash_of(event.shape);
            if (hash != 0) ++calls[hash];
          });
          for (const auto& [hash, count] : calls) {
            if (2 * count >= loop.repetitions.size()) places.push_back(hash);
          }
        },
        kAppend);
    std::uint64_t signature = 0;
    for (const std::uint64_t place : std::set(found.begin(), found.end())) signature += mix(place);
    return signature;
  }

  void describe(const Candidate& loop, Phase& phase) const {
    std::vector<double> times;
    for (std::size_t i = 0; i < loop.repetitions.size(); ++i) {
      times.push_back(to_seconds(end_of(loop.repetitions[i]) - begin_with_lead(loop, i)));
    }
    const auto count = static_cast<double>(times.size());
    double squares = 0;
    phase.repetitions = static_cast<std::uint32_t>(times.size());
    phase.mean_s = std::accumulate(times.begin(), times.end(), 0.0) / count;
    for (const double time : times) squares += (time - phase.mean_s) * (time - phase.mean_s);
    phase.cv = phase.mean_s > 0 ? std::sqrt(squares / (count - 1)) / phase.mean_s : 0;
    const MedianInterval interval = median_interval(times);
    phase.median_s = interval.median;
    phase.low_s = interval.covers ? interval.low : interval.median;
    phase.high_s = interval.covers ? interval.high : interval.median;
    const Repetition& one = loop.repetitions[loop.repetitions.size() / 2];
    for (std::uint32_t i = one.begin; i < std::min<std::size_t>(one.end, one.begin + kPatternShown);
         ++i) {
      phase.pattern.push_back(trace_.shapes[lane_.shape_of(of_.place[i])].function);
    }
  }

  [[nodiscard]] Phase rest(std::int64_t begin, std::int64_t end, const char* name) const {
    Phase phase = window(begin, end);
    phase.name = name;
    phase.signature = hash_text(name);
    phase.mean_s = phase.median_s = phase.low_s = phase.high_s = to_seconds(end - begin);
    return phase;
  }

  /// Collective. The calls and efficiencies of all ranks from `begin` to `end`.
  [[nodiscard]] Phase window(std::int64_t begin, std::int64_t end) const {
    Phase phase;
    phase.begin_s = to_seconds(begin - lanes_.begin);
    phase.end_s = to_seconds(end - lanes_.begin);
    phase.efficiencies = efficiencies_of_window(lanes_, waits_, begin, end, threads_, processes_);
    const CallSums sums = shares().sum(
        CallSums{.functions = std::vector<CallSums::Function>(trace_.functions.size())},
        [&](const IndexRange& range, CallSums& sum) {
          for_ranks(lanes_, range, [&](std::uint32_t rank) { add_calls(rank, begin, end, sum); });
        },
        [](const CallSums& later, CallSums& sum) { sum.add(later); });
    phase.ranks = sums.ranks;
    for (std::uint32_t function = 0; function < sums.functions.size(); ++function) {
      const auto [count, ns] = sums.functions[function];
      if (count > 0) phase.calls.push_back({function, count, to_seconds(ns)});
    }
    std::ranges::stable_sort(phase.calls, std::ranges::greater{}, &PhaseCall::seconds);
    return phase;
  }

  /// Adds the calls of all lanes of a rank that begin in [begin, end).
  void add_calls(std::uint32_t rank, std::int64_t begin, std::int64_t end, CallSums& sum) const {
    bool any = false;
    for (const std::uint32_t lane : lanes_.of[rank]) {
      if (lane == kNone) continue;
      for_calls(lanes_.all[lane], begin, end, [&](const trace::Event& event, const Call& call) {
        const std::uint32_t function = trace_.shape(event).function;
        if (function >= sum.functions.size()) return;
        ++sum.functions[function].count;
        sum.functions[function].ns += std::min(call.end, end) - call.begin;
        any = true;
      });
    }
    if (any) ++sum.ranks;
  }

  [[nodiscard]] Shares shares() const { return {lanes_.shares, processes_, threads_}; }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  const Waits& waits_;
  const TypicalLane& lane_;
  const std::vector<Call>& calls_;  // of that lane
  const CallSymbols& of_;
  unsigned threads_;
  Processes* processes_;
  std::map<std::uint64_t, Candidate> candidates_;  // by signature
};

}  // namespace

std::vector<Phase> find_phases(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                               unsigned threads, Processes* processes) {
  const TypicalLane lane(trace, lanes, threads, processes);
  if (lane.calls().empty() || lanes.end <= lanes.begin) return {};
  return Finder(trace, lanes, waits, lane, threads, processes).find();
}

}  // namespace plait::analysis
