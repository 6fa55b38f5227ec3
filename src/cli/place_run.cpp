// SPDX-License-Identifier: BSD-3-Clause
// plait place --run: what a run and the measured machine say to packed or spread.
#include "cli/place_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counted.hpp"
#include "map/placing_choice.hpp"
#include "plait/error.hpp"
#include "report/profile.hpp"
#include "report/text.hpp"

namespace plait::cli {
namespace {

/// The cores of each rank; empty where a rank may run everywhere.
std::vector<std::vector<int>> cores_of(const report::Profile& profile, std::size_t ranks,
                                       std::size_t allowed) {
  std::map<int, std::set<int>> cores;
  for (const report::ThreadPlace& thread : profile.placement.threads) {
    cores[thread.rank].insert(thread.cores.begin(), thread.cores.end());
  }
  if (cores.size() != ranks) return {};
  std::vector<std::vector<int>> result;
  for (const auto& [rank, own] : cores) {
    if (own.empty() || own.size() >= allowed) return {};
    result.emplace_back(own.begin(), own.end());
  }
  return result;
}

map::ProgramProfile program_of(const report::Profile& profile,
                               const machine::MachineFile& machine) {
  map::ProgramProfile program;
  program.ranks = static_cast<int>(profile.ranks.size());
  const auto longest =
      std::max_element(profile.ranks.begin(), profile.ranks.end(),
                       [](const auto& a, const auto& b) { return a.compute_s < b.compute_s; });
  program.compute_s = longest->compute_s;
  program.mpi_s = longest->mpi_s;
  for (const report::RankRow& rank : profile.ranks) {
    program.threads = std::max(program.threads, rank.threads);
  }
  program.nodes = std::max(1, static_cast<int>(profile.context.hosts.size()));
  const std::vector<int>& nodes = profile.matrix.nodes;
  if (std::none_of(nodes.begin(), nodes.end(), [](int node) { return node < 0; })) {
    program.node = nodes;
  }
  for (const auto* matrix : {&profile.matrix.point_to_point, &profile.matrix.collective}) {
    for (const report::MatrixEntry& entry : *matrix) {
      program.traffic.push_back({entry.from, entry.to, static_cast<double>(entry.messages),
                                 static_cast<double>(entry.bytes)});
    }
  }
  program.cores = cores_of(profile, profile.ranks.size(), machine.topology.allowed_cores().size());
  return program;
}

void print_wrapped(const std::string& text, std::FILE* out) {
  for (const std::string& line : report::wrap(text, 80, 8)) fmt::print(out, "{}\n", line);
}

/// Why, in one or two sentences with figures.
void print_verdict(const map::PlacingChoice& choice, std::optional<double> memory_bound,
                   std::FILE* out) {
  const auto& best = choice.alternatives[choice.best];
  const auto& other = choice.alternatives[1 - choice.best];
  const bool spread = choice.best == 1;
  const std::string waiting =
      memory_bound ? fmt::format("{:.0f} % of computing waiting for memory", 100 * *memory_bound)
                   : "half of computing waiting for memory";
  if (choice.alike) {
    print_wrapped(fmt::format("No choice: packed and spread put each rank to the same cores, and "
                              "take {:.4g} s, {}.",
                              best.seconds, waiting),
                  out);
    return;
  }
  const std::string one = fmt::format("{:.4g}", best.seconds);
  const std::string two = fmt::format("{:.4g}", other.seconds);
  if (one == two) {
    print_wrapped(fmt::format("A tie: {} s packed and spread, {}.", one, waiting), out);
  } else {
    print_wrapped(fmt::format("{}: {} s against {} s {}, {}.", spread ? "Spread" : "Packed", one,
                              two, spread ? "packed" : "spread", waiting),
                  out);
  }
  print_wrapped(
      fmt::format("Memory gives packed ranks {:.1f} GB/s, spread ones {:.1f} GB/s; messages of the "
                  "busiest rank take {:.4g} s packed, {:.4g} s spread.",
                  choice.alternatives[0].bandwidth_gbs, choice.alternatives[1].bandwidth_gbs,
                  choice.alternatives[0].messages_s, choice.alternatives[1].messages_s),
      out);
  if (choice.break_even) {
    const char* const at_none = choice.alternatives[1].low_s < choice.alternatives[0].low_s
                                    ? "Spread wins below, packed above"
                                    : "Packed wins below, spread above";
    fmt::print(out, "{} {:.0f} % of computing that waits for memory{}.\n", at_none,
               100 * *choice.break_even, memory_bound ? "" : " (--memory-bound tells it)");
  } else if (one != two) {
    fmt::print(out, "That holds whatever share of computing waits for memory.\n");
  }
}

/// "1 a package" of "4 ranks x 2 threads, 1 a package, 2 nodes".
std::string way_of(const std::string& intent) {
  const std::size_t begin = intent.find(", ") + 2;
  return intent.substr(begin, intent.find(", ", begin) - begin);
}

void print_alternatives(const map::PlacingChoice& choice, std::FILE* out) {
  const std::string& first = choice.alternatives.front().intent;
  fmt::print(out, "\n{}\n", first.substr(0, first.find(", ")));
  fmt::print(out, "{:<20}  {:>5}  {:>7}  {:>10}  {}\n", "placement", "nodes", "GB/s", "messages",
             "run, s");
  for (const map::PlacingAlternative& one : choice.alternatives) {
    fmt::print(out, "{:<20}  {:>5}  {:>7.1f}  {:>8.3g} s  {:.4g} .. {:.4g}\n", way_of(one.intent),
               one.nodes, one.bandwidth_gbs, one.messages_s, one.low_s, one.high_s);
  }
  fmt::print(out, "The run: with no computing that waits for memory .. with all of it waiting.\n");
  for (const std::string& note : choice.notes) print_wrapped("note: " + note, out);
}

/// A run whose ranks have no room where the machine file has them placed.
map::PlacingChoice choose(const std::filesystem::path& run, const map::ProgramProfile& program,
                          const machine::MachineFile& machine) {
  try {
    return map::choose_placing(program, machine.topology, *machine.measured);
  } catch (const Error& error) {
    throw Error(run.string(),
                fmt::format("its ranks, on {}, cannot be placed on {}: {}",
                            counted(program.nodes, "node"), machine.host, error.what()),
                "", error.exit_code());
  }
}

}  // namespace

RunIntent intent_of_run(const std::filesystem::path& run, const machine::MachineFile& machine,
                        std::optional<double> memory_bound, std::FILE* out) {
  const report::Profile profile = report::read_profile(run / "profile.json");
  if (profile.ranks.empty()) {
    throw Error(run.string(), "has no ranks in its profile",
                "run the program again with plait run");
  }
  if (!machine.measured) {
    throw Error(machine.host, "was not measured",
                "run plait measure --quick first, or give --machine");
  }
  map::ProgramProfile program = program_of(profile, machine);
  program.memory_bound = memory_bound;
  const map::PlacingChoice choice = choose(run, program, machine);
  print_verdict(choice, memory_bound, out);
  print_alternatives(choice, out);
  fmt::print(out, "\n");
  RunIntent result{choice.alternatives[choice.best].intent, {}};
  if (program.nodes > 1) {
    for (const report::HostRanks& host : profile.context.hosts) result.hosts.push_back(host.name);
  }
  return result;
}

}  // namespace plait::cli
