// SPDX-License-Identifier: BSD-3-Clause
// The imbalance diagram: recorded times of calls compared with those on the ideal network.
#include "analysis/imbalance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "analysis/shares.hpp"
#include "analysis/stalled_partners.hpp"
#include "plait/error.hpp"
#include "trace/outermost.hpp"

namespace plait::analysis {
namespace {

constexpr std::size_t kFunctions = 3;

/// The size of the largest message, or part in a collective, of a call.
std::uint64_t bytes_of(const trace::Rank& rank, const trace::Event& event) {
  std::uint64_t bytes = 0;
  for_operations(rank, event, [&](const trace::Operation& operation) {
    bytes = std::max(bytes, operation.bytes);
    if (operation.kind == trace::OperationKind::collective) {
      bytes = std::max(bytes, operation.capacity);
    }
  });
  return bytes;
}

struct CallTimes {
  double imbalance_s = 0, interconnect_s = 0;
  std::uint64_t count = 0;
};

struct Sums {
  std::vector<std::vector<CallTimes>> cells;  ///< by function and class
  std::map<std::uint32_t, double> interconnect_of_site;
};

struct SiteTime {
  std::uint32_t site = 0;
  double seconds = 0;
};

/// The number of each lane in the replay, which has the main threads first.
std::vector<std::size_t> replayed_threads(const trace::Trace& trace, const Lanes& lanes) {
  std::size_t other = trace.ranks.size();
  std::vector<std::size_t> threads;
  threads.reserve(lanes.all.size());
  for (const Lane& lane : lanes.all) threads.push_back(lane.stream == 0 ? lane.rank : other++);
  return threads;
}

void add_calls(const trace::Trace& trace, const Lanes& lanes, const Lane& lane,
               const ThreadLengths& lengths, const SizeClasses& classes, Sums& sums) {
  const trace::Rank& rank = trace.ranks[lane.rank];
  for (std::uint32_t i = 0; i < lane.calls.size(); ++i) {
    const trace::Event* event = event_of(trace, lane, i);
    if (event == nullptr) break;
    const trace::Shape& shape = trace.shape(*event);
    const double ideal_ns = lengths[lane.calls[i].event];
    if (ideal_ns < 0 || shape.function >= sums.cells.size()) continue;
    CallTimes& cell = sums.cells[shape.function][classes.of(bytes_of(rank, *event))];
    const double ideal_s = ideal_ns * 1e-9;
    const Call& call = lane.calls[i];
    const std::int64_t stalled = lane.stalled_in(i);
    const double interconnect_s = to_seconds(call.end - call.begin - stalled) - ideal_s;
    cell.imbalance_s += ideal_s;
    cell.interconnect_s += interconnect_s;
    ++cell.count;
    const std::int64_t length = call.end - call.begin;
    const std::int64_t partner =
        lost_to_partner(trace, lanes, lane, i, {call.begin, length, stalled});
    sums.interconnect_of_site[shape.site] += std::max(0.0, interconnect_s - to_seconds(partner));
  }
}

/// The functions with the longest total time, longest first.
std::vector<std::uint32_t> costliest_functions(const Sums& sums) {
  std::vector<std::pair<double, std::uint32_t>> order;
  for (std::uint32_t function = 0; function < sums.cells.size(); ++function) {
    double time = 0;
    for (const CallTimes& cell : sums.cells[function]) {
      time += cell.imbalance_s + cell.interconnect_s;
    }
    if (time > 0) order.emplace_back(-time, function);
  }
  std::ranges::sort(order);
  std::vector<std::uint32_t> functions;
  for (const auto& [time, function] : order) {
    if (functions.size() < kFunctions) functions.push_back(function);
  }
  return functions;
}

/// The calls of the most expensive functions by size class.
std::vector<BreakdownCell> cells_of(const Sums& sums, const SizeClasses& classes) {
  std::vector<BreakdownCell> cells;
  for (const std::uint32_t function : costliest_functions(sums)) {
    for (std::size_t i = 0; i < sums.cells[function].size(); ++i) {
      const CallTimes& cell = sums.cells[function][i];
      if (cell.count == 0) continue;
      // With noise a recorded call can be shorter than in the replay.
      cells.push_back({function, classes.from(i), classes.to(i), std::max(0.0, cell.imbalance_s),
                       std::max(0.0, cell.interconnect_s), cell.count});
    }
  }
  return cells;
}

/// Adds the sums of later lanes.
void add(const Sums& later, Sums& sums) {
  for (std::size_t function = 0; function < sums.cells.size(); ++function) {
    for (std::size_t i = 0; i < sums.cells[function].size(); ++i) {
      CallTimes& cell = sums.cells[function][i];
      const CallTimes& other = later.cells[function][i];
      cell.imbalance_s += other.imbalance_s;
      cell.interconnect_s += other.interconnect_s;
      cell.count += other.count;
    }
  }
  for (const auto& [site, seconds] : later.interconnect_of_site) {
    sums.interconnect_of_site[site] += seconds;
  }
}

ImbalanceRow row_of_main(const Lanes& lanes, const Lane& lane, double ideal_end_s) {
  ImbalanceRow row;
  row.rank = static_cast<int>(lane.rank);
  row.calculation_s =
      to_seconds(lane.computed_until(lane.end, static_cast<std::uint32_t>(lane.calls.size())));
  const double begin_s = to_seconds(lane.begin - lanes.begin);
  const double time_s = to_seconds(lane.end - lane.begin);
  const double ideal_s = ideal_end_s - begin_s;
  row.imbalance_s = std::clamp(ideal_s - row.calculation_s, 0.0, time_s - row.calculation_s);
  row.interconnect_s = std::max(0.0, time_s - row.calculation_s - row.imbalance_s);
  return row;
}

/// How long a thread computes, s: in its parts of OpenMP regions; without these, between its first
/// and its last call.
double calculation_of_other(const trace::Trace& trace, const Lane& lane) {
  std::int64_t in_parts = 0;
  bool works = false;
  auto near = static_cast<std::uint32_t>(lane.calls.size());
  const auto computed = [&](std::int64_t begin, std::int64_t end) {
    near = lane.calls_begun(begin, near);
    return lane.computed_until(end, near) - lane.computed_until(begin, near);
  };
  const trace::Stream& stream = trace.ranks[lane.rank].streams[lane.stream];
  trace::for_outermost(trace, stream, trace::EventKind::work, [&](const trace::OpenMpPart& part) {
    works = true;
    in_parts += std::max<std::int64_t>(0, computed(part.begin, part.end) - part.idle);
  });
  if (works) return to_seconds(in_parts);
  return lane.calls.empty() ? 0
                            : to_seconds(computed(lane.calls.front().begin, lane.calls.back().end));
}

void add_other(const trace::Trace& trace, const Lane& lane, const ThreadLengths& lengths,
               ImbalanceRow& row) {
  row.calculation_s += calculation_of_other(trace, lane);
  double called_s = 0, ideal_s = 0;
  for (const Call& call : lane.calls) {
    const double ideal_ns = lengths[call.event];
    if (ideal_ns < 0) continue;
    called_s += to_seconds(call.end - call.begin);
    ideal_s += ideal_ns * 1e-9;
  }
  const double imbalance_s = std::min(ideal_s, called_s);
  row.imbalance_s += imbalance_s;
  row.interconnect_s += called_s - imbalance_s;
}

/// Some consecutive ranks. Sums are added up by group, whatever the number of threads and
/// processes: another grouping would round differently.
struct Group {
  Sums sums, itac_sums;
  std::vector<ImbalanceRow> rows;
};
constexpr std::size_t kRanksOfGroup = kRanksTogether;

template <class Archive>
void fields(Archive& archive, Group& of) {
  for (Sums* sums : {&of.sums, &of.itac_sums}) {
    std::vector<SiteTime> sites;
    for (const auto& [site, seconds] : sums->interconnect_of_site) sites.push_back({site, seconds});
    archive(sums->cells, sites);
    for (const SiteTime& at : sites) sums->interconnect_of_site[at.site] = at.seconds;
  }
  archive(of.rows);
}

/// The sums of all groups.
Sums all_of(const std::vector<Group>& groups, Sums Group::*of, const Sums& none) {
  Sums sums = none;
  for (const Group& group : groups) add(group.*of, sums);
  return sums;
}

}  // namespace

std::optional<IdealRun> replay_ideally(const trace::Trace& trace, const EagerLimits& limits,
                                       std::string& why, unsigned threads, Processes* processes) {
  IdealRun ideal;
  ideal.limits = limits;
  replay::ReplayOptions options;
  options.threads = threads;
  options.processes = processes;
  options.step_lengths = &ideal.lengths;
  try {
    replay::TraceProgramOptions all_threads;
    all_threads.other_threads = true;
    all_threads.processes = processes;
    const std::unique_ptr<replay::Program> program = replay::program_of(trace, all_threads);
    ideal.result =
        replay::replay(*program, replay::ideal_network(limits.bytes[0], limits.bytes[1]), options);
  } catch (const Error& error) {
    why = fmt::format("the trace could not be replayed on the ideal network: {}", error.what());
    return {};
  }
  if (!ideal.result.stuck.empty()) {
    why = fmt::format(
        "the trace could not be replayed on the ideal network: {} of {} ranks (first: rank {}) "
        "wait for messages that were not recorded",
        ideal.result.stuck.size(), trace.ranks.size(), ideal.result.stuck.front());
    return {};
  }
  return ideal;
}

Imbalance find_imbalance(const trace::Trace& trace, const Lanes& lanes, const IdealRun& ideal,
                         const SizeClasses& classes, unsigned threads, Processes* processes) {
  const SizeClasses itac = itac_classes();
  const bool both = itac.limits != classes.limits;
  const auto none_of = [&](const SizeClasses& of) {
    Sums none;
    none.cells.assign(trace.functions.size(), std::vector<CallTimes>(of.limits.size() + 1));
    return none;
  };
  const std::vector<std::size_t> replayed = replayed_threads(trace, lanes);
  std::vector<Group> groups((trace.ranks.size() + kRanksOfGroup - 1) / kRanksOfGroup);
  const auto first_lane = [&](std::size_t group) {
    const auto at = std::ranges::lower_bound(lanes.all, group * kRanksOfGroup, {}, &Lane::rank);
    return static_cast<std::size_t>(at - lanes.all.begin());
  };
  const auto sum_up = [&](std::size_t number) {
    Group& group = groups[number];
    group = {none_of(classes), none_of(itac), {}};
    for (std::size_t i = first_lane(number); i < first_lane(number + 1); ++i) {
      const Lane& lane = lanes.all[i];
      const ThreadLengths& lengths = ideal.lengths[replayed[i]];
      add_calls(trace, lanes, lane, lengths, classes, group.sums);
      if (both) add_calls(trace, lanes, lane, lengths, itac, group.itac_sums);
      if (lane.stream == 0) {
        group.rows.push_back(row_of_main(lanes, lane, ideal.result.ranks[lane.rank].end));
      } else {
        add_other(trace, lane, lengths, group.rows.back());
      }
    }
  };
  std::vector<IndexRange> ranges;  // as those of replay::ranks_of_process()
  for (std::size_t process = 0; process < size_of(processes); ++process) {
    ranges.push_back(share_of(groups.size(), 1, size_of(processes), process));
  }
  const Shares shares(std::move(ranges), processes, threads);
  shares.for_own([&](const IndexRange& range) {
    for (std::size_t number = range.first; number < range.last; ++number) sum_up(number);
  });
  shares.exchange([&](auto& archive, std::size_t number) { archive(groups[number]); });

  Imbalance imbalance;
  imbalance.network = "ideal, " + ideal.limits.text();
  imbalance.class_limits = classes.limits;
  imbalance.class_source = classes.source;
  for (const Group& group : groups) {
    imbalance.ranks.insert(imbalance.ranks.end(), group.rows.begin(), group.rows.end());
  }
  const Sums sums = all_of(groups, &Group::sums, none_of(classes));
  imbalance.cells = cells_of(sums, classes);
  if (both) imbalance.itac_cells = cells_of(all_of(groups, &Group::itac_sums, none_of(itac)), itac);
  const auto costliest = std::ranges::max_element(sums.interconnect_of_site, {},
                                                  [](const auto& site) { return site.second; });
  if (costliest != sums.interconnect_of_site.end() && costliest->second > 0) {
    imbalance.costliest_site = costliest->first;
  }
  return imbalance;
}

void take_cpu_wait(double cpu_wait_s, Imbalance& imbalance) {
  double all = 0;
  for (const ImbalanceRow& row : imbalance.ranks) all += row.interconnect_s;
  const double share = all > 0 ? std::min(1.0, cpu_wait_s / all) : 0;
  for (ImbalanceRow& row : imbalance.ranks) {
    row.cpu_wait_s = share * row.interconnect_s;
    row.interconnect_s -= row.cpu_wait_s;
  }
}

}  // namespace plait::analysis
