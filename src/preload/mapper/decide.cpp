// SPDX-License-Identifier: BSD-3-Clause
// Decides which process becomes which vertex of a topology, the same on all ranks.
#include "preload/mapper/decide.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "mapping/search/map_processes.hpp"
#include "preload/mapper/decision_record.hpp"

namespace plait::preload::mapper {
namespace {

constexpr const char* kCallFailed = "an MPI call failed";

/// The order of the processes, and its record.
Decision solve(const std::function<Topology()>& make, const std::vector<Place>& places) {
  const auto start = std::chrono::steady_clock::now();
  const Topology topology = make();
  mapping::MappingRequest request;
  request.graph = topology.graph;
  request.grid = topology.grid;
  request.slots = slots_of(places);
  const mapping::MappingResult result = mapping::map_processes(request);
  Decision decision;
  decision.outcome = result.nothing_to_gain ? Outcome::kept : Outcome::reordered;
  decision.new_ranks.assign(places.size(), -1);
  for (std::size_t vertex = 0; vertex < result.slot_of.size(); ++vertex)
    decision.new_ranks[static_cast<std::size_t>(result.slot_of[vertex])] = static_cast<int>(vertex);
  int next = static_cast<int>(result.slot_of.size());
  for (int& rank : decision.new_ranks)
    if (rank < 0) rank = next++;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  decision.record = record_line({topology, request, result, took.count()});
  return decision;
}

/// solve() that throws nothing.
/// @param reports  this process reports what went wrong
Decision try_to_solve(const std::function<Topology()>& make, const std::vector<Place>& places,
                      bool reports) noexcept {
  try {
    return solve(make, places);
  } catch (const std::exception& error) {
    if (reports) say_once("a topology", error.what());
  } catch (...) {
    if (reports) say_once("a topology", "an unknown error");
  }
  return {};
}

/// Looks up the places of the processes of a communicator, without communication.
bool look_up(const Library& mpi, MPI_Comm comm, std::vector<Place>& places) noexcept {
  try {
    auto known = known_places(mpi, comm);
    if (!known) return false;
    places = std::move(*known);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

bool is_too_large(const Library& mpi, MPI_Comm comm, bool reports) {
  int size = 0;
  mpi.Comm_size(comm, &size);
  if (size > kMostProcesses && reports) say_once("a topology", "too many processes");
  return size > kMostProcesses;
}

/// Sends rank 0's decision to all ranks. @returns true if all have received it
bool send_decision(const Library& mpi, MPI_Comm comm, Decision& decision) {
  const int code = mpi.Bcast(&decision.outcome, sizeof decision.outcome, byte_type(), 0, comm);
  if (!all_agree(mpi, comm, code == MPI_SUCCESS)) return false;
  if (decision.outcome != Outcome::reordered) return true;
  const int scattered = mpi.Scatter(decision.new_ranks.data(), sizeof(int), byte_type(),
                                    &decision.new_rank, sizeof(int), byte_type(), 0, comm);
  return all_agree(mpi, comm, scattered == MPI_SUCCESS);
}

}  // namespace

Decision decide(const Library& mpi, MPI_Comm comm, const std::function<Topology()>& topology) {
  int rank = 0;
  mpi.Comm_rank(comm, &rank);
  if (is_too_large(mpi, comm, rank == 0)) return {};
  std::vector<Place> places;
  if (!all_agree(mpi, comm, rank != 0 || look_up(mpi, comm, places)) &&
      !observe(mpi, comm, places)) {
    if (rank == 0) say_once("a topology", "the nodes of its processes cannot be determined");
    return {};
  }
  Decision decision;
  if (rank == 0) decision = try_to_solve(topology, places, true);
  decision.new_rank = rank;
  if (!send_decision(mpi, comm, decision)) {
    if (rank == 0) say_once("a topology", kCallFailed);
    decision.outcome = Outcome::failed;
  }
  if (decision.outcome == Outcome::kept) keep_record(decision.record);
  return decision;
}

Decision decide_alone(const Library& mpi, MPI_Comm comm,
                      const std::function<Topology()>& topology) {
  int rank = 0;
  mpi.Comm_rank(comm, &rank);
  const bool reports = rank == 0;
  if (is_too_large(mpi, comm, reports)) return {};
  std::vector<Place> places;
  if (!look_up(mpi, comm, places)) {
    if (reports)
      say_once("an MPI_Cart_map or MPI_Graph_map", "its nodes were not known in MPI_Init");
    return {};
  }
  Decision decision = try_to_solve(topology, places, reports);
  decision.new_rank = decision.outcome == Outcome::reordered
                          ? decision.new_ranks[static_cast<std::size_t>(rank)]
                          : rank;
  if (reports) keep_record(decision.record);
  return decision;
}

bool make_in_order(const Library& mpi, MPI_Comm comm, const Decision& decision,
                   const ErrorsAsCodes& errors, const MakeTopology& make, MPI_Comm* made) {
  MPI_Comm ordered = no_comm(), topology = no_comm();
  // A communicator that only some ranks have made is not freed: freeing is collective.
  bool done =
      all_agree(mpi, comm, mpi.Comm_split(comm, 0, decision.new_rank, &ordered) == MPI_SUCCESS);
  if (done) {
    done = all_agree(mpi, comm, make(ordered, &topology) == MPI_SUCCESS);
    mpi.Comm_free(&ordered);
  }
  if (done) {
    if (topology != no_comm()) errors.give_back_to(topology);
    *made = topology;
    if (decision.outcome == Outcome::reordered) keep_record(decision.record);
    return true;
  }
  int rank = 0;
  mpi.Comm_rank(comm, &rank);
  if (rank == 0) say_once("a topology", kCallFailed);
  return false;
}

bool can_be_reordered(const Library& mpi, MPI_Comm comm) {
  int inter = 0, size = 0;
  return may_be_comm(word_of(comm)) && mpi.Comm_test_inter(comm, &inter) == MPI_SUCCESS &&
         inter == 0 && mpi.Comm_size(comm, &size) == MPI_SUCCESS && size > 1;
}

bool is_wanted(int reorder) {
  static const char* const asked = std::getenv("PLAIT_MAP");
  if (asked && !std::strcmp(asked, "never")) return false;
  return reorder != 0 || (asked && !std::strcmp(asked, "always"));
}

void say_once(const char* call, const char* reason) noexcept {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::fprintf(stderr, "plait: %s keeps the program's rank order: %s\n", call, reason);
}

}  // namespace plait::preload::mapper
