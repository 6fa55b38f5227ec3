// SPDX-License-Identifier: BSD-3-Clause
// The output of plait replay: the verdict, a table of networks, the extreme ranks, JSON.
#include "cli/replay_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "replay/network_text.hpp"
#include "run/run_directory.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::cli {
namespace {

using replay::RankTimes;
using replay::ReplayedNetwork;
using replay::ReplayedRun;
using replay::ReplayResult;
using Lines = std::vector<std::string>;

/// A replay whose time differs by less reproduces the recorded one.
constexpr double kReproduced = 0.1;
/// Sums over ranks and steps are exact to this.
constexpr double kRounding = 1e-9;

bool is_ideal(const ReplayedNetwork& of) {
  return of.spec.starts_with("ideal");
}

/// Mean over traced ranks of a part of their time.
double mean(const ReplayResult& result, double RankTimes::*part) {
  double sum = 0;
  std::size_t traced = 0;
  for (const RankTimes& rank : result.ranks) {
    sum += rank.*part;
    if (rank.compute + rank.waiting + rank.overhead > 0) ++traced;
  }
  return traced > 0 ? sum / static_cast<double>(traced) : 0;
}

/// The mean as a share of the whole run.
double share(const ReplayResult& result, double RankTimes::*part) {
  const double sum = mean(result, part);
  const double whole = result.time_s;
  const double share = whole > 0 ? sum / whole : 0;
  return share > 1 - kRounding ? 1 : share < kRounding ? 0 : share;
}

/// The name of a network in a sentence.
std::string called(const ReplayedNetwork& of) {
  if (is_ideal(of)) return "the ideal network";
  if (of.spec.find('=') != std::string::npos) return "the network described";
  return printable(of.network.name, true) + "'s network";
}

std::string more_or_less(double change) {
  return fmt::format("{} {}", format_percent(std::abs(change)), change < 0 ? "less" : "more");
}

std::string range_of(const replay::ReplayInterval& of, Ends ends = Ends::apart) {
  return format_range(of.low_s, of.high_s, format_seconds, ends);
}

std::string stuck_text(const ReplayResult& result) {
  return fmt::format("{} could not finish, rank {} first: the trace has no messages that {} for",
                     counted(result.stuck.size(), "rank"), result.stuck.front(),
                     result.stuck.size() == 1 ? "it waits" : "they wait");
}

Lines table_lines(const ReplayedRun& run) {
  Table table({text_column("network", truncate_middle), number_column("time"),
               number_column("interval"), number_column("compute"), number_column("waits"),
               number_column("busy")});
  if (run.recorded_s) table.add({"recorded", format_seconds(*run.recorded_s)});
  for (const ReplayedNetwork& of : run.networks) {
    const ReplayResult& result = of.result.middle;
    table.add({of.network.name, format_seconds(result.time_s), range_of(of.result, Ends::close),
               format_percent(share(result, &RankTimes::compute)),
               format_percent(share(result, &RankTimes::waiting)),
               format_percent(share(result, &RankTimes::overhead))});
  }
  return table.lines();
}

/// The rank that computes longest, and the one that waits longest.
std::string extremes(const ReplayedNetwork& of) {
  const std::vector<RankTimes>& ranks = of.result.middle.ranks;
  const auto longest = [&](double RankTimes::*part) {
    const auto at =
        std::max_element(ranks.begin(), ranks.end(),
                         [&](const RankTimes& a, const RankTimes& b) { return a.*part < b.*part; });
    return fmt::format("rank {} ({}, mean {})", at - ranks.begin(), format_seconds((*at).*part),
                       format_seconds(mean(of.result.middle, part)));
  };
  return fmt::format("On {}: longest computation, {}; longest wait, {}.", called(of),
                     longest(&RankTimes::compute), longest(&RankTimes::waiting));
}

/// The assumptions behind a time.
std::string settings_of(const ReplayedNetwork& of) {
  const replay::Network& network = of.network;
  const std::uint64_t limit =
      std::min(network.within_node.eager_limit, network.between_nodes.eager_limit);
  const bool all_eager = limit == ~std::uint64_t{0};
  const std::string rendezvous =
      all_eager ? "no message waits for its receive"
                : fmt::format("messages above {} wait for their receive", format_bytes(limit));
  if (is_ideal(of)) {
    return fmt::format("ideal: no latency, infinite bandwidth; {}{}", rendezvous,
                       all_eager ? " (ideal:32KiB makes long ones wait)" : "");
  }
  const bool uncertain = network.within_node.fastest < 1 || network.within_node.slowest > 1 ||
                         network.between_nodes.fastest < 1 || network.between_nodes.slowest > 1;
  return fmt::format(
      "{}: {}, cards {}, progress {}, collectives by {}; the interval also covers cards {}, no "
      "rendezvous, {}progress {}{}",
      printable(network.name, true), rendezvous, replay::to_string(network.sharing),
      replay::to_string(network.progress), replay::to_string(network.collectives),
      network.sharing == replay::Sharing::fifo ? "fair" : "fifo", uncertain ? "" : "and ",
      network.progress == replay::Progress::in_call ? "hardware" : "in-call",
      uncertain ? ", and the intervals of the measured times" : "");
}

void add_left_out(const ReplayedRun& run, Lines& notes) {
  const replay::LeftOut& left = run.left_out;
  if (left.without_partner > 0) {
    notes.push_back(
        fmt::format("{} without a recorded partner; their calls keep their recorded times",
                    counted(left.without_partner, "operation")));
  }
  if (left.other_threads > 0) {
    notes.push_back(
        fmt::format("{} by threads other than the main threads; matching calls of main threads "
                    "keep their recorded times",
                    counted(left.other_threads, "operation")));
  }
  if (left.as_recorded > 0) {
    notes.push_back(
        fmt::format("{} (one-sided, or without known neighbours); they keep their recorded times "
                    "on all networks",
                    counted(left.as_recorded, "call")));
  }
}

Lines all_notes(const ReplayedRun& run) {
  Lines notes = run.notes;
  add_left_out(run, notes);
  return notes;
}

}  // namespace

