// SPDX-License-Identifier: BSD-3-Clause
// One run on some ranks, and series of runs in one launch.
#include "series.hpp"

#include <omp.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "fftw.hpp"
#include "first_ranks.hpp"
#include "node_memory.hpp"
#include "plait/environment.hpp"
#include "ranks.hpp"
#include "report.hpp"
#include "three_slabs.hpp"

namespace plait::boussinesq {
namespace {

Schedule schedule_of(const Options& options) {
  return options.schedule.empty() ? Schedule::from_environment()
                                  : Schedule::parse(options.schedule);
}

RankOptions rank_options(const Options& options) {
  RankOptions made;
  made.pencils = options.pencils;
  made.schedule = schedule_of(options);
  if (!options.transport.empty()) made.transport = parse_transpose_transport(options.transport);
  made.chunks = options.chunks;
  return made;
}

/// Turns errors that all ranks throw alike into errors that one rank prints.
template <class Body>
auto collectively(const Body& body) {
  try {
    return body();
  } catch (const CollectiveError&) {
    throw;
  } catch (const CommonError& error) {
    throw CollectiveError(error);
  }
}

std::uint64_t checksum_on_one(const Options& options) {
  OneProcess process(options.flow.grid, plane_inputs(options.flow.subgrid));
  Options quiet = options;
  quiet.checkpoint.clear();
  quiet.output.clear();
  quiet.picture.clear();
  Flow flow(process, options.flow);
  return simulate(flow, quiet, {}).checksum;
}

/// Compares with a run on the first rank alone. Collective.
bool equal_to_one(MPI_Comm comm, const Options& options, std::uint64_t checksum) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::uint64_t expected = checksum;
  if (rank == 0) expected = checksum_on_one(options);
  int equal = expected == checksum ? 1 : 0;
  MPI_Bcast(&equal, 1, MPI_INT, 0, comm);
  return equal == 1;
}

void describe(MPI_Comm comm, const Ranks& ranks, Result& result) {
  result.schedule = to_string(ranks.stepper().schedule().kind);
  result.transport = ranks.transport();
  result.explanation = ranks.stepper().explain();
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  if (!result.options.paper_layout) {
    result.sent_bytes = ranks.sent_bytes();
    result.cross_node_bytes = ranks.cross_node_bytes();
    result.plane_bytes = ranks.plane_bytes();
    result.message_bytes = ranks.message_bytes();
  }
  std::int64_t sums[] = {result.sent_bytes,  result.cross_node_bytes, result.field_bytes,
                         result.plane_bytes, result.message_bytes,    result.thread_bytes};
  MPI_Allreduce(MPI_IN_PLACE, sums, 6, MPI_INT64_T, MPI_SUM, comm);
  result.sent_bytes = sums[0];
  result.cross_node_bytes = sums[1];
  result.field_bytes = sums[2];
  result.plane_bytes = sums[3];
  result.message_bytes = sums[4];
  result.thread_bytes = sums[5];
  std::int64_t largest[] = {result.start_bytes, usage.ru_maxrss * std::int64_t{1024}};
  MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_INT64_T, MPI_MAX, comm);
  result.start_bytes = largest[0];
  result.resident_bytes = largest[1];
  // The slowest rank is the time of the run.
  double* const times[] = {&result.seconds, &result.least_seconds, &result.transform_seconds,
                           &result.column_seconds, &result.wait_seconds};
  for (double* time : times) MPI_Allreduce(MPI_IN_PLACE, time, 1, MPI_DOUBLE, MPI_MAX, comm);
}

/// Least seconds of some calls, of the slowest rank in each. Collective.
/// @param prepare  is called before each, and not timed
double least_seconds(
    MPI_Comm comm, const std::function<void()>& call,
    const std::function<void()>& prepare = [] {}) {
  double least = 0;
  for (int repetition = 0; repetition < 7; ++repetition) {
    prepare();
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    call();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (repetition == 0 || seconds < least) least = seconds;
  }
  return least;
}

