// SPDX-License-Identifier: BSD-3-Clause
// Decides, the same on all ranks, which process becomes which vertex of a topology.
#include "preload/mapper/decide.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "preload/mapper/decision_record.hpp"

namespace plait::preload::mapper {
namespace {

/// Whether rank 0 knows the places of all processes.
enum class Knowledge : int { none, all, too_many };

/// Solves; the order of the processes and what is to be kept of it.
/// @param keeps_record  this process is the one to tell of it
Decision solve(const std::function<Topology()>& make, const std::vector<Place>& places,
               bool keeps_record) {
  const auto start = std::chrono::steady_clock::now();
  const Topology topology = make();
  map::MappingRequest request;
  request.graph = topology.graph;
  request.grid = topology.grid;
  request.slots = slots_of(places);
  const map::MappingResult result = map::map_processes(request);
  Decision decision;
  decision.outcome = result.nothing_to_gain ? Outcome::kept : Outcome::reordered;
  decision.new_ranks.assign(places.size(), -1);
  for (std::size_t vertex = 0; vertex < result.slot_of.size(); ++vertex)
    decision.new_ranks[static_cast<std::size_t>(result.slot_of[vertex])] = static_cast<int>(vertex);
  int next = static_cast<int>(result.slot_of.size());
  for (int& rank : decision.new_ranks)
    if (rank < 0) rank = next++;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (keeps_record) keep_record({topology, request, result, took.count()});
  return decision;
}

/// solve() that throws nothing.
Decision try_to_solve(const std::function<Topology()>& make, const std::vector<Place>& places,
                      bool tells) noexcept {
  try {
    return solve(make, places, tells);
  } catch (const std::exception& error) {
    if (tells) say_once("a topology", error.what());
  } catch (...) {
    if (tells) say_once("a topology", "an unknown error");
  }
  return {};
}

Knowledge look_up(const Library& mpi, MPI_Comm comm, std::vector<Place>& places) noexcept {
  int size = 0;
  mpi.Comm_size(comm, &size);
  if (size > kMostProcesses) {
    say_once("a topology", "too many processes");
    return Knowledge::too_many;
  }
  try {
    auto known = known_places(mpi, comm);
    if (!known) return Knowledge::none;
    places = std::move(*known);
    return Knowledge::all;
  } catch (const std::exception&) {
    return Knowledge::none;
  }
}

}  // namespace

Decision decide(const Library& mpi, MPI_Comm comm, const std::function<Topology()>& topology) {
  int rank = 0;
  mpi.Comm_rank(comm, &rank);
  std::vector<Place> places;
  Knowledge knowledge = rank == 0 ? look_up(mpi, comm, places) : Knowledge::none;
  if (mpi.Bcast(&knowledge, sizeof knowledge, byte_type(), 0, comm) != MPI_SUCCESS ||
      knowledge == Knowledge::too_many)
    return {};
  if (knowledge == Knowledge::none) places = observe(mpi, comm);
  Decision decision;
  if (rank == 0 && places.empty())
    say_once("a topology", "the nodes of the processes are not known");
  else if (rank == 0)
    decision = try_to_solve(topology, places, true);
  if (mpi.Bcast(&decision.outcome, sizeof decision.outcome, byte_type(), 0, comm) != MPI_SUCCESS)
    return {};
  decision.new_rank = rank;
  if (decision.outcome == Outcome::reordered &&
      mpi.Scatter(decision.new_ranks.data(), sizeof(int), byte_type(), &decision.new_rank,
                  sizeof(int), byte_type(), 0, comm) != MPI_SUCCESS)
    return {};
  return decision;
}

Decision decide_alone(const Library& mpi, MPI_Comm comm,
                      const std::function<Topology()>& topology) {
  int rank = 0;
  mpi.Comm_rank(comm, &rank);
  std::vector<Place> places;
  if (look_up(mpi, comm, places) != Knowledge::all) return {};
  Decision decision = try_to_solve(topology, places, rank == 0);
  decision.new_rank = decision.outcome == Outcome::reordered
                          ? decision.new_ranks[static_cast<std::size_t>(rank)]
                          : rank;
  return decision;
}

bool can_be_reordered(const Library& mpi, MPI_Comm comm) {
  int inter = 0, size = 0;
  return comm != no_comm() && mpi.Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter == 0 &&
         mpi.Comm_size(comm, &size) == MPI_SUCCESS && size > 1;
}

bool is_wanted(int reorder) {
  static const char* const asked = std::getenv("PLAIT_MAP");
  if (asked && !std::strcmp(asked, "never")) return false;
  return reorder != 0 || (asked && !std::strcmp(asked, "always"));
}

void say_once(const char* call, const char* reason) noexcept {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::fprintf(stderr, "plait: %s is left in the program's own order: %s\n", call, reason);
}

}  // namespace plait::preload::mapper
