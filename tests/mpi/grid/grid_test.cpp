// SPDX-License-Identifier: BSD-3-Clause
// CartesianGrid on real ranks: boxes tile the grid, neighbours find each other, every map is a
// bijection, and all ranks get the same errors. With the name of an error, ends with that error.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "checks.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/environment.hpp"

namespace {

using plait::Box;
using plait::CartesianGrid;
using plait::Int3;
using plait::RankMap;
using plait::test::Checks;

constexpr std::array all_maps = {RankMap::automatic, RankMap::row_major, RankMap::mpi,
                                 RankMap::node_blocked, RankMap::portfolio};

int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

std::string text(const Int3& v) {
  return std::to_string(v[0]) + "x" + std::to_string(v[1]) + "x" + std::to_string(v[2]);
}

void check_tiles(const CartesianGrid& grid, const std::string& what, Checks& checks) {
  const Int3& cells = grid.cells();
  std::vector<int> covered(static_cast<std::size_t>(Box{{}, cells}.cells()), 0);
  Int3 least = cells;
  Int3 most{};
  for (int rank = 0; rank < grid.size(); ++rank) {
    const Box box = grid.own_of(rank);
    for (int k = box.first[2]; k < box.last[2]; ++k) {
      for (int j = box.first[1]; j < box.last[1]; ++j) {
        for (int i = box.first[0]; i < box.last[0]; ++i) {
          ++covered[static_cast<std::size_t>((k * cells[1] + j) * cells[0] + i)];
        }
      }
    }
    for (std::size_t d = 0; d < 3; ++d) {
      least[d] = std::min(least[d], box.extent(static_cast<int>(d)));
      most[d] = std::max(most[d], box.extent(static_cast<int>(d)));
    }
  }
  checks.expect(std::all_of(covered.begin(), covered.end(), [](int n) { return n == 1; }),
                what + ": boxes tile the grid");
  for (std::size_t d = 0; d < 3; ++d) {
    checks.expect(least[d] >= 1 && most[d] - least[d] <= 1, what + ": boxes are even");
  }
  checks.expect(grid.own() == grid.own_of(grid.rank()), what + ": own box");
  checks.expect(
      grid.own_cells() == Int3{grid.own().extent(0), grid.own().extent(1), grid.own().extent(2)},
      what + ": own cells");
}

void check_map(const CartesianGrid& grid, const std::string& what, Checks& checks) {
  std::vector<int> seen(static_cast<std::size_t>(grid.size()), 0);
  for (int x = 0; x < grid.ranks()[0]; ++x) {
    for (int y = 0; y < grid.ranks()[1]; ++y) {
      for (int z = 0; z < grid.ranks()[2]; ++z) {
        const int rank = grid.rank_at({x, y, z});
        checks.expect(grid.coordinates_of(rank) == Int3{x, y, z}, what + ": there and back");
        ++seen[static_cast<std::size_t>(rank)];
      }
    }
  }
  checks.expect(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }),
                what + ": the map is a bijection");
  checks.expect(grid.map() != RankMap::automatic, what + ": automatic has chosen a map");
  checks.expect(grid.node_of_rank().size() == seen.size() && grid.node_of_rank()[0] == 0,
                what + ": every rank has a node");
  if (*std::max_element(grid.node_of_rank().begin(), grid.node_of_rank().end()) == 0) {
    checks.expect(grid.cross_node_cells() == 0, what + ": nothing leaves the only node");
  }
}

/// Every rank sends its neighbours and its report to all others over the grid's communicator; they
/// must agree.
void check_agreement(const CartesianGrid& grid, const std::string& what, Checks& checks) {
  static constexpr std::array offsets = {Int3{1, 0, 0},  Int3{0, 1, 0},  Int3{0, 0, 1},
                                         Int3{-1, 1, 0}, Int3{1, -1, 1}, Int3{2, 0, 0}};
  struct Facts {
    int rank;
    std::uint64_t report;
    std::array<int, offsets.size()> to, from;
  };
  Facts own{grid.rank(), std::hash<std::string>()(grid.report()), {}, {}};
  for (std::size_t n = 0; n < offsets.size(); ++n) {
    const Int3& there = offsets[n];
    own.to[n] = grid.neighbour(there);
    own.from[n] = grid.neighbour({-there[0], -there[1], -there[2]});
    // Outside only where an open axis ends.
    bool outside = false;
    for (std::size_t d = 0; d < 3; ++d) {
      const int c = grid.coordinates()[d] + there[d];
      outside = outside || (!grid.periodic()[d] && (c < 0 || c >= grid.ranks()[d]));
    }
    checks.expect((own.to[n] == MPI_PROC_NULL) == outside, what + ": ends at " + text(there));
  }
  std::vector<Facts> all(static_cast<std::size_t>(grid.size()));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, grid.comm());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    checks.expect(all[rank].rank == static_cast<int>(rank), what + ": ranks of the communicator");
    checks.expect(all[rank].report == own.report, what + ": the same report everywhere");
  }
  for (std::size_t n = 0; n < offsets.size(); ++n) {
    if (own.to[n] == MPI_PROC_NULL) continue;
    checks.expect(all[static_cast<std::size_t>(own.to[n])].from[n] == grid.rank(),
                  what + ": neighbours at " + text(offsets[n]));
  }
}