/// The parts of a step, each alone: transforms of all planes, transposes, and 60 passes of reading
/// or writing a field of modes, the least that the columns need. Each pass is through another array
/// than the one before, so that caches hold no more of it than in a step. Then the transforms with
/// their products. Overwrites derived fields.
StepParts measure_parts(MPI_Comm comm, Ranks& ranks, Flow& flow) {
  const RowKernel nothing = [](const RowGroup&, Lanes* const*, Lanes* const*) {};
  const auto count = static_cast<std::int64_t>(ranks.block().elements());
  const Columns::Arrays& arrays = flow.arrays();
  std::vector<const Complex*> sources(arrays.state.begin(), arrays.state.end());
  sources.insert(sources.end(), arrays.tendency.begin(), arrays.tendency.end());
  const auto copies = [&] {
    for (std::size_t n = 0; n < 30; ++n) {
      const Complex* from = sources[n % sources.size()];
      Complex* to = arrays.derived[n % arrays.derived.size()];
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
    }
  };
  // The products of products would soon be infinite.
  const auto move = [&] { flow.transform({}); };
  return {least_seconds(comm, [&] { ranks.transform_planes(nothing); }), least_seconds(comm, move),
          least_seconds(comm, copies),
          least_seconds(
              comm, [&] { ranks.transform_planes(flow.products()); }, move)};
}

/// The same steps in the paper's layouts. Collective.
Result simulate_paper(MPI_Comm comm, Ranks& ranks, Flow& flow, const Options& options,
                      const RankOptions& made, const std::function<void(const Sample&)>& print) {
  Result result;
  result.options = options;
  result.ranks = ranks.size();
  const auto sample = [&](std::int64_t step, double time, const Flow& at) {
    result.samples.push_back({step, time, measure(at), {result.seconds, 0, 0}});
    if (ranks.rank() == 0) print(result.samples.back());
  };
  set_initial(flow, options);
  sample(0, 0, flow);
  ThreeSlabs slabs(comm, flow, made);
  double time = 0;
  const std::int64_t sent_before = slabs.sent_bytes();
  for (; result.steps < options.steps && time < options.until * (1 - 1e-12); ++result.steps) {
    const auto& steps = options.flow.steps;
    const double step = std::min(steps[static_cast<std::size_t>(result.steps) % steps.size()],
                                 options.until - time);
    const double start = MPI_Wtime();
    slabs.advance(step);
    const double seconds = MPI_Wtime() - start;
    result.seconds += seconds;
    if (result.steps == 0 || seconds < result.least_seconds) result.least_seconds = seconds;
    time += step;
  }
  if (result.steps > 0) {
    // The first step has two tendencies.
    result.sent_bytes = (slabs.sent_bytes() - sent_before) / (result.steps + 1);
  }
  result.field_bytes = slabs.array_bytes();
  result.message_bytes = slabs.message_bytes();
  Flow end(ranks, options.flow);
  slabs.give(end);
  sample(result.steps, time, end);
  result.checksum = checksum(end);
  return result;
}

std::vector<RunSize> sizes_of(const Options& options, int ranks) {
  if (!options.hybrid.empty()) return options.hybrid;
  std::vector<RunSize> sizes;
  for (const int count : rank_counts(ranks, false)) sizes.push_back({count, options.threads});
  return sizes;
}

/// Speedup and efficiency compare steps per second with those of the first run.
void print_line(const Result& result, const Result& first) {
  const auto cores = [](const Result& run) { return run.ranks * run.options.threads; };
  const std::string cells = speedup_cells(first.seconds_per_step() / result.seconds_per_step(),
                                          static_cast<double>(cores(result)) / cores(first));
  std::printf("%5d %7d %5d %10.3f%s %9.1f %s %s\n", result.ranks, result.options.threads,
              cores(result), 1e3 * result.seconds_per_step(), cells.c_str(),
              static_cast<double>(result.resident_bytes) / 1e6, checksum_text(result).c_str(),
              result.schedule.c_str());
  std::fflush(stdout);
}

}  // namespace

Result run(MPI_Comm comm, const Options& options, bool loud) {
  return collectively([&] {
    int rank = 0, size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    agreed(comm, "options", [&] {
      schedule_of(options);
      use_fftw(options.fftw);
      if (rank == 0) check_files(options);
    });
    RankOptions made;
    agreed(comm, "--transport " + options.transport, [&] { made = rank_options(options); });
    check_node_memory(comm, "--size", needed_bytes(options) / size,
                      "use more nodes or fewer points");
    // Once: after a run, a process keeps some of the run's memory.
    static const auto start_bytes = static_cast<std::int64_t>(resident_bytes());
    omp_set_num_threads(options.threads);
    const Products products(options.flow.grid, options.flow.subgrid, options.flow.prandtl);
    Ranks ranks(comm, options.flow.grid, made, plane_inputs(options.flow.subgrid),
                products.outputs());
    Flow flow(ranks, options.flow);
    if (loud && rank == 0) {
      std::fputs((heading(options, size) + sample_titles()).c_str(), stdout);
    }
    const auto print = [&](const Sample& sample) {
      if (!loud) return;
      std::fputs(sample_line(sample).c_str(), stdout);
      std::fflush(stdout);
    };
    Result result = options.paper_layout ? simulate_paper(comm, ranks, flow, options, made, print)
                                         : simulate(flow, options, print);
    result.start_bytes = start_bytes;
    describe(comm, ranks, result);
    if (options.bound) result.parts = measure_parts(comm, ranks, flow);
    if (options.check && !options.paper_layout)
      result.equal = equal_to_one(comm, options, result.checksum);
    return result;
  });
}

