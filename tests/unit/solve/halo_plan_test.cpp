// SPDX-License-Identifier: BSD-3-Clause
// Plans of halos on simulated ranks: who sends what to whom, and whether every ghost gets its
// value.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <tuple>

#include "solve/halo/messages.hpp"
#include "solve/halo/plan.hpp"

namespace plait::solve {
namespace {

/// A grid of ranks without MPI: uneven boxes, wrapped where periodic.
struct Grid {
  std::array<std::vector<int>, 3> begins;  ///< first cell of each box, then the number of cells
  std::array<bool, 3> periodic{};
  std::array<Side, 6> sides{};
  int width = 1;
  bool corners = false;

  [[nodiscard]] int ranks(std::size_t d) const { return static_cast<int>(begins[d].size()) - 1; }
  [[nodiscard]] int size() const { return ranks(0) * ranks(1) * ranks(2); }
  [[nodiscard]] int cells(std::size_t d) const { return begins[d].back(); }
  [[nodiscard]] Int3 coordinates(int rank) const {
    return {rank % ranks(0), rank / ranks(0) % ranks(1), rank / (ranks(0) * ranks(1))};
  }
  [[nodiscard]] int rank_at(Int3 c) const {
    for (std::size_t d = 0; d < 3; ++d) {
      if (periodic[d]) c[d] = (c[d] + ranks(d)) % ranks(d);
      if (c[d] < 0 || c[d] >= ranks(d)) return no_rank;
    }
    return c[0] + ranks(0) * (c[1] + ranks(1) * c[2]);
  }
  [[nodiscard]] Int3 first(int rank) const {
    Int3 result{};
    for (std::size_t d = 0; d < 3; ++d) {
      result[d] = begins[d][static_cast<std::size_t>(coordinates(rank)[d])];
    }
    return result;
  }
  [[nodiscard]] HaloShape shape(int rank) const {
    HaloShape shape;
    shape.width = width;
    shape.edges_and_corners = corners;
    shape.sides = sides;
    shape.rank = rank;
    const Int3 c = coordinates(rank);
    for (std::size_t d = 0; d < 3; ++d) {
      const auto i = static_cast<std::size_t>(c[d]);
      shape.own[d] = begins[d][i + 1] - begins[d][i];
    }
    for (int index = 0; index < 27; ++index) {
      const Int3 o = direction_at(index);
      shape.neighbour[static_cast<std::size_t>(index)] =
          rank_at({c[0] + o[0], c[1] + o[1], c[2] + o[2]});
    }
    return shape;
  }
};

/// A random grid of up to four ranks along each axis with boxes at least as thick as the halo.
Grid any_grid(std::mt19937& random) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Grid grid;
  grid.width = pick(1, 3);
  grid.corners = pick(0, 1) == 1;
  for (std::size_t d = 0; d < 3; ++d) {
    grid.periodic[d] = pick(0, 1) == 1;
    grid.begins[d] = {0};
    for (int boxes = pick(1, d == 0 ? 4 : 3); boxes > 0; --boxes) {
      grid.begins[d].push_back(grid.begins[d].back() + grid.width + pick(0, 2));
    }
  }
  for (Side& side : grid.sides) side = pick(0, 1) == 1 ? Side::mirror : Side::fixed;
  return grid;
}

constexpr int grids = 150;

TEST(HaloPlan, DirectionsHaveIndicesAndOpposites) {
  for (int index = 0; index < 27; ++index) {
    EXPECT_EQ(direction_index(direction_at(index)), index);
    EXPECT_EQ(direction_index(opposite(direction_at(index))), 26 - index);
  }
  EXPECT_EQ(halo_directions(false).size(), 6U);
  EXPECT_EQ(halo_directions(true).size(), 26U);
}

TEST(HaloPlan, OneRankReceivesWhatTheOtherSends) {
  std::mt19937 random(1);
  for (int n = 0; n < grids; ++n) {
    const Grid grid = any_grid(random);
    std::map<std::pair<int, int>, std::vector<Int3>> sent;
    std::map<std::pair<int, int>, std::vector<Int3>> received;
    for (int rank = 0; rank < grid.size(); ++rank) {
      const HaloShape shape = grid.shape(rank);
      ASSERT_EQ(thin_axis(shape), -1);
      for (const HaloPeer& peer : halo_peers(shape)) {
        EXPECT_NE(peer.rank, rank);
        for (const Int3& direction : peer.send) {
          const Box box = send_box(shape, direction);
          sent[{rank, peer.rank}].push_back({box.extent(0), box.extent(1), box.extent(2)});
          EXPECT_EQ(intersection(box, {{0, 0, 0}, shape.own}), box) << "only own cells";
        }
        for (const Int3& direction : peer.receive) {
          const Box box = ghost_box(shape, direction);
          received[{peer.rank, rank}].push_back({box.extent(0), box.extent(1), box.extent(2)});
          EXPECT_TRUE(intersection(box, {{0, 0, 0}, shape.own}).empty()) << "only ghosts";
        }
      }
    }
    EXPECT_EQ(sent, received);
  }
}

TEST(HaloPlan, EachGhostIsFilledOnce) {
  std::mt19937 random(2);
  for (int n = 0; n < grids; ++n) {
    const Grid grid = any_grid(random);
    for (int rank = 0; rank < grid.size(); ++rank) {
      const HaloShape shape = grid.shape(rank);
      std::map<Int3, int> filled;
      for (const GhostFill& fill : ghost_fills(shape, halo_peers(shape))) ++filled[fill.ghost];
      for (const auto& [direction, times] : filled) EXPECT_EQ(times, 1);
      for (const Int3& direction : halo_directions(grid.corners)) {
        bool mirror = false;
        for (std::size_t d = 0; d < 3; ++d) {
          mirror |=
              direction[d] != 0 && shape.mirrored(static_cast<int>(d), direction[d] > 0 ? 1 : 0);
        }
        const bool comes = shape.neighbour_at(direction) != no_rank;
        EXPECT_EQ(filled.count(direction), comes || mirror ? 1U : 0U);
      }
    }
  }
}

/// A field of one rank with padded memory.
struct RankField {
  RankField(const Int3& own, int ghost) {
    view.element_bytes = sizeof(double);
    view.own = own;
    view.ghost = ghost;
    view.stride_y = own[0] + 2 * ghost;
    view.stride_z = view.stride_y * (own[1] + 2 * ghost) + 1;
    memory.resize(static_cast<std::size_t>(view.stride_z) *
                  static_cast<std::size_t>(own[2] + 2 * ghost));
    view.origin = memory.data() + ghost * (1 + view.stride_y + view.stride_z);
  }
  double& operator()(const Int3& c) {
    return *reinterpret_cast<double*>(view.at(c[0], c[1], c[2]));
  }
  std::vector<double> memory;
  FieldView view;
};

template <class Use>
void each(const Box& box, Use&& use) {
  for (int k = box.first[2]; k < box.last[2]; ++k) {
    for (int j = box.first[1]; j < box.last[1]; ++j) {
      for (int i = box.first[0]; i < box.last[0]; ++i) use(Int3{i, j, k});
    }
  }
}

/// The value that a ghost must get; 0 if it is not filled.
double value_of_ghost(const Grid& grid, int rank, const HaloShape& shape, Int3 cell) {
  int beyond = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const int upper = cell[d] < 0 ? 0 : 1;
    if (cell[d] >= 0 && cell[d] < shape.own[d]) continue;
    ++beyond;
    if (!shape.open(static_cast<int>(d), upper)) continue;
    if (!shape.mirrored(static_cast<int>(d), upper)) return 0;
    cell[d] = (upper == 0 ? -1 : 2 * shape.own[d] - 1) - cell[d];
  }
  if (beyond > 1 && !grid.corners) return 0;
  for (std::size_t d = 0; d < 3; ++d) {
    cell[d] = (cell[d] + grid.first(rank)[d] + grid.cells(d)) % grid.cells(d);
  }
  return 1 + cell[0] + 100 * cell[1] + 10000 * cell[2];
}

