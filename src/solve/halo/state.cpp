// SPDX-License-Identifier: BSD-3-Clause
// Makes the plan of a halo: checks, geometry, choice of transport and packing, copies.
#include "solve/halo/state.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "plait/environment.hpp"
#include "solve/equal_numbers.hpp"

namespace plait {
namespace {

/// Each message starts on a cache line because different threads fill the messages.
constexpr std::size_t line_bytes = 64;

/// Below this size an OpenMP region costs more than copying with one thread.
constexpr std::int64_t team_pays_bytes = 128 * 1024;

/// Each way of packing is timed this often; the fastest time counts.
constexpr int packing_rounds = 4;

/// Threads share the work only in our copies, so datatypes must be clearly faster.
constexpr double datatypes_must_gain = 0.9;

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr std::array axis_names{"x", "y", "z"};

std::string extents(const Int3& cells) {
  return fmt::format("{} x {} x {}", cells[0], cells[1], cells[2]);
}

/// The first fault of the fields on this rank, if there is one.
std::optional<Error> layout_error(const CartesianGrid& grid, std::span<const FieldView> layout,
                                  int width) {
  if (layout.empty()) return Error("halo", "no field given", "give at least one");
  if (width < 0) {
    return Error(fmt::format("halo of width {}", width), "the width is negative",
                 "give 0 or more layers");
  }
  for (const FieldView& view : layout) {
    if (view.own != grid.own_cells()) {
      return Error(fmt::format("field of {} cells", extents(view.own)),
                   fmt::format("this rank's box has {} cells", extents(grid.own_cells())),
                   "create the field with grid.own_cells()");
    }
    if (view.ghost < std::max(width, 1)) {
      return Error(fmt::format("field with {} ghost layers", view.ghost),
                   fmt::format("too few for a halo of width {}", std::max(width, 1)),
                   "give the field more ghost layers");
    }
    const int row = view.own[0] + 2 * view.ghost;
    const int rows = view.own[1] + 2 * view.ghost;
    if (view.element_bytes == 0 || view.stride_y < row || view.stride_z < rows * view.stride_y) {
      return Error(fmt::format("field with strides {} and {}", view.stride_y, view.stride_z),
                   fmt::format("rows of {} cells or planes of {} rows overlap", row, rows),
                   "give strides in elements and include the ghosts");
    }
  }
  return std::nullopt;
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
  const std::array<solve::NamedNumber, 5> numbers{
      {{"the width", options.width},
       {"edges_and_corners", options.edges_and_corners ? 1 : 0},
       {"the transport", static_cast<int>(options.transport)},
       {"the number of fields", static_cast<std::int64_t>(layout.size())},
       {"the bytes per cell", cell_bytes}}};
  solve::require_equal_numbers(grid.comm(), "halo", numbers);
  MPI_Comm_dup(grid.comm(), &comm);
  choose_transport();
  make_transport();
}

Halo::Plan::~Plan() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  transport.reset();
  ends.reset();
  if (finalized == 0 && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
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
                 fmt::format("the box of {} cells is thinner than the halo along {}",
                             extents(shape.own), axis_names[static_cast<std::size_t>(thin)]),
                 "use fewer ranks along this axis or a narrower halo");
  }
  messages = solve::halo_messages(shape, layout);
  for (const solve::HaloMessage& message : messages) {
    if (message.bytes > std::numeric_limits<int>::max()) {
      return Error(
          fmt::format("halo of {} fields", layout.size()),
          fmt::format("a message would have {} bytes, more than MPI can count", message.bytes),
          "use more ranks, or one halo per field");
    }
  }
  return std::nullopt;
}

void Halo::Plan::run(const solve::CopyList& copies, std::span<std::byte* const> memory) {
  if (copies.bytes() < team_pays_bytes || omp_get_max_threads() == 1 || omp_in_parallel() != 0) {
    copies.run(memory, 0, 1);
    return;
  }
#pragma omp parallel
  copies.run(memory, omp_get_thread_num(), omp_get_num_threads());
}

void Halo::Plan::allocate_buffers() {
  const auto padded = [](std::int64_t bytes) {
    return (static_cast<std::size_t>(bytes) + line_bytes - 1) / line_bytes * line_bytes;
  };
  std::size_t all = line_bytes;
  for (const std::size_t m : mpi_messages) all += 2 * padded(messages[m].bytes);
  buffer.resize(all);
  void* next = buffer.data();
  std::align(line_bytes, all - line_bytes, next, all);
  auto* place = static_cast<std::byte*>(next);
  for (const std::size_t m : mpi_messages) {
    outgoing(m) = place;
    place += padded(messages[m].bytes);
    incoming(m) = place;
    place += padded(messages[m].bytes);
  }
}

