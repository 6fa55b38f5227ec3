// SPDX-License-Identifier: BSD-3-Clause
// Bad input to a halo: every rank gets the same clear error and can continue.
#include <mpi.h>

#include <cstdio>
#include <functional>
#include <string>

#include "halo_case.hpp"
#include "plait/environment.hpp"

namespace {

using namespace halo_test;
using plait::CartesianGrid;
using plait::Halo;

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
}

/// `make` must throw a CollectiveError that contains `text` on this rank.
void expect_error(const std::string& text, const std::function<void()>& make) {
  try {
    make();
    expect(false, "no error with: " + text);
  } catch (const plait::CollectiveError& error) {
    expect(std::string(error.what()).find(text) != std::string::npos,
           text + " is not in: " + error.what());
  }
}

void errors_of_the_plan(const CartesianGrid& grid) {
  const Int3 own = grid.own_cells();
  const bool last = grid.rank() == grid.size() - 1;
  const TestField good(own, 3, Element::full);
  const TestField other(last ? Int3{own[0] + 1, own[1], own[2]} : own, 3, Element::full);
  const TestField shallow(own, last ? 1 : 3, Element::full);
  plait::FieldView flat = good.view();
  flat.stride_z = flat.stride_y;
  Halo::Options options;

  expect_error("no field given",
               [&] { const Halo halo(grid, std::span<const plait::FieldView>(), options); });
  expect_error("cells: this rank's box has", [&] { const Halo halo(grid, other.view()); });
  expect_error("planes of", [&] { const Halo halo(grid, flat); });
  options.width = -1;
  expect_error("the width is negative", [&] { const Halo halo(grid, good.view(), options); });
  options.width = 2;
  expect_error("give the field more ghost layers",
               [&] { const Halo halo(grid, shallow.view(), options); });
  if (grid.size() > 1) {
    options.width = last ? 2 : 1;
    expect_error("the ranks disagree on the width",
                 [&] { const Halo halo(grid, good.view(), options); });
  }
}

void thin_boxes() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // The last ranks have two cells along z.
  const CartesianGrid grid(MPI_COMM_WORLD, {4, 4, 3 * ranks - 1},
                           {{1, 1, ranks}, {false, false, true}});
  const TestField field(grid.own_cells(), 3, Element::full);
  expect_error("is thinner than the halo along z", [&] { const Halo halo(grid, field.view()); });
  Halo::Options options;
  options.width = 2;
  const Halo halo(grid, field.view(), options);
  expect(halo.width() == 2, "a narrower halo fits");
}

void errors_of_an_exchange(const CartesianGrid& grid) {
  const TestField field(grid.own_cells(), 2, Element::full);
  const TestField single(grid.own_cells(), 2, Element::single);
  Halo halo(grid, field.view());
  for (const auto& views :
       {std::vector<plait::FieldView>{}, std::vector<plait::FieldView>{field.view(), field.view()},
        std::vector<plait::FieldView>{single.view()}}) {
    try {
      halo.begin(views);
      expect(false, "fields that were not planned for are accepted");
    } catch (const plait::Error& error) {
      expect(std::string(error.what()).find("planned for a") != std::string::npos, error.what());
    }
  }
  halo.exchange(field.view());  // the errors have no effect on the halo
}

/// Calls of start() and finish() that do not match, and halos destroyed during an exchange.
void unpaired_halves(const CartesianGrid& grid) {
  const TestField field(grid.own_cells(), 2, Element::full);
  const auto expect_local = [](const std::string& text, const std::function<void()>& call) {
    try {
      call();
      expect(false, "no error with: " + text);
    } catch (const plait::Error& error) {
      expect(std::string(error.what()).find(text) != std::string::npos, error.what());
    }
  };
  for (const plait::Transport transport :
       {plait::Transport::point_to_point, plait::Transport::persistent,
        plait::Transport::neighborhood, plait::Transport::shared_memory}) {
    Halo::Options options;
    options.transport = transport;
    Halo halo(grid, field.view(), options);
    expect_local("no exchange has been started", [&] { halo.finish(); });
    halo.start(field.view());
    expect_local("has not finished", [&] { halo.start(field.view()); });
    halo.finish();
    expect_local("no exchange has been started", [&] { halo.finish(); });
    for (int round = 0; round < 3; ++round) {
      Halo abandoned(grid, field.view(), options);
      abandoned.start(field.view());
    }
    halo.exchange(field.view());
  }
}

void names() {
  expect(plait::parse_transport("shared_memory") == plait::Transport::shared_memory, "a transport");
  expect(to_string(plait::Packing::datatypes) == "datatypes", "a packing");
  try {
    plait::parse_transport("pigeon");
    expect(false, "pigeon is a transport");
  } catch (const plait::Error& error) {
    expect(std::string(error.what()) ==
               "transport \"pigeon\": unknown; use one of automatic, point_to_point, persistent, "
               "neighborhood, shared_memory",
           error.what());
  }
}

/// The properties of a halo on a grid cut along z only.
void counts() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const CartesianGrid grid(MPI_COMM_WORLD, {8, 6, 4 * ranks}, {{1, 1, ranks}, {}});
  const TestField field(grid.own_cells(), 1, Element::full);
  Halo::Options options;
  options.sides[0] = Side::mirror;
  const Halo halo(grid, field.view(), options);
  const bool first = grid.rank() == 0;
  const bool last = grid.rank() == ranks - 1;
  const int neighbours = 2 - int{first} - int{last};
  expect(halo.neighbours() == neighbours, "neighbours");
  expect(halo.bytes() == neighbours * 8 * 6 * 8, "bytes");
  expect(halo.cross_node_bytes() <= halo.bytes(), "bytes between nodes");
  const Box interior{{1, 0, first ? 0 : 1}, {8, 6, last ? 4 : 3}};
  expect(halo.interior() == interior, "interior");
  std::int64_t cells = interior.cells();
  for (const Box& box : halo.boundary()) cells += box.cells();
  expect(cells == halo.own().cells(), "boundary");
}

}  // namespace

int main(int argc, char** argv) {
  return plait::guarded("halo errors", [&] {
    const plait::Environment environment(argc, argv);
    {
      const CartesianGrid grid(MPI_COMM_WORLD, {13, 14, 17});
      errors_of_the_plan(grid);
      errors_of_an_exchange(grid);
      unpaired_halves(grid);
    }
    thin_boxes();
    counts();
    names();
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return failures == 0 ? 0 : 1;
  });
}