TEST(HaloMessages, BringEveryGhostItsValueInAnyNumberOfParts) {
  std::mt19937 random(3);
  for (int n = 0; n < grids; ++n) {
    const Grid grid = any_grid(random);
    std::vector<HaloShape> shapes;
    std::vector<RankField> fields;
    std::vector<std::vector<HaloMessage>> messages;
    std::map<std::tuple<int, int>, std::vector<std::byte>> wire;  // from, to
    const int parts = 1 + n % 5;
    for (int rank = 0; rank < grid.size(); ++rank) {
      const HaloShape shape = grid.shape(rank);
      RankField field(shape.own, grid.width);
      each({{0, 0, 0}, shape.own},
           [&](const Int3& cell) { field(cell) = value_of_ghost(grid, rank, shape, cell); });
      messages.push_back(halo_messages(shape, std::span(&field.view, 1)));
      std::vector<std::byte*> memory{static_cast<std::byte*>(field.view.origin)};
      for (const HaloMessage& message : messages.back()) {
        auto& bytes = wire[{rank, message.peer.rank}];
        bytes.resize(static_cast<std::size_t>(message.bytes));
        memory.push_back(bytes.data());
      }
      const CopyList pack = pack_copies(shape, std::span(&field.view, 1), messages.back(),
                                        std::vector<bool>(messages.back().size(), true));
      for (int part = parts - 1; part >= 0; --part) pack.run(memory, part, parts);
      shapes.push_back(shape);
      fields.push_back(std::move(field));
    }
    for (int rank = 0; rank < grid.size(); ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      const FieldView& view = fields[r].view;
      std::vector<std::byte*> memory{static_cast<std::byte*>(view.origin)};
      for (const HaloMessage& message : messages[r]) {
        auto& bytes = wire.at({message.peer.rank, rank});
        ASSERT_EQ(static_cast<std::int64_t>(bytes.size()), message.bytes);
        memory.push_back(bytes.data());
      }
      const CopyList unpack = unpack_copies(shapes[r], std::span(&view, 1), messages[r],
                                            std::vector<bool>(messages[r].size(), true));
      for (int part = parts - 1; part >= 0; --part) unpack.run(memory, part, parts);
      int wrong = 0;
      each(grown({{0, 0, 0}, shapes[r].own}, grid.width), [&](const Int3& cell) {
        if (fields[r](cell) != value_of_ghost(grid, rank, shapes[r], cell)) ++wrong;
      });
      EXPECT_EQ(wrong, 0) << "rank " << rank << " of grid " << n;
    }
  }
}

