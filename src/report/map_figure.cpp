// SPDX-License-Identifier: BSD-3-Clause
// Stengel's figure 3.4 (the solver with sticks and with blocks of subdomains) as a table and JSON.
#include "report/map_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.hpp"
#include "machine/machine_file.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

/// Fewer runs of a size show no gain.
constexpr std::size_t kFewestRuns = 3;

std::string speed_text(const std::vector<double>& mlups) {
  if (mlups.empty()) return "-";
  const MedianInterval speed = median_interval(mlups);
  return format_interval(speed.median * 1e6, speed.low * 1e6, speed.high * 1e6,
                         format_updates_per_second, Ends::close);
}

/// How many times faster blocks are, and the least and the most that the runs allow.
MedianInterval gain_of(const MapFigureRow& row) {
  MedianInterval gain;
  if (row.sticks.empty() || row.blocks.empty()) return gain;
  const auto [slow_stick, fast_stick] = std::ranges::minmax(row.sticks);
  const auto [slow_block, fast_block] = std::ranges::minmax(row.blocks);
  gain.median = median(row.blocks) / median(row.sticks);
  gain.low = slow_block / fast_stick;
  gain.high = fast_block / slow_stick;
  return gain;
}

/// True if the slowest of several runs with blocks is faster than the fastest with sticks.
bool is_certain(const MapFigureRow& row) {
  return std::min(row.sticks.size(), row.blocks.size()) >= kFewestRuns && gain_of(row).low > 1;
}

/// What the messages of a node lead to expect (figure 3.3).
std::string expected(const MapFigure& figure) {
  const mapping::SubgridSurface& messages = figure.messages;
  if (messages.stick <= messages.of_block) {
    return fmt::format("a block of {} ranks sends as many messages to other nodes as a stick",
                       figure.cores);
  }
  return fmt::format(
      "a block of {} ranks sends {} times fewer messages to other nodes than a stick", figure.cores,
      format_ratio(static_cast<double>(messages.stick) / static_cast<double>(messages.of_block)));
}

/// What the sizes together show.
std::string verdict_of(const MapFigure& figure) {
  const MapFigureRow* best = nullptr;
  for (const MapFigureRow& row : figure.rows) {
    if (!is_certain(row)) continue;
    if (best == nullptr || gain_of(row).median > gain_of(*best).median) best = &row;
  }
  if (best == nullptr) {
    return fmt::format("Blocks are not certainly faster than sticks at any size; {}.",
                       expected(figure));
  }
  return fmt::format("Blocks are up to {} times faster than sticks ({} cells along each axis); {}.",
                     format_ratio(gain_of(*best).median), best->edge, expected(figure));
}

}  // namespace

std::vector<std::string> map_figure_lines(const MapFigure& figure) {
  std::vector<std::string> lines = wrap(verdict_of(figure));
  const auto add = [&](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  add(wrap(
      fmt::format("The Jacobi solver on {} of {}, one rank per core, by the cells of the whole "
                  "grid along each axis (Stengel 2010, figure 3.4). Sticks: ranks in "
                  "MPI_Cart_create's order (STD). Blocks: a block of subdomains on each node "
                  "(ARM). Medians and ranges of the runs.",
                  counted(figure.nodes, "node"), counted(figure.cores, "core"))));
  lines.emplace_back();
  Table table({number_column("cells"), number_column("sticks"), number_column("blocks"),
               number_column("blocks/sticks")});
  for (const MapFigureRow& row : figure.rows) {
    const MedianInterval gain = gain_of(row);
    table.add({std::to_string(row.edge), speed_text(row.sticks), speed_text(row.blocks),
               format_interval(gain.median, gain.low, gain.high, format_ratio, Ends::close)});
  }
  add(table.lines());
  if (figure.shares_cores) {
    add(wrap_beside("note: ",
                    "the nodes share cores, so their ranks wait for each other's time slices"));
  }
  add(wrap_beside("results: ", figure.folder));
  return lines;
}

json map_figure_to_json(const MapFigure& figure) {
  json rows = json::array();
  for (const MapFigureRow& row : figure.rows) {
    const MedianInterval gain = gain_of(row);
    rows.push_back({{"edge", row.edge},
                    {"sticks_mlups", row.sticks},
                    {"blocks_mlups", row.blocks},
                    {"gain", {{"value", gain.median}, {"low", gain.low}, {"high", gain.high}}}});
  }
  return {{"schema", "plait-map"},
          {"schema_version", 1},
          {"plait_version", PLAIT_VERSION},
          {"created", machine::utc_now()},
          {"figure", "solver"},
          {"verdict", verdict_of(figure)},
          {"nodes", figure.nodes},
          {"cores", figure.cores},
          {"shares_cores", figure.shares_cores},
          {"folder", figure.folder},
          {"solver_rows", rows}};
}

}  // namespace plait::report
