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
#include "launcher/plan_parts.hpp"
#include "placement/placement_table.hpp"
#include "plait/error.hpp"
#include "text/interval.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

void print_wrapped(const std::string& text, std::FILE* out) {
  fmt::print(out, "{}", joined_lines(wrap(text)));
}

/// Why, in one or two sentences with figures.
void print_verdict(const placement::PlacementChoice& choice, std::optional<double> memory_bound,
                   std::FILE* out) {
  const auto& best = choice.alternatives[choice.best];
  const auto& other = choice.alternatives[1 - choice.best];
  const bool spread = choice.best == 1;
  const std::string waiting = memory_bound ? fmt::format("if {} of the computation is memory-bound",
                                                         format_percent(*memory_bound))
                                           : "if half of the computation is memory-bound";
  if (choice.alike) {
    print_wrapped(
        fmt::format("No difference: packed and spread put each rank on the same cores, and "
                    "take {}, {}.",
                    format_seconds(best.seconds), waiting),
        out);
    return;
  }
  const std::string one = format_seconds(best.seconds);
  const std::string two = format_seconds(other.seconds);
  if (one == two) {
    print_wrapped(fmt::format("No difference: {} packed and spread, {}.", one, waiting), out);
  } else {
    print_wrapped(fmt::format("{} is faster: {}, {} {}, {}.", spread ? "Spread" : "Packed", one,
                              spread ? "packed" : "spread", two, waiting),
                  out);
  }
  print_wrapped(
      fmt::format("Memory gives packed ranks {}, spread ones {}; messages of the busiest rank take "
                  "{} packed, {} spread.",
                  format_bytes_per_second(choice.alternatives[0].bandwidth_gbs * 1e9),
                  format_bytes_per_second(choice.alternatives[1].bandwidth_gbs * 1e9),
                  format_seconds(choice.alternatives[0].messages_s),
                  format_seconds(choice.alternatives[1].messages_s)),
      out);
  if (choice.break_even) {
    const bool spread_at_none = choice.alternatives[1].low_s < choice.alternatives[0].low_s;
    print_wrapped(
        fmt::format("{} is faster if less than {} of the computation is memory-bound, "
                    "otherwise {}{}.",
                    spread_at_none ? "Spread" : "Packed", format_percent(*choice.break_even),
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
  Table table({text_column("placement"), number_column("nodes"), number_column("memory"),
               number_column("messages"), text_column("run")});
  for (const placement::PlacementAlternative& one : choice.alternatives) {
    table.add({way_of(one.intent), std::to_string(one.nodes),
               format_bytes_per_second(one.bandwidth_gbs * 1e9), format_seconds(one.messages_s),
               format_range(one.low_s, one.high_s, format_seconds)});
  }
  fmt::print(out, "{}", table.text());
  fmt::print(out, "run: with 0 to 100 % of the computation memory-bound\n");
  for (const std::string& note : choice.notes)
    fmt::print(out, "{}", joined_lines(wrap_beside("note: ", note)));
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
    fmt::print("{}", joined_lines(wrap_beside("  note: ", note)));
  }
}

/// The ranks of all parts with the names of their nodes and programs.
std::vector<placement::NamedSpot> spots_of(const advise::PlacedRanks& placed) {
  std::vector<placement::NamedSpot> spots;
  for (const placement::Placement& part : placed.parts) {
    for (const placement::RankSpot& spot : part.ranks) {
      const auto rank = spots.size();
      const std::string& node = placed.plan.places[rank].node;
      const launcher::PlanPart* const of =
          launcher::part_of_rank(placed.plan, static_cast<int>(rank));
      spots.push_back({node.empty() ? placed.machine.host : node, of ? of->program : "", spot});
    }
  }
  return spots;
}

/// "-n 4 ./app", or with several programs "-n 64 ./ocean : -n 8 ./ice".
std::string arguments_text(const launcher::Plan& plan, const std::vector<std::string>& program) {
  if (plan.parts.empty()) return fmt::format("-n {} {}", plan.ranks, command_text(program));
  return command_text(launcher::arguments_of_parts(plan, program));
}

}  // namespace

void print_choice(const advise::PlacementOfRun& of, std::FILE* out) {
  print_verdict(of.choice, of.memory_bound, out);
  print_alternatives(of.choice, out);
  if (!of.memory_bound_from.empty()) {
    fmt::print(out, "{}", joined_lines(wrap_beside("note: ", of.memory_bound_from)));
  }
  fmt::print(out, "\n");
}

void print_placement(const advise::PlacedRanks& placed,
                     const std::vector<launcher::Launcher>& launchers,
                     const std::vector<std::string>& program, const fs::path& output) {
  for (std::size_t i = 0; i < placed.parts.size(); ++i) {
    const std::string part = placed.plan.parts.empty() ? "" : placed.plan.parts[i].program + ": ";
    print_wrapped(part + placement::placement_sentence(placed.parts[i], placed.machine.topology,
                                                       placed.machine.host),
                  stdout);
    for (const std::string& note : placed.parts[i].notes)
      fmt::print("{}", joined_lines(wrap_beside("note: ", note)));
  }
  fmt::print("\n{}", placement::placement_table(spots_of(placed), placed.machine.topology));
  const fs::path folder = output.empty() ? fs::path("plan") : output;
  bool files = false;
  for (const launcher::Launcher& launcher : launchers) {
    const fs::path own = folder / launcher::launcher_key(launcher.kind);
    launcher::PlannedCommand command;
    try {
      command = launcher::command_of(placed.plan, launcher, program, own);
    } catch (const Error& error) {
      if (launchers.size() == 1 || placed.plan.parts.empty()) throw;
      fmt::print("\n{}\n{}", launcher::traits_of(launcher.kind).facts().title,
                 joined_lines(wrap_beside("  note: ", error.what())));
      continue;
    }
    print_command(launcher, command);
    files = files || !command.files.empty();
    if (output.empty()) continue;
    fs::create_directories(own);
    for (const auto& [name, content] : command.files) write_text_file(own / name, content);
  }
  if (!output.empty()) {
    launcher::save_plan(folder / launcher::kPlanName, placed.plan);
    const std::string plan = (folder / launcher::kPlanName).string();
    fmt::print("\nPlan: {}\nNext: plait where --plan {} -- mpiexec {}\n", plan, shell_word(plan),
               arguments_text(placed.plan, program));
  } else {
    fmt::print("\nNext: add -o plan to write the plan{}\n",
               files ? " and the files that these commands read" : "");
  }
}

}  // namespace plait::cli