std::vector<Result> run_series(const Options& options) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::vector<RunSize> sizes = sizes_of(options, size);
  for (const RunSize& one : sizes) {
    if (one.ranks > size) {
      throw CollectiveError(
          "--hybrid " + std::to_string(one.ranks) + "x" + std::to_string(one.threads),
          "the program has " + std::to_string(size) + " ranks",
          "start it with at least " + std::to_string(one.ranks));
    }
  }
  if (rank == 0) {
    std::printf("%5s %7s %5s %10s%s %9s %-16s %s\n", "ranks", "threads", "cores", "ms/step",
                speedup_titles().c_str(), "res. MB", "checksum", "schedule");
  }
  std::vector<Result> results;
  for (const RunSize& one : sizes) {
    Options own = options;
    own.threads = one.threads;
    own.every = 0;
    if (one.ranks != size) own.pencils = {0, 0};
    on_first_ranks(one.ranks, [&](MPI_Comm comm) {
      const Result result = run(comm, own, false);
      if (rank != 0) return;
      results.push_back(result);
      print_line(result, results.front());
    });
  }
  return results;
}

bool check_all(const Options& options) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Options one = options;
  one.every = 0;
  std::uint64_t expected = 0;
  on_first_ranks(1, [&](MPI_Comm) {
    omp_set_num_threads(1);
    expected = collectively([&] { return checksum_on_one(one); });
  });
  int runs = 0, different = 0;
  const auto compare = [&](int ranks, const std::string& schedule, TransposeTransport transport) {
    one.schedule = schedule;
    one.transport = to_string(transport);
    bool equal = true;
    std::string refused;
    on_first_ranks(ranks, [&](MPI_Comm comm) {
      try {
        equal = run(comm, one, false).checksum == expected;
      } catch (const CollectiveError& error) {
        refused = error.what();
      }
    });
    if (rank != 0) return;
    const std::string cut = one.pencils[0] == 0 ? "slabs"
                                                : std::to_string(one.pencils[0]) + "x" +
                                                      std::to_string(one.pencils[1]) + " pencils";
    if (refused.empty()) ++runs;
    if (!equal) ++different;
    if (equal && refused.empty()) return;
    std::printf("  %s, %s, %s on %d ranks x %d threads: %s\n", schedule.c_str(),
                one.transport.c_str(), cut.c_str(), ranks, one.threads,
                refused.empty() ? "differs" : ("cannot run: " + refused).c_str());
  };
  for (int ranks = 1; ranks <= size; ranks = ranks < size && 2 * ranks > size ? size : 2 * ranks) {
    for (one.threads = 1; one.threads <= options.threads; ++one.threads) {
      for (const bool pencils : {false, true}) {
        one.pencils = {0, 0};
        if (pencils) one.pencils = {ranks % 2 == 0 ? 2 : 1, ranks % 2 == 0 ? ranks / 2 : ranks};
        for (const char* schedule : {"blocking", "nonblocking", "polled", "comm_thread"}) {
          compare(ranks, schedule, TransposeTransport::alltoallv);
        }
        for (const auto transport :
             {TransposeTransport::alltoallw, TransposeTransport::point_to_point,
              TransposeTransport::shared_memory}) {
          compare(ranks, "nonblocking", transport);
        }
      }
    }
  }
  int equal = different == 0 && runs > 0 ? 1 : 0;
  if (rank == 0) {
    std::printf(equal == 1 ? "check: all %d runs equal to the serial one, bit for bit\n"
                           : "check: of %d runs, %d differ from the serial one\n",
                runs, different);
  }
  MPI_Bcast(&equal, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return equal == 1;
}

}  // namespace plait::boussinesq
