// SPDX-License-Identifier: BSD-3-Clause
// Settles how a halo's messages travel and how they are packed, and makes ready for it.
#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>

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
                            "a node has no memory that its ranks could share (/dev/shm)",
                            "use transport persistent");
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

}  // namespace plait
