// SPDX-License-Identifier: BSD-3-Clause
// Advice for programs whose communication is known: HPL and CG, on which nodes and which grid.
#include "advise/known_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include "model/communication_volume.hpp"
#include "report/hybrid_report.hpp"
#include "text/ratio.hpp"

namespace plait::advise {
namespace {

/// Beyond this, looking at all grids takes longer than it is worth.
constexpr int kMostProcesses = 1024;

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_nas_cg(std::string_view name) {
  // cg.B.x, and cg.B.16 of NPB 3.3 with the number of processes
  return name == "plait-cg" || (name.starts_with("cg.") && name.size() >= 6 && name[4] == '.');
}

/// The grid that a command of plait-lu gives, or that it chooses: P <= Q, as square as possible.
std::optional<model::Grid> lu_grid(const std::vector<std::string>& command, int processes) {
  const auto program = std::ranges::find_if(
      command, [](const std::string& word) { return last_part(word) == "plait-lu"; });
  if (program == command.end()) return std::nullopt;
  for (auto word = program; word != command.end(); ++word) {
    if (word->starts_with("--hpl")) return std::nullopt;
    std::string_view text;
    if (word->starts_with("--grid=")) text = std::string_view(*word).substr(7);
    if (*word == "--grid" && word + 1 != command.end()) text = *(word + 1);
    if (text.empty()) continue;
    model::Grid grid{0, 0};
    const char* const begin = &text.front();
    const char* const end = begin + text.size();
    const auto rows = std::from_chars(begin, end, grid.rows);
    if (rows.ptr != end) std::from_chars(rows.ptr + 1, end, grid.columns);
    if (std::int64_t{grid.rows} * grid.columns != processes) return std::nullopt;
    return grid;
  }
  model::Grid grid{1, processes};
  for (int rows = 1; rows * rows <= processes; ++rows) {
    if (processes % rows == 0) grid = {rows, processes / rows};
  }
  return grid;
}

std::vector<std::string> hpl_sentences(const std::vector<std::string>& command, int nodes,
                                       int per_node) {
  std::vector<std::string> sentences;
  const int processes = nodes * per_node;
  if (processes > kMostProcesses) return sentences;
  sentences = report::hpl_advice(nodes, per_node);
  if (const auto grid = lu_grid(command, processes)) {
    const model::NodeOfProcess mapping = model::block_mapping(processes, per_node);
    const model::Grid best = model::best_hpl_grid(nodes, per_node);
    const double now = model::hpl_volume(grid->rows, grid->columns, mapping).node.value();
    const double least = model::hpl_volume(best.rows, best.columns, mapping).node.value();
    if (now > least && least > 0) {
      sentences.push_back(fmt::format(
          "the run's grid {}x{} sends {} times as much between nodes as {}x{}: --grid {}x{}",
          grid->rows, grid->columns, format_ratio(now / least), best.rows, best.columns, best.rows,
          best.columns));
    }
  }
  return sentences;
}

std::vector<std::string> cg_sentences(int nodes) {
  if (!std::has_single_bit(static_cast<unsigned>(nodes))) return {};
  const auto moved = [](int count) {
    return model::volume(model::cg_pattern(count), model::block_mapping(count, 1)).node.value();
  };
  const double here = moved(nodes), half = nodes > 2 ? moved(nodes / 2) : here;
  const double twice = moved(2 * nodes);
  if (here <= half || twice > here) return {};
  return {fmt::format(
      "{} nodes send {} of CG's vector in a product, more than {} nodes ({}) or {} ({})", nodes,
      format_ratio(here), nodes / 2, format_ratio(half), 2 * nodes, format_ratio(twice))};
}

}  // namespace

std::string known_program(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    const std::string_view name = last_part(word);
    if (name == "plait-lu" || name == "xhpl" || name == "hpcc") return "hpl";
    if (is_nas_cg(name)) return "cg";
  }
  return "";
}

std::vector<std::string> advice_for_program(const std::vector<std::string>& command, int nodes,
                                            int per_node) {
  const std::string program = known_program(command);
  if (program.empty() || nodes < 2 || per_node < 1) return {};
  std::vector<std::string> sentences =
      program == "hpl" ? hpl_sentences(command, nodes, per_node) : cg_sentences(nodes);
  sentences.push_back(
      fmt::format("plait predict {} --machine FILE --nodes {} --cores {}, with a FILE of plait "
                  "measure, predicts its time with one process per core and with threads",
                  program, nodes, per_node));
  return sentences;
}

}  // namespace plait::advise
