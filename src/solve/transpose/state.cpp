// SPDX-License-Identifier: BSD-3-Clause
// Makes the plan of a transpose: checks, geometry, routes, buffers, copies.
#include "solve/transpose/state.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <exception>

#include "plait/environment.hpp"
#include "solve/equal_numbers.hpp"
#include "solve/schedules/stepper_agreement.hpp"
#include "solve/verify.hpp"

namespace plait {
namespace {

/// Below this size an OpenMP region costs more than copying with one thread.
constexpr std::int64_t team_pays_bytes = 128 * 1024;

constexpr std::size_t line_bytes = 64;

/// The first fault of the options, if there is one.
std::optional<Error> options_error(const TransposeShape& shape, const Transpose::Options& options) {
  if (options.chunks < 1) {
    return Error(fmt::format("transpose in {} chunks", options.chunks), "less than one",
                 "give at least 1");
  }
  if (options.chunk_axis < -1 || options.chunk_axis > 2) {
    return Error(fmt::format("transpose with chunks along axis {}", options.chunk_axis),
                 "not an axis", "give 0 for x, 1 for y, 2 for z, or -1");
  }
  const Long3 none{};
  for (const Cut* cut : {&shape.from, &shape.to}) {
    const bool some = cut->strides != none;
    const bool all = std::ranges::count(cut->strides, 0) == 0;
    if (some && !all) {
      return Error("transpose", "some strides are 0", "give all three, or none");
    }
  }
  if (options.largest_count < 1 || options.largest_count > std::numeric_limits<int>::max()) {
    return Error(fmt::format("transpose with counts up to {}", options.largest_count),
                 "not a count of MPI", "leave it at its default");
  }
  return std::nullopt;
}

/// A number that differs, almost certainly, if the values differ.
std::int64_t digest(const std::vector<std::int64_t>& values) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const std::int64_t value : values) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211U;
  }
  return static_cast<std::int64_t>(hash >> 1U);
}

std::int64_t digest_of_order(const Cut& cut) {
  return cut.order[0] + 3 * cut.order[1] + 9 * cut.order[2];
}

void require_agreement(MPI_Comm comm, const TransposeShape& shape,
                       const Transpose::Options& options) {
  std::vector<std::int64_t> kept;
  for (const std::vector<IndexRange>& ranges : shape.kept) {
    for (const IndexRange& range : ranges) kept.insert(kept.end(), {range.first, range.last});
    kept.push_back(-1);
  }
  const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
  const std::vector<solve::NamedNumber> numbers{
      {"the extent along x", shape.extents[0]},
      {"the extent along y", shape.extents[1]},
      {"the extent along z", shape.extents[2]},
      {"the axis that is cut before", shape.from.axis},
      {"the axis that is cut after", shape.to.axis},
      {"the blocks before", digest(shape.from.blocks)},
      {"the blocks after", digest(shape.to.blocks)},
      {"the order of axes before", digest_of_order(shape.from)},
      {"the order of axes after", digest_of_order(shape.to)},
      {"the bytes of an element", number(shape.element_bytes)},
      {"the number of fields", shape.fields},
      {"the kept indices", digest(kept)},
      {"the side that has all indices", shape.expands ? 1 : 0},
      {"the number of chunks", options.chunks},
      {"the axis of the chunks", options.chunk_axis},
      {"the transport", number(options.transport)},
      {"in_source_memory", options.in_source_memory ? 1 : 0},
      {"the largest count", options.largest_count}};
  solve::require_equal_numbers(comm, "transpose", numbers);
}

/// The number of elements from the first to the last one of an array, inclusive.
std::int64_t span_of(const Long3& extents, const Long3& strides) {
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (extents[d] == 0) return 0;
    elements += (extents[d] - 1) * strides[d];
  }
  return elements;
}

std::int64_t padded(std::int64_t bytes) {
  constexpr auto unit = static_cast<std::int64_t>(line_bytes);
  return (bytes + unit - 1) / unit * unit;
}

int chunk_axis_of(const TransposeShape& shape, const Transpose::Options& options) {
  return options.chunk_axis < 0 ? solve::uncut_axis(shape) : options.chunk_axis;
}

/// The shape, if it has no error on any rank. Collective.
TransposeShape checked(MPI_Comm comm, const TransposeShape& shape,
                       const Transpose::Options& options) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  std::optional<Error> wrong = solve::shape_error(shape, ranks);
  if (!wrong) wrong = options_error(shape, options);
  agree_on_error(comm, wrong ? &*wrong : nullptr);
  require_agreement(comm, shape, options);
  return shape;
}