bool Halo::Plan::datatypes_are_faster() {
  const auto unknown = [](const FieldView& view) { return view.origin == nullptr; };
  if (mpi_messages.empty() || std::any_of(layout.begin(), layout.end(), unknown)) return false;
  std::vector<bool> packed(messages.size(), false);
  for (const std::size_t m : mpi_messages) packed[m] = true;
  const solve::CopyList copies = solve::pack_copies(shape, layout, messages, packed);
  solve::MessageEnds types(shape, layout, messages, {}, {}, mpi_messages, false);
  const solve::MessageEnds::Set& set = types.set(types.select(layout));
  for (std::size_t f = 0; f < layout.size(); ++f) {
    pack_memory[f] = static_cast<std::byte*>(layout[f].origin);
  }
  double by_copies = std::numeric_limits<double>::max();
  double by_types = by_copies;
  for (int round = 0; round < packing_rounds; ++round) {
    // MPI copies a packed message once more when it sends it; a datatype saves that copy.
    by_copies = std::min(by_copies, seconds([&] {
                           run(copies, pack_memory);
                           for (const std::size_t m : mpi_messages) {
                             std::memcpy(incoming(m), outgoing(m),
                                         static_cast<std::size_t>(messages[m].bytes));
                           }
                         }));
    by_types = std::min(by_types, seconds([&] {
                          for (std::size_t i = 0; i < mpi_messages.size(); ++i) {
                            const std::size_t m = mpi_messages[i];
                            int position = 0;
                            const solve::MessageEnd& end = set.send[i];
                            MPI_Pack(end.address, end.count, end.type, outgoing(m),
                                     static_cast<int>(messages[m].bytes), &position, comm);
                          }
                        }));
  }
  return by_types < datatypes_must_gain * by_copies;
}

void Halo::Plan::choose_transport() {
  const bool automatic = options.transport == Transport::automatic;
  mpi_messages.clear();
  if (automatic || options.transport == Transport::shared_memory) {
    window = std::make_unique<solve::HaloWindow>(comm, grid.node_of_rank());
    std::vector<solve::HaloWindow::Partner> partners;
    for (std::size_t m = 0; m < messages.size(); ++m) {
      const int rank = messages[m].peer.rank;
      if (!window->reaches(rank)) continue;
      partners.push_back({rank, static_cast<std::size_t>(messages[m].bytes)});
      shared_messages.push_back(m);
    }
    const int useful = partners.empty() ? 0 : 1;
    const int refused = window->allocate(std::move(partners)) ? 0 : 1;
    std::array<int, 2> anywhere{useful, refused};
    MPI_Allreduce(MPI_IN_PLACE, anywhere.data(), 2, MPI_INT, MPI_MAX, comm);
    const bool shared = anywhere[1] == 0 && (!automatic || anywhere[0] == 1);
    if (!shared) {
      window.reset();
      shared_messages.clear();
    }
    if (!shared && !automatic) {
      throw CollectiveError("transport shared_memory",
                            "the ranks of a node cannot share memory (/dev/shm is full or missing)",
                            "use the transport persistent");
    }
    options.transport = shared ? Transport::shared_memory : Transport::persistent;
  }
  for (std::size_t m = 0; m < messages.size(); ++m) {
    if (std::find(shared_messages.begin(), shared_messages.end(), m) == shared_messages.end()) {
      mpi_messages.push_back(m);
    }
  }
}

void Halo::Plan::make_transport() {
  pack_memory.assign(layout.size() + messages.size(), nullptr);
  unpack_memory.assign(layout.size() + messages.size(), nullptr);
  if (mpi_messages.empty()) options.packing = Packing::threads;
  if (options.packing != Packing::datatypes) allocate_buffers();
  if (options.packing == Packing::automatic) {
    options.packing = datatypes_are_faster() ? Packing::datatypes : Packing::threads;
  }
  const bool by_threads = options.packing == Packing::threads;
  std::vector<bool> packed(messages.size(), true);
  for (const std::size_t m : mpi_messages) packed[m] = by_threads;
  pack = solve::pack_copies(shape, layout, messages, packed);
  unpack = solve::unpack_copies(shape, layout, messages, packed);
  const auto out = std::span(pack_memory).subspan(layout.size());
  const auto in = std::span(unpack_memory).subspan(layout.size());
  ends = std::make_unique<solve::MessageEnds>(shape, layout, messages, out, in, mpi_messages,
                                              by_threads);
  switch (options.transport) {
    case Transport::point_to_point:
      transport = solve::make_point_to_point(comm, *ends);
      break;
    case Transport::neighborhood:
      transport = solve::make_neighborhood(comm, *ends);
      break;
    case Transport::shared_memory:
      if (!mpi_messages.empty()) transport = solve::make_persistent(comm, *ends);
      transport =
          solve::make_shared_memory(*window, shared_messages, out, in, std::move(transport));
      break;
    default:
      transport = solve::make_persistent(comm, *ends);
  }
}

void Halo::Plan::require_planned(std::span<const FieldView> fields) const {
  if (fields.size() != layout.size()) {
    throw Error("halo", "planned for a different number of fields", "create one halo per number");
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const FieldView& view = fields[f];
    const FieldView& planned = layout[f];
    if (view.own != planned.own || view.element_bytes != planned.element_bytes ||
        view.ghost < shape.width || view.stride_y != planned.stride_y ||
        view.stride_z != planned.stride_z) {
      throw Error("halo", "planned for a field with a different layout",
                  "allocate the fields that are swapped in the same way");
    }
  }
}

}  // namespace plait
