// SPDX-License-Identifier: BSD-3-Clause
// Exchanges ghosts in every way and checks each ghost: its value identifies its global cell.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "halo_case.hpp"
#include "plait/environment.hpp"

namespace {

using namespace halo_test;
using plait::CartesianGrid;
using plait::Halo;
using plait::Packing;
using plait::Transport;

/// Ranks per emulated node; 0: the real nodes.
int ranks_per_node = 0;

/// Messages between nodes, summed over the cases on this rank.
int messages_between_nodes = 0;

/// The five steps with several threads, as schedules use them.
void exchange_in_steps(Halo& halo, std::span<const plait::FieldView> views, int parts) {
  halo.begin(views);
#pragma omp parallel for num_threads(2)
  for (int part = 0; part < parts; ++part) halo.pack(part, parts);
  if (halo.test() && halo.neighbours() > 0) throw plait::Error("test()", "true at once", "");
  halo.send();
  for (int poll = 0; poll < 3; ++poll) halo.test();
  halo.wait();
  if (!halo.test()) throw plait::Error("test()", "false after wait()", "");
#pragma omp parallel for num_threads(2)
  for (int part = 0; part < parts; ++part) halo.unpack(part, parts);
}

/// Exchanges two sets of fields, each in the simple way and in steps.
/// @return number of wrong cells and of wrong results of the comparison with a blocking exchange
int check(const CartesianGrid& grid, const Case& test) {
  std::vector<TestField> sets[] = {make_fields(grid, test), make_fields(grid, test)};
  Halo halo(grid, views_of(sets[0]), test.options);
  int wrong = halo.width() == test.width() ? 0 : 1;
  if (halo.transport() == Transport::automatic || halo.packing() == Packing::automatic) ++wrong;
  messages_between_nodes += halo.cross_node_messages();
  if ((halo.cross_node_bytes() > 0) != (halo.cross_node_messages() > 0)) ++wrong;
  for (int round = 0; round < 4; ++round) {
    std::vector<TestField>& fields = sets[round % 2];
    reset(grid, fields);
    if (round < 2) {
      halo.exchange(views_of(fields));
    } else {
      exchange_in_steps(halo, views_of(fields), round == 2 ? 2 : 7);
    }
    wrong += wrong_cells(test, grid, fields);
  }
  if (halo.unlike_blocking(views_of(sets[1])) != 0) ++wrong;
  const bool spoiled = spoil(test, grid, sets[1][0]);
  if (halo.unlike_blocking(views_of(sets[1])) < (spoiled ? 1 : 0)) ++wrong;
  return wrong;
}

/// Grids of uneven boxes that are at least three cells thick, on all axes or on one.
std::vector<std::unique_ptr<CartesianGrid>> make_grids(int ranks) {
  struct Periodic {
    bool x, y, z;
  };
  std::vector<std::unique_ptr<CartesianGrid>> grids;
  const auto add = [&](const Int3& cells, const Int3& cut, const Periodic& p) {
    grids.push_back(std::make_unique<CartesianGrid>(MPI_COMM_WORLD, cells,
                                                    CartesianGrid::Options{cut, {p.x, p.y, p.z}}));
  };
  add({13, 14, 17}, {0, 0, 0}, {false, false, false});
  add({13, 14, 17}, {0, 0, 0}, {true, true, true});
  add({16, 13, 14}, {0, 0, 0}, {true, false, true});
  add({3 * ranks + 1, 5, 4}, {ranks, 1, 1}, {true, true, false});
  add({4, 5, 3 * ranks + 1}, {1, 1, ranks}, {false, true, true});
  add({5, 4 * ranks - 1, 3}, {1, ranks, 1}, {false, false, false});
  return grids;
}

/// All transports, packings and widths, with and without edges, in an order in which successive
/// cases differ in everything. The other parameters vary with the number as well.
Case make_case(int number) {
  constexpr Transport transports[] = {Transport::shared_memory, Transport::point_to_point,
                                      Transport::persistent, Transport::neighborhood,
                                      Transport::automatic};
  constexpr Packing packings[] = {Packing::datatypes, Packing::threads, Packing::automatic};
  constexpr int combinations = 5 * 3 * 3 * 2;
  const int round = number / combinations;
  const int n = number % combinations;
  const int width = 1 + (n + n / 15) % 3;
  Case test;
  test.options.transport = transports[n % 5];
  test.options.packing = packings[n % 3];
  test.options.edges_and_corners = (n + n / 45) % 2 == 0;
  test.options.width = (n + round) % 7 == 0 ? 0 : width;
  test.ghost = test.options.width == 0 ? width : width + (n + round) % 2;
  test.fields = 1 + (n + n / 3 + round) % 3;
  test.element = static_cast<Element>((n + n / 4 + round) % 4);
  for (std::size_t s = 0; s < 6; ++s) {
    test.options.sides[s] = ((n + round) >> s) % 2 == 0 ? Side::mirror : Side::fixed;
  }
  return test;
}

}  // namespace

/// Replaces the MPI library's function to split a node into several.
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                   MPI_Comm* result) {
  if (ranks_per_node == 0) return PMPI_Comm_split_type(comm, type, key, info, result);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split(comm, rank / ranks_per_node, key, &node);
  const int code = PMPI_Comm_split_type(node, type, key, info, result);
  MPI_Comm_free(&node);
  return code;
}

/// halo_exchange <first case> <cases> [<ranks per node>]
int main(int argc, char** argv) {
  return plait::guarded("halo_exchange", [&] {
    const plait::Environment environment(argc, argv);
    const int first = argc > 1 ? std::atoi(argv[1]) : 0;
    const int cases = argc > 2 ? std::atoi(argv[2]) : 1;
    ranks_per_node = argc > 3 ? std::atoi(argv[3]) : 0;
    const auto grids = make_grids(environment.size());
    int failures = 0;
    for (int number = first; number < first + cases; ++number) {
      const Case test = make_case(number);
      const CartesianGrid& grid = *grids[static_cast<std::size_t>(number + number / 6) % 6];
      const int wrong = check(grid, test);
      if (wrong == 0) continue;
      ++failures;
      std::fprintf(stderr, "FAILED on rank %d (%d wrong): %s\n", grid.rank(), wrong,
                   test.text(grid).c_str());
    }
    MPI_Allreduce(MPI_IN_PLACE, &messages_between_nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const bool several_nodes = ranks_per_node > 0 && environment.size() > ranks_per_node;
    if (several_nodes != (messages_between_nodes > 0)) ++failures;
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (environment.rank() == 0) std::printf("%d cases, %d failed\n", cases, failures);
    return failures == 0 ? 0 : 1;
  });
}