std::vector<std::int64_t> from_base(std::vector<std::int64_t> offsets, std::int64_t base) {
  for (std::int64_t& offset : offsets) offset += base;
  return offsets;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace

Transpose::Plan::Plan(MPI_Comm the_comm, const TransposeShape& shape, const Options& the_options)
    : size(size_of(the_comm)),
      options(the_options),
      geometry(checked(the_comm, shape, the_options), size_of(the_comm), the_options.chunks,
               chunk_axis_of(shape, the_options)),
      waiter(the_options.wait, std::chrono::microseconds(0), false) {
  if (options.transport == TransposeTransport::automatic) {
    options.transport = solve::fastest_transport(the_comm, shape, options);
  }
  MPI_Comm_rank(the_comm, &rank);
  source = array(solve::Side::from, shape.from);
  destination = array(solve::Side::to, shape.to);
  MPI_Comm_dup(the_comm, &comm);
  try {
    node_of_rank = solve::nodes_of_ranks(comm);
    const solve::RankFacts own{ScheduleKind::blocking, granted_thread_level(),
                               solve::cores_of_process(omp_get_max_threads()), false,
                               solve::verify_mode_in_environment()};
    std::vector<solve::RankCores> of_ranks;
    for (const solve::RankFacts& fact : solve::gather_facts(comm, own)) {
      of_ranks.push_back(fact.cores);
      verifies = verifies || fact.verifies;
    }
    cores = solve::node_cores(of_ranks, node_of_rank);
    waiter = solve::Waiter(options.wait, std::chrono::microseconds(0), cores.team_fits);
    if (verifies) MPI_Comm_dup(comm, &verify_comm);
    choose_routes();
    allocate_buffers();
    make_messages();
  } catch (const CollectiveError&) {
    MPI_Comm_free(&comm);
    throw;
  }
}

Transpose::Plan::~Plan() {
  const Plan* const none = nullptr;
  if (buffer_users) std::ranges::replace(*buffer_users, static_cast<const Plan*>(this), none);
  int finalized = 0;
  MPI_Finalized(&finalized);
  messages.reset();
  window.reset();
  if (finalized != 0) return;
  if (verify_comm != MPI_COMM_NULL) MPI_Comm_free(&verify_comm);
  MPI_Comm_free(&comm);
}

TransposeArray Transpose::Plan::array(solve::Side side, const Cut& cut) const {
  TransposeArray result;
  result.axis = cut.axis;
  result.own = geometry.own(side, rank);
  result.extents = geometry.extents(side, rank);
  result.strides =
      cut.strides == Long3{} ? geometry.packed_strides(side, result.extents) : cut.strides;
  result.elements = span_of(result.extents, result.strides);
  result.chunk_axis = geometry.chunk_axis();
  return result;
}

void Transpose::Plan::choose_routes() {
  const auto others = options.transport == TransposeTransport::alltoallw ? solve::Route::datatypes
                                                                         : solve::Route::packed;
  route.assign(static_cast<std::size_t>(size), others);
  route[static_cast<std::size_t>(rank)] = solve::Route::own;
  if (options.transport != TransposeTransport::shared_memory) return;
  window = std::make_unique<solve::TransposeWindow>(comm, node_of_rank,
                                                    static_cast<std::size_t>(options.chunks) + 1);
  const auto bytes = static_cast<std::int64_t>(geometry.shape().element_bytes);
  if (!window->allocate(geometry.shape().fields, source.elements * bytes, source.strides)) {
    throw CollectiveError("transport shared_memory",
                          "the ranks of a node cannot share memory (/dev/shm is full or missing)",
                          "use the transport alltoallw");
  }
  for (const int partner : window->partners()) {
    route[static_cast<std::size_t>(partner)] = solve::Route::shared;
  }
}

void Transpose::Plan::allocate_buffers() {
  const int fields = geometry.shape().fields;
  const auto count_of = [&](int sender, int receiver, int chunk) {
    const int peer = sender == rank ? receiver : sender;
    if (route[static_cast<std::size_t>(peer)] != solve::Route::packed) return std::int64_t{0};
    return fields * geometry.box(sender, receiver, chunk).elements();
  };
  std::int64_t sent = 0;
  std::int64_t received = 0;
  sets.resize(static_cast<std::size_t>(options.chunks) + 1);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const bool last = set + 1 == sets.size();
    solve::PackedMessages packed;
    for (int peer = 0; peer < size; ++peer) {
      packed.send_elements.push_back(count_of(rank, peer, chunk_of(set)));
      packed.receive_elements.push_back(count_of(peer, rank, chunk_of(set)));
    }
    // The whole takes the place of all chunks: both are never under way together.
    packed.send_offset = from_base(solve::message_offsets(packed.send_elements), last ? 0 : sent);
    packed.receive_offset =
        from_base(solve::message_offsets(packed.receive_elements), last ? 0 : received);
    sent = packed.send_offset.back();
    received = packed.receive_offset.back();
    routes.sets.push_back(std::move(packed));
  }
  buffer_users = std::make_shared<std::vector<const Plan*>>(sets.size());
  if (options.buffers_of != nullptr && share_buffers(*options.buffers_of->plan_)) return;
  const auto bytes = static_cast<std::int64_t>(geometry.shape().element_bytes);
  buffer_bytes =
      padded(sent * bytes) + padded(received * bytes) + static_cast<std::int64_t>(line_bytes);
  buffer = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(buffer_bytes));
  void* begin = buffer.get();
  auto space = static_cast<std::size_t>(buffer_bytes);
  std::align(line_bytes, space - line_bytes, begin, space);
  routes.send_buffer = static_cast<std::byte*>(begin);
  routes.receive_buffer = routes.send_buffer + padded(sent * bytes);
}

