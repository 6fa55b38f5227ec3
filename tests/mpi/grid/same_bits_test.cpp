// SPDX-License-Identifier: BSD-3-Clause
// Jacobi steps under every rank map, including a given one, equal the serial ones bit for bit.
#include "checks.hpp"
#include "plait/environment.hpp"
#include "stepper/jacobi_case.hpp"

namespace {

using plait::Int3;
using plait::RankMap;
using plait::test::Case;
using plait::test::Checks;
using plait::test::Ends;

constexpr Int3 cells{17, 12, 10};
constexpr int steps = 3;

void check_bits(Ends ends, const plait::CartesianGrid::Options& options, Checks& checks) {
  plait::test::SerialJacobi serial(cells, ends);
  Case run(cells, ends, plait::Packing::automatic, options);
  run.reset();
  plait::Stepper stepper(run.halo(), plait::Schedule::parse("blocking"));
  for (int step = 0; step < steps; ++step) {
    serial.step();
    run.step(stepper);
  }
  checks.expect(run.differences(serial) == 0,
                "the serial bits with " + to_string(run.grid().map()) + ", " + to_string(ends));
}

void check_maps(Checks& checks) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const Ends ends : {Ends::fixed, Ends::periodic}) {
    for (const RankMap map : {RankMap::node_blocked, RankMap::portfolio}) {
      check_bits(ends, {{0, 0, 0}, {}, map}, checks);
    }
    // Ranks in reverse order along the grid.
    const plait::SubdomainMap forwards({size, 1, 1}, {1, 1, 1});
    const std::vector<Int3> backwards(forwards.coordinates().rbegin(),
                                      forwards.coordinates().rend());
    check_bits(ends, {forwards.dims(), {}, RankMap::given, backwards}, checks);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const plait::Environment environment(argc, argv);
  return plait::guarded("same_bits", [] {
    Checks checks;
    check_maps(checks);
    return checks.finish("same_bits");
  });
}
