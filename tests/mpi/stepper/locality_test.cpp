// SPDX-License-Identifier: BSD-3-Clause
// Tasks that take their blocks from locality queues, on a synthetic machine with two NUMA domains,
// update each cell once and give the serial bits.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "jacobi_case.hpp"
#include "machine/discover.hpp"
#include "plait/environment.hpp"
#include "solve/schedules/core_ownership.hpp"
#include "solve/schedules/stepper_runner.hpp"
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

void steps_equal_serial(plait::solve::PageDomains& pages, Order order, int threads) {
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
                            pages);
    problem.end_of_step();
  }
  expect(problem.differences(reference) == 0,
         "steps through locality queues equal the serial loop");
}

/// On a machine whose hardware threads are each in a domain of their own, bound threads are in as
/// many domains as their team has hardware threads, though the main thread is in one only.
void a_bound_team_has_all_its_domains() {
  Case problem({8, 8, 8}, Ends::periodic, plait::Packing::threads);
  const plait::machine::CpuSet team = plait::solve::cores_of_process(omp_get_max_threads()).cpus;
  const std::string machine = "numa:" + std::to_string(team.last() + 1) + " pu:1";
  setenv("HWLOC_SYNTHETIC", machine.c_str(), 1);
  setenv("HWLOC_THISSYSTEM", "1", 1);
  plait::solve::Runner runner(problem.halo(), plait::Schedule(plait::ScheduleKind::tasks));
  expect(runner.numa_domains().count() == team.count(), "a bound team has all its domains");
}

}  // namespace

int main(int argc, char** argv) {
  plait::Environment environment(argc, argv);
  return plait::guarded("locality_test", [&] {
    if (argc > 1) {
      a_bound_team_has_all_its_domains();
    } else {
      std::size_t looked_up = 0;
      plait::solve::PageDomains pages(
          plait::solve::NumaDomains(plait::machine::discover_synthetic("numa:2 pu:1").topology),
          [&](std::span<void* const> addresses) {
            looked_up += addresses.size();
            return std::vector<int>(addresses.size(), 1);
          });
      expect(pages.domains().count() == 2, "the synthetic machine has two domains");
      blocks_belong_to_the_thread_that_touched_them();
      for (const int threads : {2, 3}) {
        steps_equal_serial(pages, Order::exchange_first, threads);
        steps_equal_serial(pages, Order::boundary_first, threads);
      }
      expect(looked_up > 0, "blocks are tagged with the domains of their pages");
    }
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (environment.rank() == 0 && failures == 0) std::printf("all expectations held\n");
    return failures == 0 ? 0 : 1;
  });
}