bool Transpose::Plan::share_buffers(const Plan& other) {
  if (other.sets.size() != sets.size() ||
      other.geometry.shape().element_bytes != geometry.shape().element_bytes) {
    return false;
  }
  const auto elements = [](const std::vector<std::int64_t>& offsets) {
    return offsets.back() - offsets.front();
  };
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const solve::PackedMessages &own = routes.sets[set], &theirs = other.routes.sets[set];
    if (elements(own.send_offset) > elements(theirs.receive_offset) ||
        elements(own.receive_offset) > elements(theirs.send_offset)) {
      return false;
    }
  }
  for (std::size_t set = 0; set < sets.size(); ++set) {
    solve::PackedMessages& own = routes.sets[set];
    const solve::PackedMessages& theirs = other.routes.sets[set];
    own.send_offset = from_base(own.send_offset, theirs.receive_offset[0] - own.send_offset[0]);
    own.receive_offset =
        from_base(own.receive_offset, theirs.send_offset[0] - own.receive_offset[0]);
  }
  buffer = other.buffer;
  buffer_users = other.buffer_users;
  routes.send_buffer = other.routes.receive_buffer;
  routes.receive_buffer = other.routes.send_buffer;
  return true;
}

void Transpose::Plan::make_messages() {
  const int fields = geometry.shape().fields;
  routes.comm = comm;
  routes.rank = rank;
  routes.size = size;
  routes.fields = fields;
  routes.element_bytes = geometry.shape().element_bytes;
  routes.largest_count = options.largest_count;
  const solve::MemoryIndex index{fields};
  memory.assign(index.count(size), nullptr);
  memory[static_cast<std::size_t>(index.send_buffer())] = routes.send_buffer;
  memory[static_cast<std::size_t>(index.receive_buffer())] = routes.receive_buffer;
  solve::CopyPlan plan{rank, route, source.strides, destination.strides, {}};
  plan.shared_strides.resize(static_cast<std::size_t>(size));
  for (int peer = 0; window && peer < size; ++peer) {
    if (!window->reaches(peer)) continue;
    plan.shared_strides[static_cast<std::size_t>(peer)] = window->strides(peer);
    for (int field = 0; field < fields; ++field) {
      memory[static_cast<std::size_t>(index.shared(peer, field))] = window->array(peer, field);
    }
  }
  for (std::size_t set = 0; set < sets.size(); ++set) {
    sets[set].copies =
        solve::transpose_copies(geometry, plan, chunk_of(set), routes.sets[set].send_offset,
                                routes.sets[set].receive_offset);
  }
  options.buffers_of = nullptr;  // it need not exist any longer
  switch (options.transport) {
    case TransposeTransport::alltoallv:
      messages = solve::make_alltoallv(routes);
      break;
    case TransposeTransport::alltoallw:
      messages =
          solve::make_alltoallw(routes, geometry, memory, source.strides, destination.strides);
      break;
    default:
      messages = solve::make_point_to_point(routes);
  }
  if (window) messages = solve::make_signals(routes, *window, std::move(messages));
}

std::size_t Transpose::Plan::set_of(int chunk) const {
  if (chunk == whole) return sets.size() - 1;
  if (chunk >= 0 && chunk < options.chunks) return static_cast<std::size_t>(chunk);
  throw Error(fmt::format("transpose: chunk {}", chunk), "does not exist",
              fmt::format("give 0 to {}, or Transpose::whole", options.chunks - 1));
}

void Transpose::Plan::run(const solve::StridedCopies& copies) const {
  if (copies.bytes() < team_pays_bytes || omp_get_max_threads() == 1 || omp_in_parallel() != 0) {
    copies.run(memory, 0, 1);
    return;
  }
#pragma omp parallel
  copies.run(memory, omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace plait
