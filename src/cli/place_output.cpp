// SPDX-License-Identifier: BSD-3-Clause
// The output of plait place: the placement, commands, and the comparison of placements of a run.
#include "cli/place_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/json_file.hpp"
#include "base/shell_word.hpp"
#include "launcher/launcher_traits.hpp"
#include "placement/placement_table.hpp"
#include "text/terminal.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

void print_wrapped(const std::string& text, std::FILE* out) {
  for (const std::string& line : wrap(text, 80, 8)) fmt::print(out, "{}\n", line);
}

/// Why, in one or two sentences with figures.
void print_verdict(const placement::PlacementChoice& choice, std::optional<double> memory_bound,
                   std::FILE* out) {
  const auto& best = choice.alternatives[choice.best];
  const auto& other = choice.alternatives[1 - choice.best];
  const bool spread = choice.best == 1;
  const std::string waiting =
      memory_bound
          ? fmt::format("if {:.0f} % of the computation is memory-bound", 100 * *memory_bound)
          : "if half of the computation is memory-bound";
  if (choice.alike) {
    print_wrapped(
        fmt::format("No difference: packed and spread put each rank on the same cores, and "
                    "take {:.4g} s, {}.",
                    best.seconds, waiting),
        out);
    return;
  }
  const std::string one = fmt::format("{:.4g}", best.seconds);
  const std::string two = fmt::format("{:.4g}", other.seconds);
  if (one == two) {
    print_wrapped(fmt::format("No difference: {} s packed and spread, {}.", one, waiting), out);
  } else {
    print_wrapped(fmt::format("{} is faster: {} s, {} {} s, {}.", spread ? "Spread" : "Packed", one,
                              spread ? "packed" : "spread", two, waiting),
                  out);
  }
  print_wrapped(
      fmt::format("Memory gives packed ranks {:.1f} GB/s, spread ones {:.1f} GB/s; messages of the "
                  "busiest rank take {:.4g} s packed, {:.4g} s spread.",
                  choice.alternatives[0].bandwidth_gbs, choice.alternatives[1].bandwidth_gbs,
                  choice.alternatives[0].messages_s, choice.alternatives[1].messages_s),
      out);
  if (choice.break_even) {
    const bool spread_at_none = choice.alternatives[1].low_s < choice.alternatives[0].low_s;
    print_wrapped(fmt::format("{} is faster if less than {:.0f} % of the computation is "
                              "memory-bound, otherwise {}{}.",
                              spread_at_none ? "Spread" : "Packed", 100 * *choice.break_even,
                              spread_at_none ? "packed" : "spread",
                              memory_bound ? "" : " (set the share with --memory-bound)"),
                  out);
  } else if (one != two) {
    fmt::print(out, "This holds for any memory-bound share of the computation.\n");
  }
}

/// "1 per package" of "4 ranks x 2 threads, 1 per package, 2 nodes".
std::string way_of(const std::string& intent) {
  const std::size_t begin = intent.find(", ") + 2;
  return intent.substr(begin, intent.find(", ", begin) - begin);
}

void print_alternatives(const placement::PlacementChoice& choice, std::FILE* out) {
  const std::string& first = choice.alternatives.front().intent;
  fmt::print(out, "\n{}\n", first.substr(0, first.find(", ")));
  fmt::print(out, "{:<20}  {:>5}  {:>7}  {:>10}  {}\n", "placement", "nodes", "GB/s", "messages",
             "run, s");
  for (const placement::PlacementAlternative& one : choice.alternatives) {
    fmt::print(out, "{:<20}  {:>5}  {:>7.1f}  {:>8.3g} s  {:.4g} .. {:.4g}\n", way_of(one.intent),
               one.nodes, one.bandwidth_gbs, one.messages_s, one.low_s, one.high_s);
  }
  fmt::print(out, "run, s: if none of the computation is memory-bound .. if all of it is\n");
  for (const std::string& note : choice.notes) print_wrapped("note: " + note, out);
}

void print_command(const launcher::Launcher& launcher, const launcher::PlannedCommand& command) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : command.environment) {
    parts.push_back(name + "=" + shell_word(value));
  }
  for (const std::string& part : command.argv) parts.push_back(shell_word(part));
  fmt::print("\n{}\n  {}\n", launcher::traits_of(launcher.kind).facts().title,
             fmt::join(parts, " "));
  for (const std::string& note : command.notes) {
    for (const std::string& line : wrap("note: " + note, 78, 8)) fmt::print("  {}\n", line);
  }
}

}  // namespace

void print_choice(const placement::PlacementChoice& choice, std::optional<double> memory_bound,
                  std::FILE* out) {
  print_verdict(choice, memory_bound, out);
  print_alternatives(choice, out);
  fmt::print(out, "\n");
}

void print_placement(const advise::PlacedRanks& placed,
                     const std::vector<launcher::Launcher>& launchers,
                     const std::vector<std::string>& program, const fs::path& output) {
  print_wrapped(
      placement::placement_sentence(placed.placement, placed.machine.topology, placed.machine.host),
      stdout);
  for (const std::string& note : placed.placement.notes) print_wrapped("note: " + note, stdout);
  std::vector<std::string> names;
  for (const launcher::RankPlaces& rank : placed.plan.places) {
    names.push_back(rank.node.empty() ? placed.machine.host : rank.node);
  }
  fmt::print("\n{}", placement::placement_table(placed.placement, placed.machine.topology, names));
  const fs::path folder = output.empty() ? fs::path("plan") : output;
  bool files = false;
  for (const launcher::Launcher& launcher : launchers) {
    const fs::path own = folder / launcher::launcher_key(launcher.kind);
    const launcher::PlannedCommand command =
        launcher::command_of(placed.plan, launcher, program, own);
    print_command(launcher, command);
    files = files || !command.files.empty();
    if (output.empty()) continue;
    fs::create_directories(own);
    for (const auto& [name, content] : command.files) write_text_file(own / name, content);
  }
  if (!output.empty()) {
    launcher::save_plan(folder / launcher::kPlanName, placed.plan);
    fmt::print("\nPlan: {0}\nNext: plait where --plan {0} -- mpiexec ./app\n",
               (folder / launcher::kPlanName).string());
  } else {
    fmt::print("\nNext: add -o plan to write the plan{}\n",
               files ? " and the files that these commands read" : "");
  }
}

}  // namespace plait::cli