TEST(HaloPlan, InteriorAndBoundaryAreTheOwnCells) {
  std::mt19937 random(4);
  for (int n = 0; n < grids; ++n) {
    const Grid grid = any_grid(random);
    for (int rank = 0; rank < grid.size(); ++rank) {
      const HaloShape shape = grid.shape(rank);
      const Box own{{0, 0, 0}, shape.own};
      const Box interior = halo_interior(shape);
      const std::vector<Box> boundary = halo_boundary(own, interior);
      EXPECT_LE(boundary.size(), 6U);
      each(own, [&](const Int3& cell) {
        int boxes = interior.contains(cell) ? 1 : 0;
        for (const Box& box : boundary) boxes += box.contains(cell) ? 1 : 0;
        EXPECT_EQ(boxes, 1);
        bool far = true;
        for (int axis = 0; axis < 3; ++axis) {
          const auto d = static_cast<std::size_t>(axis);
          const auto needs = [&](int upper) {
            return !shape.open(axis, upper) || shape.mirrored(axis, upper);
          };
          far &= !needs(0) || cell[d] >= shape.width;
          far &= !needs(1) || cell[d] < shape.own[d] - shape.width;
        }
        EXPECT_EQ(interior.contains(cell), far);
      });
    }
  }
}

TEST(HaloPlan, AThinBoxMattersOnlyIfGhostsAreFilledFromIt) {
  Grid grid;
  grid.begins = {std::vector<int>{0, 5}, std::vector<int>{0, 1}, std::vector<int>{0, 2, 5}};
  grid.width = 2;
  EXPECT_EQ(thin_axis(grid.shape(0)), -1) << "one cell along y, between fixed sides";
  grid.sides[3] = Side::mirror;
  EXPECT_EQ(thin_axis(grid.shape(0)), 1);
  grid.sides[3] = Side::fixed;
  grid.periodic[1] = true;
  EXPECT_EQ(thin_axis(grid.shape(0)), 1);
  grid.periodic[1] = false;
  grid.width = 3;
  EXPECT_EQ(thin_axis(grid.shape(0)), 2);
  EXPECT_EQ(thin_axis(grid.shape(1)), -1);
}

}  // namespace
}  // namespace plait::solve