std::string replay_verdict(const ReplayedRun& run) {
  const ReplayedNetwork& of = run.networks.front();
  const ReplayResult& result = of.result.middle;
  const std::string time = format_seconds(result.time_s);
  if (!result.stuck.empty()) return fmt::format("On {} {}.", called(of), stuck_text(result));
  const double waits = share(result, &RankTimes::waiting);
  if (run.left_out.other_threads > result.messages) {
    return fmt::format(
        "Most messages of this run belong to threads other than the main threads. They are not "
        "replayed, so the times below are unreliable. On {} the run takes {}.",
        called(of), time);
  }
  if (run.left_out.without_partner > result.messages) {
    return fmt::format(
        "Most messages of this run have no partner in the trace. They are not replayed, so the "
        "times below are unreliable. On {} the run takes {}.",
        called(of), time);
  }
  if (!run.recorded_s) {
    return fmt::format("On {} the program takes {} ({}); ranks wait {} of it.", called(of), time,
                       range_of(of.result), format_percent(waits));
  }
  const double recorded = *run.recorded_s;
  const double change = recorded > 0 ? result.time_s / recorded - 1 : 0;
  if (is_ideal(of)) {
    return fmt::format(
        "With free messages the run takes {} instead of the recorded {}: {} of its time was spent "
        "in transfers, or waiting for a CPU during calls. Ranks still wait {} of the time, because "
        "of imbalance or serialization.",
        time, format_seconds(recorded), format_percent(std::max(0.0, -change)),
        format_percent(waits));
  }
  if (run.layout.empty() && std::abs(change) <= kReproduced) {
    return fmt::format("On {} the run takes {}, {} than the {} recorded: the model reproduces it.",
                       called(of), time, more_or_less(change), format_seconds(recorded));
  }
  return fmt::format("On {} the run takes {} ({}), {} than the {} recorded.", called(of), time,
                     range_of(of.result), more_or_less(change), format_seconds(recorded));
}

std::vector<std::string> replay_lines(const ReplayedRun& run) {
  const ReplayResult& first = run.networks.front().result.middle;
  Lines lines;
  const auto add_all = [&](const Lines& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  const auto add = [&](const std::string& text) { add_all(wrap(text)); };
  add(replay_verdict(run));
  lines.emplace_back();
  lines.push_back(truncate_middle(printable(run.program, true), kTerminalColumns));
  add(fmt::format("{} on {}{}, {}, {}", counted(run.ranks, "rank"), counted(run.nodes, "node"),
                  run.layout.empty() ? "" : " (" + printable(run.layout, true) + ")",
                  counted(first.events, "step"), counted(first.messages, "message")));
  lines.emplace_back();
  add_all(table_lines(run));
  lines.emplace_back();
  if (!first.ranks.empty()) add(extremes(run.networks.front()));
  for (std::size_t at = 0; at < run.networks.size(); ++at) {
    const ReplayedNetwork& of = run.networks[at];
    if (at > 0 && !of.result.middle.stuck.empty()) {
      add(fmt::format("On {} {}.", called(of), stuck_text(of.result.middle)));
    }
    add(settings_of(of));
  }
  for (const std::string& note : all_notes(run)) add_all(wrap_beside("note: ", note));
  return lines;
}

nlohmann::json replay_to_json(const ReplayedRun& run) {
  nlohmann::json networks = nlohmann::json::array();
  for (const ReplayedNetwork& of : run.networks) {
    const ReplayResult& result = of.result.middle;
    nlohmann::json ranks = nlohmann::json::array();
    for (const RankTimes& rank : result.ranks) {
      ranks.push_back({{"end_s", rank.end},
                       {"compute_s", rank.compute},
                       {"waiting_s", rank.waiting},
                       {"overhead_s", rank.overhead}});
    }
    networks.push_back({{"spec", of.spec},
                        {"name", of.network.name},
                        {"sharing", replay::to_string(of.network.sharing)},
                        {"progress", replay::to_string(of.network.progress)},
                        {"collectives", replay::to_string(of.network.collectives)},
                        {"time_s", result.time_s},
                        {"low_s", of.result.low_s},
                        {"high_s", of.result.high_s},
                        {"events", result.events},
                        {"messages", result.messages},
                        {"stuck", result.stuck},
                        {"ranks", std::move(ranks)}});
  }
  nlohmann::json json{{"schema", "plait-replay"},
                      {"schema_version", 1},
                      {"plait_version", PLAIT_VERSION},
                      {"created", run::iso_now()},
                      {"verdict", replay_verdict(run)},
                      {"program", run.program},
                      {"generated", run.generated},
                      {"layout", run.layout},
                      {"ranks", run.ranks},
                      {"nodes", run.nodes},
                      {"networks", std::move(networks)},
                      {"notes", all_notes(run)}};
  json["recorded_s"] = run.recorded_s ? nlohmann::json(*run.recorded_s) : nlohmann::json(nullptr);
  return json;
}

}  // namespace plait::cli
