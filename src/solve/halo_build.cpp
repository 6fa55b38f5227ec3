// SPDX-License-Identifier: BSD-3-Clause
// Makes the plan of a halo: checks, geometry, transport, copies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "plait/environment.hpp"
#include "solve/halo_state.hpp"

namespace plait {
namespace {

constexpr std::array axis_names{"x", "y", "z"};

std::string extents(const Int3& cells) {
  return fmt::format("{} x {} x {}", cells[0], cells[1], cells[2]);
}

/// What is wrong with the fields on this rank.
std::optional<Error> layout_error(const CartesianGrid& grid, std::span<const FieldView> layout,
                                  int width) {
  if (layout.empty()) return Error("halo", "has no field", "give at least one");
  if (width < 0) {
    return Error(fmt::format("halo of width {}", width), "is no width", "give 0 or more layers");
  }
  for (const FieldView& view : layout) {
    if (view.own != grid.own_cells()) {
      return Error(
          fmt::format("field of {} cells", extents(view.own)),
          fmt::format("does not fit this rank's box of {} cells", extents(grid.own_cells())),
          "make it of grid.own_cells()");
    }
    if (view.ghost < std::max(width, 1)) {
      return Error(fmt::format("field with {} ghost layers", view.ghost),
                   fmt::format("a halo of width {} does not fit into it", std::max(width, 1)),
                   "give the field more ghost layers");
    }
    const int row = view.own[0] + 2 * view.ghost;
    const int rows = view.own[1] + 2 * view.ghost;
    if (view.element_bytes == 0 || view.stride_y < row || view.stride_z < rows * view.stride_y) {
      return Error(fmt::format("field with strides {} and {}", view.stride_y, view.stride_z),
                   fmt::format("rows of {} cells or planes of {} rows overlap", row, rows),
                   "count the ghosts in the strides, and in elements");
    }
  }
  return std::nullopt;
}

/// @throws CollectiveError when the ranks do not all give the same numbers.
void check_agreement(MPI_Comm comm, std::span<const std::pair<const char*, std::int64_t>> numbers) {
  std::vector<std::int64_t> ends;
  for (const auto& [what, number] : numbers) {
    ends.push_back(number);
    ends.push_back(-number);
  }
  MPI_Allreduce(MPI_IN_PLACE, ends.data(), static_cast<int>(ends.size()), MPI_INT64_T, MPI_MAX,
                comm);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (ends[2 * i] == -ends[2 * i + 1]) continue;
    throw CollectiveError("halo",
                          fmt::format("the ranks disagree on {}: {} to {}", numbers[i].first,
                                      -ends[2 * i + 1], ends[2 * i]),
                          "make it alike on all ranks");
  }
}

}  // namespace

Halo::Plan::Plan(const CartesianGrid& the_grid, std::span<const FieldView> the_layout,
                 const Options& the_options)
    : Plan(the_grid) {
  layout.assign(the_layout.begin(), the_layout.end());
  options = the_options;
  const std::optional<Error> wrong = shape_messages();
  agree_on_error(grid.comm(), wrong ? &*wrong : nullptr);
  std::int64_t cell_bytes = 0;
  for (const FieldView& view : layout) {
    cell_bytes += static_cast<std::int64_t>(view.element_bytes);
  }
  const std::array<std::pair<const char*, std::int64_t>, 5> numbers{
      {{"the width", options.width},
       {"edges and corners", options.edges_and_corners ? 1 : 0},
       {"the transport", static_cast<int>(options.transport)},
       {"the number of fields", static_cast<std::int64_t>(layout.size())},
       {"the bytes of a cell", cell_bytes}}};
  check_agreement(grid.comm(), numbers);
  MPI_Comm_dup(grid.comm(), &comm);
  choose_transport();
  make_transport();
}

Halo::Plan::~Plan() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  transport.reset();
  ends.reset();
  if (finalised == 0 && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

std::optional<Error> Halo::Plan::shape_messages() {
  if (auto wrong = layout_error(grid, layout, options.width)) return wrong;
  if (options.width == 0) {
    options.width = layout[0].ghost;
    for (const FieldView& view : layout) options.width = std::min(options.width, view.ghost);
  }
  shape.own = grid.own_cells();
  shape.width = options.width;
  shape.edges_and_corners = options.edges_and_corners;
  shape.sides = options.sides;
  shape.rank = grid.rank();
  for (int index = 0; index < 27; ++index) {
    const int rank = grid.neighbour(solve::direction_at(index));
    shape.neighbour[static_cast<std::size_t>(index)] =
        rank == MPI_PROC_NULL ? solve::no_rank : rank;
  }
  const int thin = solve::thin_axis(shape);
  if (thin >= 0) {
    return Error(fmt::format("halo of width {}", options.width),
                 fmt::format("the box of {} cells is thinner than that along {}",
                             extents(shape.own), axis_names[static_cast<std::size_t>(thin)]),
                 "use fewer ranks along it or a narrower halo");
  }
  messages = solve::halo_messages(shape, layout);
  for (const solve::HaloMessage& message : messages) {
    if (message.bytes > std::numeric_limits<int>::max()) {
      return Error(
          fmt::format("halo of {} fields", layout.size()),
          fmt::format("a message would have {} bytes, more than MPI counts", message.bytes),
          "use more ranks, or a halo for each field");
    }
  }
  return std::nullopt;
}

}  // namespace plait
