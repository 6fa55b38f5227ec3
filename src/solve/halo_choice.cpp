// SPDX-License-Identifier: BSD-3-Clause
// Settles how a halo's messages travel and how they are packed, and makes ready for it.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>

#include "plait/environment.hpp"
#include "solve/halo_state.hpp"

namespace plait {
namespace {

/// Messages share no cache line, as different threads fill them.
constexpr std::size_t line_bytes = 64;

/// Below this an OpenMP region costs more than the copies by one thread.
constexpr std::int64_t team_pays_bytes = 128 * 1024;

/// Repetitions of each way of packing; the fastest counts.
constexpr int packing_rounds = 4;

/// Threads share the packing with each other only in our copies: datatypes must be clearly faster.
constexpr double datatypes_must_gain = 0.9;

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

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
    // MPI copies a packed message once more on its way; a datatype saves that copy.
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
                            MPI_Pack(MPI_BOTTOM, 1, set.send[i].type, outgoing(m),
                                     static_cast<int>(messages[m].bytes), &position, comm);
                          }
                        }));
  }
  return by_types < datatypes_must_gain * by_copies;
}

void Halo::Plan::make_transport() {
  pack_memory.assign(layout.size() + messages.size(), nullptr);
  unpack_memory.assign(layout.size() + messages.size(), nullptr);
  if (options.transport == Transport::automatic) options.transport = Transport::persistent;
  mpi_messages.resize(messages.size());
  std::iota(mpi_messages.begin(), mpi_messages.end(), std::size_t{0});
  if (options.packing != Packing::datatypes) allocate_buffers();
  if (options.packing == Packing::automatic) {
    options.packing = datatypes_are_faster() ? Packing::datatypes : Packing::threads;
  }
  const bool by_threads = options.packing == Packing::threads;
  std::vector<bool> packed(messages.size(), true);
  for (const std::size_t m : mpi_messages) packed[m] = by_threads;
  pack = solve::pack_copies(shape, layout, messages, packed);
  unpack = solve::unpack_copies(shape, layout, messages, packed);
  ends = std::make_unique<solve::MessageEnds>(
      shape, layout, messages, std::span(pack_memory).subspan(layout.size()),
      std::span(unpack_memory).subspan(layout.size()), mpi_messages, by_threads);
  switch (options.transport) {
    case Transport::point_to_point:
      transport = solve::make_point_to_point(comm, *ends);
      break;
    case Transport::neighborhood:
      transport = solve::make_neighborhood(comm, *ends);
      break;
    default:
      transport = solve::make_persistent(comm, *ends);
  }
}

}  // namespace plait