void check_grid(const Int3& cells, const CartesianGrid::Options& options, Checks& checks) {
  const CartesianGrid grid(MPI_COMM_WORLD, cells, options);
  const std::string what =
      text(cells) + " cells on " + text(grid.ranks()) + " ranks, " + to_string(options.map);
  checks.expect(grid.map() == options.map || options.map == RankMap::automatic, what + ": map");
  for (std::size_t d = 0; d < 3; ++d) {
    checks.expect(options.ranks[d] == 0 || options.ranks[d] == grid.ranks()[d], what + ": ranks");
  }
  checks.expect(grid.size() == world_size(), what + ": all ranks");
  check_tiles(grid, what, checks);
  check_map(grid, what, checks);
  check_agreement(grid, what, checks);
}

void check_grids(Checks& checks) {
  for (const RankMap map : all_maps) {
    check_grid({13, 11, 9}, {{0, 0, 0}, {false, true, true}, map}, checks);
    check_grid({9, 8, 10}, {{1, 1, 0}, {false, false, true}, map}, checks);
    check_grid({8, 8, 8}, {{world_size(), 1, 1}, {true, false, false}, map}, checks);
  }
  check_grid({40, 1, 1}, {}, checks);
  check_grid({11, 13, 17}, {{0, 0, 0}, {true, true, true}, RankMap::automatic}, checks);
  // With the same ranks along each axis, automatic sends no more between nodes than any map.
  const CartesianGrid chosen(MPI_COMM_WORLD, {24, 20, 16});
  for (const RankMap map : all_maps) {
    const CartesianGrid other(MPI_COMM_WORLD, {24, 20, 16}, {chosen.ranks(), {}, map});
    checks.expect(chosen.cross_node_cells() <= other.cross_node_cells(),
                  "automatic is not worse than " + to_string(map));
  }
}

/// Stengel's map itself, and a grid with it: coordinates and neighbours.
void check_given_map(Checks& checks) {
  const CartesianGrid chosen(MPI_COMM_WORLD, {24, 20, 16});
  const std::array<bool, 3> periodic{true, false, true};
  const plait::SubdomainMap map(chosen.ranks(), {1, 2, 2}, periodic);
  const CartesianGrid grid(MPI_COMM_WORLD, {24, 20, 16},
                           {map.dims(), periodic, RankMap::given, map.coordinates()});
  const std::string what = "given " + text(map.dims());
  check_tiles(grid, what, checks);
  check_map(grid, what, checks);
  check_agreement(grid, what, checks);
  checks.expect(grid.coordinates() == map.coordinates_of(grid.rank()), what + ": coordinates");
  for (const Int3& offset : {Int3{0, 0, 1}, Int3{0, 1, 0}, Int3{-1, -1, 0}, Int3{2, 0, 1}}) {
    checks.expect(grid.neighbour(offset) == map.neighbor_rank(grid.rank(), offset),
                  what + ": neighbour at " + text(offset));
  }
}

/// Creates an impossible grid. `different`: only some ranks request it.
void make_bad_grid(const std::string& error) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int ranks = world_size();
  if (error == "more_ranks_than_cells") {
    CartesianGrid(MPI_COMM_WORLD, {ranks - 1, 1, 1});
  } else if (error == "product") {
    CartesianGrid(MPI_COMM_WORLD, {64, 64, 64}, {{ranks + 1, 1, 1}});
  } else if (error == "thin_axis") {
    CartesianGrid(MPI_COMM_WORLD, {64, 64, ranks - 1}, {{1, 1, ranks}});
  } else if (error == "no_cells") {
    CartesianGrid(MPI_COMM_WORLD, {64, 0, 64});
  } else if (error == "twice") {
    const std::vector<Int3> same(static_cast<std::size_t>(ranks), Int3{});
    CartesianGrid(MPI_COMM_WORLD, {64, 64, 64}, {{ranks, 1, 1}, {}, RankMap::given, same});
  } else if (error == "too_few") {
    CartesianGrid(MPI_COMM_WORLD, {64, 64, 64}, {{ranks, 1, 1}, {}, RankMap::given});
  } else if (error == "different") {
    CartesianGrid(MPI_COMM_WORLD, {64, 64, rank == ranks - 1 ? 32 : 64});
  }
}

void check_errors(Checks& checks) {
  for (const std::string error : {"more_ranks_than_cells", "product", "thin_axis", "no_cells",
                                  "twice", "too_few", "different"}) {
    if (world_size() == 1 && (error == "different" || error == "twice")) continue;
    std::array<char, 400> message{};
    try {
      make_bad_grid(error);
    } catch (const plait::CollectiveError& e) {
      std::snprintf(message.data(), message.size(), "%s", e.what());
    }
    checks.expect(message[0] != '\0', error + ": an error on every rank");
    if (error == "different") continue;  // each rank names its own cells
    std::array<char, 400> first = message;
    MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    checks.expect(first == message, error + ": the same text everywhere");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const plait::Environment environment(argc, argv);
  return plait::guarded("grid", [&] {
    if (argc > 1) {
      make_bad_grid(argv[1]);
      return 0;
    }
    Checks checks;
    check_grids(checks);
    check_given_map(checks);
    check_errors(checks);
    return checks.finish("grid");
  });
}
