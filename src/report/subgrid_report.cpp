// SPDX-License-Identifier: BSD-3-Clause
// Stengel's figure 3.3 (messages of blocks of subdomains against sticks) as a table and as JSON.
#include "report/subgrid_report.hpp"

#include <fmt/format.h>

#include "machine/machine_file.hpp"
#include "report/terminal_parts.hpp"
#include "text/extents.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {

using nlohmann::json;
using Lines = std::vector<std::string>;

Lines subgrid_lines(const std::vector<mapping::SubgridSurface>& surfaces,
                    const TerminalOptions& options) {
  const mapping::SubgridSurface& last = surfaces.back();
  Lines lines = bold_lines(
      fmt::format(
          "With {} cores per node, blocks of {} subdomains send {} messages to other "
          "nodes, {} times fewer than the {} of sticks.",
          last.cores, format_extents(last.block), last.of_block,
          format_ratio(static_cast<double>(last.stick) / static_cast<double>(last.of_block)),
          last.stick),
      3, options);
  append(lines,
         wrap("Messages that a node inside a large 3D grid sends to other nodes in an exchange of "
              "faces, with one rank per core (Stengel 2010, figure 3.3). Stick: the ranks of a "
              "node in MPI_Cart_create's order. Cube: the bound 6 n^(2/3). Scattered: every "
              "neighbour on another node."));
  lines.emplace_back();
  Table table(
      {text_column("cores"), text_column("block"), number_column("stick"), number_column("block"),
       number_column("cube"), number_column("scattered"), number_column("stick/\nblock"),
       number_column("stick/\ncube"), number_column("scatt./\ncube")},
      {0, options.color});
  for (const mapping::SubgridSurface& one : surfaces) {
    const auto stick = static_cast<double>(one.stick);
    table.add({std::to_string(one.cores), format_extents(one.block), std::to_string(one.stick),
               std::to_string(one.of_block), format_number(one.cube), std::to_string(one.scattered),
               format_ratio(stick / static_cast<double>(one.of_block)),
               format_ratio(stick / one.cube),
               format_ratio(static_cast<double>(one.scattered) / one.cube)});
  }
  append(lines, table.lines());
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
