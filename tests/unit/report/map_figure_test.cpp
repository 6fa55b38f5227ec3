// SPDX-License-Identifier: BSD-3-Clause
// The figure of sticks and blocks: a gain counts only if all runs agree.
#include "report/map_figure.hpp"

#include <gtest/gtest.h>

namespace plait::report {
namespace {

MapFigure figure_with(const std::vector<double>& blocks) {
  MapFigure figure;
  figure.nodes = 4;
  figure.cores = 8;
  figure.messages = mapping::subgrid_surface(8);
  figure.rows = {{50, {100, 110, 105}, {100, 112, 108}}, {300, {200, 205, 210}, blocks}};
  figure.folder = "plait-figures/x";
  return figure;
}

TEST(MapFigure, the_largest_certain_gain_is_the_verdict) {
  const MapFigure figure = figure_with({300, 310, 305});
  const std::vector<std::string> lines = map_figure_lines(figure);
  EXPECT_EQ(lines[0],
            "Blocks are up to 1.49 times faster than sticks (300 cells along each axis); a");
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80U) << line;
  const nlohmann::json json = map_figure_to_json(figure);
  EXPECT_EQ(json["figure"], "solver");
  EXPECT_NEAR(json["solver_rows"][1]["gain"]["low"], 300.0 / 210, 1e-12);
}

TEST(MapFigure, runs_that_disagree_show_no_gain) {
  const std::string verdict = map_figure_to_json(figure_with({150, 310, 305}))["verdict"];
  EXPECT_EQ(verdict.find("Blocks are not certainly faster than sticks at any size"), 0U) << verdict;
  const std::string single = map_figure_to_json(figure_with({300}))["verdict"];
  EXPECT_EQ(single.find("Blocks are not certainly faster"), 0U) << "three runs of each are needed";
}

}  // namespace
}  // namespace plait::report
