// SPDX-License-Identifier: BSD-3-Clause
// Reads grids and graphs that are to be mapped.
#include "advise/mapping_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "advise/number_lists.hpp"
#include "base/quantity.hpp"
#include "mapping/communication_input.hpp"
#include "text/units.hpp"

namespace plait::advise {
namespace {

constexpr const char* default_unit = "64KiB";
constexpr int most_of_axis = 10'000'000;

/// Which axes "xz", "02" or "all" name.
std::vector<bool> parse_axes(const std::string& text, std::size_t axes) {
  std::vector<bool> result(axes, text == "all");
  if (text == "all") return result;
  for (const char letter : text) {
    const auto axis = letter >= '0' && letter <= '9' ? static_cast<std::size_t>(letter - '0')
                                                     : static_cast<std::size_t>(letter - 'x');
    if (axis >= axes) {
      throw Error(text, fmt::format("\"{}\" is not one of the grid's {} axes", letter, axes),
                  "give axes as letters (xz), as numbers from 0 (02), or all");
    }
    result[axis] = true;
  }
  return result;
}

void scale(std::vector<double>& bytes, double unit) {
  for (double& one : bytes) one *= unit;
}

std::string periodic_text(const mapping::Cartesian& grid) {
  if (std::find(grid.periodic.begin(), grid.periodic.end(), true) == grid.periodic.end()) {
    return "";
  }
  std::string axes;
  for (std::size_t d = 0; d < grid.periodic.size(); ++d) {
    if (!grid.periodic[d]) continue;
    axes += grid.periodic.size() <= 3 ? std::string(1, "xyz"[d]) : std::to_string(d);
  }
  return ", periodic along " + axes;
}

}  // namespace

MapInput grid_input(const GridOptions& options) {
  mapping::Cartesian grid;
  for (const std::string& part : split(options.dims, 'x')) {
    grid.dims.push_back(parse_count(part, 1, most_of_axis, "write a grid as 4x4x2"));
  }
  grid.periodic = parse_axes(options.periodic, grid.dims.size());
  grid.stencil = options.stencil == "full" ? mapping::Stencil::full : mapping::Stencil::faces;
  const std::string unit = options.bytes.empty() ? default_unit : options.bytes;
  MapInput input;
  input.unit_bytes = parse_bytes(unit);
  std::vector<double> weights(grid.dims.size(), 1);
  if (!options.weights.empty()) {
    weights.clear();
    for (const std::string& part : split(options.weights, ',')) {
      weights.push_back(parse_weight(part));
    }
    if (weights.size() != grid.dims.size()) {
      throw Error(
          options.weights, fmt::format("{} weights for {} axes", weights.size(), grid.dims.size()),
          grid.stencil == mapping::Stencil::full
              ? "give a weight for a face, an edge, a corner and so on: as many as there are axes"
              : "give one weight per axis, such as 8,1,1");
    }
  }
  grid.bytes = std::move(weights);
  scale(grid.bytes, input.unit_bytes);
  input.graph = mapping::graph_of(grid);
  input.text = fmt::format("grid {}{}, {}{} of {}", options.dims, periodic_text(grid),
                           grid.stencil == mapping::Stencil::full ? "full stencil, " : "",
                           options.weights.empty() ? "messages" : "weights " + options.weights,
                           format_bytes(input.unit_bytes));
  input.grid = std::move(grid);
  return input;
}

MapInput graph_input(const std::string& file, const std::string& bytes) {
  mapping::GraphFile read = mapping::read_graph(file);
  MapInput input;
  const std::string unit = !bytes.empty() ? bytes : read.weighted ? "1B" : default_unit;
  input.unit_bytes = parse_bytes(unit);
  input.graph = std::move(read.graph);
  scale(input.graph.bytes, input.unit_bytes);
  input.text =
      fmt::format("graph {} of {} processes, weights of {}", file, input.graph.size(), unit);
  return input;
}

}  // namespace plait::advise
