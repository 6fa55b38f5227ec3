// SPDX-License-Identifier: BSD-3-Clause
// Stengel's figure 3.3 (messages of blocks of subdomains against sticks) as a table and as JSON.
#include "report/subgrid_report.hpp"

#include <fmt/format.h>

#include "machine/machine_file.hpp"
#include "text/style.hpp"
#include "text/terminal.hpp"

namespace plait::report {

using nlohmann::json;
using Lines = std::vector<std::string>;

Lines subgrid_lines(const std::vector<mapping::SubgridSurface>& surfaces,
                    const TerminalOptions& options) {
  const auto fixed = [](double value, int digits) { return fmt::format("{:.{}f}", value, digits); };
  const mapping::SubgridSurface& last = surfaces.back();
  Lines lines = wrap(
      fmt::format("With {} cores per node, blocks of {}x{}x{} subdomains send {} messages to other "
                  "nodes, {} times fewer than the {} of sticks.",
                  last.cores, last.block[0], last.block[1], last.block[2], last.of_block,
                  fixed(static_cast<double>(last.stick) / static_cast<double>(last.of_block), 2),
                  last.stick),
      kTerminalColumns, 3);
  for (std::string& line : lines) line = paint(line, Paint::bold, options.color);
  for (const std::string& line :
       wrap("Messages that a node inside a large 3D grid sends to other nodes in an exchange of "
            "faces, with one rank per core (Stengel 2010, figure 3.3). Stick: the ranks of a node "
            "in MPI_Cart_create's order. Cube: the bound 6 n^(2/3). Scattered: every neighbour on "
            "another node.",
            kTerminalColumns, 5)) {
    lines.push_back(line);
  }
  lines.emplace_back();
  constexpr const char* layout = "{:<7} {:<10} {:>8} {:>8} {:>8} {:>10} {:>7} {:>6} {:>8}";
  lines.push_back(paint(fmt::format(layout, "", "", "", "", "", "", "stick/", "stick/", "scatt./"),
                        Paint::dim, options.color));
  lines.push_back(paint(fmt::format(layout, "cores", "block", "stick", "block", "cube", "scattered",
                                    "block", "cube", "cube"),
                        Paint::dim, options.color));
  for (const mapping::SubgridSurface& one : surfaces) {
    const auto stick = static_cast<double>(one.stick);
    lines.push_back(fmt::format(
        layout, one.cores, fmt::format("{}x{}x{}", one.block[0], one.block[1], one.block[2]),
        one.stick, one.of_block, fixed(one.cube, 1), one.scattered,
        fixed(stick / static_cast<double>(one.of_block), 3), fixed(stick / one.cube, 3),
        fixed(static_cast<double>(one.scattered) / one.cube, 3)));
  }
  return lines;
}

json subgrid_to_json(const std::vector<mapping::SubgridSurface>& surfaces) {
  json rows = json::array();
  for (const mapping::SubgridSurface& one : surfaces) {
    rows.push_back({{"cores", one.cores},
                    {"block", one.block},
                    {"stick", one.stick},
                    {"of_block", one.of_block},
                    {"cube", one.cube},
                    {"scattered", one.scattered}});
  }
  return {{"schema", "plait-map"},         {"schema_version", 1}, {"plait_version", PLAIT_VERSION},
          {"created", machine::utc_now()}, {"figure", "blocks"},  {"rows", rows}};
}

}  // namespace plait::report
