// SPDX-License-Identifier: BSD-3-Clause
// Tasks that take their blocks from locality queues, on a synthetic machine with two NUMA domains,
// update each cell once and give the serial bits.
#include <omp.h>

#include <cstdio>
#include <vector>

#include "jacobi_case.hpp"
#include "machine/discover.hpp"
#include "plait/environment.hpp"
#include "solve/schedules/tasks.hpp"

namespace {

using plait::Box;
using plait::solve::Order;
using plait::test::Case;
using plait::test::Ends;
using plait::test::SerialJacobi;

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  ++failures;
  std::printf("FAILED: %s\n", what);
}

void blocks_belong_to_the_thread_that_touched_them() {
  const Box own{{0, 0, 0}, {10, 4, 8}};
  const std::vector<int> domain_of_thread{0, 0, 1, 1};
  const auto domain = [&](int j, int k) {
    return plait::solve::domain_of_block({{0, j, k}, {10, j + 1, k + 1}}, own, domain_of_thread);
  };
  expect(domain(0, 0) == 0 && domain(3, 3) == 0, "the first half of the rows is in domain 0");
  expect(domain(0, 4) == 1 && domain(3, 7) == 1, "the second half of the rows is in domain 1");
}

void steps_equal_serial(const plait::solve::NumaDomains& domains, Order order, int threads) {
  const plait::Int3 cells{13, 11, 9};
  Case problem(cells, Ends::periodic, plait::Packing::threads);
  SerialJacobi reference(cells, Ends::periodic);
  const plait::solve::Cells parts(problem.halo());
  plait::solve::Waiter waiter(plait::Wait::sleep, {}, false);
  problem.reset();
  for (int step = 0; step < 4; ++step) {
    reference.step();
    const plait::FieldView field = order == Order::exchange_first ? problem.now() : problem.next();
    const plait::Stepper::Update update = [&](const Box& box) { problem.update(box); };
    plait::solve::run_tasks({problem.halo(), std::span(&field, 1), update, order, threads, parts,
                             plait::Int3{0, 3, 2}, waiter},
                            domains);
    problem.end_of_step();
  }
  expect(problem.differences(reference) == 0,
         "steps through locality queues equal the serial loop");
}

}  // namespace

int main(int argc, char** argv) {
  plait::Environment environment(argc, argv);
  return plait::guarded("locality_test", [&] {
    const plait::solve::NumaDomains domains(
        plait::machine::discover_synthetic("numa:2 pu:1").topology);
    expect(domains.count() == 2, "the synthetic machine has two domains");
    blocks_belong_to_the_thread_that_touched_them();
    for (const int threads : {2, 3}) {
      steps_equal_serial(domains, Order::exchange_first, threads);
      steps_equal_serial(domains, Order::boundary_first, threads);
    }
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (environment.rank() == 0 && failures == 0) std::printf("all expectations held\n");
    return failures == 0 ? 0 : 1;
  });
}
