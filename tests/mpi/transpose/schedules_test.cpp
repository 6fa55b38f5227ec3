// SPDX-License-Identifier: BSD-3-Clause
// Steps of transposes under every schedule, with 1 and 2 threads per rank, in verify mode: all give
// the same bytes. Errors of plans and steppers.
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "../checks.hpp"
#include "plait/environment.hpp"
#include "plait/transpose_stepper.hpp"
#include "transpose_case.hpp"

namespace {

using namespace plait;
using test::Checks;
using test::TransposeCase;
using Work = TransposeStepper::Work;

const std::vector<std::string> schedules{
    "blocking",
    "nonblocking,wait=sleep",
    "polled,wait=yield",
    "comm_thread",
    "comm_thread,communicator=extra_thread,wait=sleep",
    "automatic",
};

constexpr TransposeTransport transports[] = {
    TransposeTransport::alltoallv, TransposeTransport::alltoallw,
    TransposeTransport::point_to_point, TransposeTransport::shared_memory};

TransposeArrays arrays_of(const TransposeCase& arrays) {
  return {{arrays.from().begin(), arrays.from().end()}, {arrays.to().begin(), arrays.to().end()}};
}

/// Computes before and after one transpose; each plane of all chunks once.
void one_transpose(Checks& checks, const std::string& schedule, TransposeTransport transport) {
  const TransposeShape shape{{4, 5, 7}, {2}, {1}, 8, 2};
  Transpose plan(MPI_COMM_WORLD, shape, {3, -1, transport});
  TransposeStepper stepper(plan, Schedule::parse(schedule));
  TransposeCase arrays(plan);
  const TransposeArrays of_step = arrays_of(arrays);
  const auto change = [&](bool after, const IndexRange& planes) {
    stepper.progress();
    arrays.change(after, planes);
    ::usleep(150);  // so that it is due again
    stepper.progress();
  };
  const Work works[] = {[&](const IndexRange& planes) { change(false, planes); },
                        [&](const IndexRange& planes) { change(true, planes); }};
  // Automatic tries its schedules on the first steps.
  const int steps = schedule == "automatic" ? 6 : 2;
  for (int step = 0; step < steps; ++step) {
    arrays.reset();
    stepper.step(std::span(&of_step, 1), works);
    checks.expect(arrays.wrong(2) == 0, schedule + " by " + to_string(transport));
  }
  checks.expect(plan.verified() == steps, "every step is verified");
  checks.expect(stepper.waited_s() >= 0 && (stepper.waited_s() > 0 || schedule != "blocking"),
                "waits are timed");
  checks.expect(stepper.explain().find("In use: ") != std::string::npos, "explained");
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool tries = schedule == "automatic" && ranks > 1;
  checks.expect(stepper.deciding() == tries, "automatic tries for long");
}

/// As a solver does: spectral modes become physical planes, which are computed and taken back.
/// @param frugal  the same buffers for both ways, and the modes return to the memory of the source
void there_and_back(Checks& checks, const std::string& schedule, TransposeTransport transport,
                    bool frugal) {
  TransposeShape truncates{{6, 7, 8}, {2}, {1}, 16, 1, {{{{0, 4}}, {{0, 3}, {5, 7}}, {}}}};
  Transpose there(MPI_COMM_WORLD, reversed(truncates), {2, 2, transport, true});
  Transpose::Options options{2, 2, transport};
  if (frugal) options.buffers_of = &there;
  Transpose back(MPI_COMM_WORLD, truncates, options);
  const bool packs =
      transport == TransposeTransport::alltoallv || transport == TransposeTransport::point_to_point;
  checks.expect(!packs || (back.buffer_bytes() == 0) == frugal, "the buffers are the same");
  TransposeStepper stepper({&there, &back}, Schedule::parse(schedule));
  TransposeCase spectral(there, true);
  std::vector<std::byte> result(static_cast<std::size_t>(back.destination().elements) * 16 + 1);
  const TransposeArrays first = arrays_of(spectral);
  const auto bytes = static_cast<std::size_t>(there.source().elements) * 16;
  void* target = frugal ? const_cast<void*>(first.from[0]) : result.data();
  const TransposeArrays both[] = {first, {{first.to[0]}, {target}}};
  const Work works[] = {{}, [&](const IndexRange& planes) { spectral.change(true, planes); }, {}};
  for (int step = 0; step < 2; ++step) {
    spectral.reset();
    const auto* source = static_cast<const std::byte*>(first.from[0]);
    const std::vector<std::byte> before(source, source + bytes);
    stepper.step(both, works);
    if (frugal) std::copy(source, source + bytes, result.begin());
    checks.expect(spectral.wrong(1, 1) == 0, schedule + ", physical");
    int wrong = 0;
    test::each_element(back.destination(), [&](const Long3& at, std::int64_t place) {
      const std::int64_t source_place = at[0] * there.source().strides[0] +
                                        at[1] * there.source().strides[1] +
                                        at[2] * there.source().strides[2];
      for (std::int64_t b = 0; b < 16; ++b) {
        const auto old = before[static_cast<std::size_t>(16 * source_place + b)];
        const auto after = result[static_cast<std::size_t>(16 * place + b)];
        if ((static_cast<int>(old) + 1) % 256 != static_cast<int>(after)) ++wrong;
      }
    });
    checks.expect(wrong == 0, schedule + ", spectral");
  }
}

/// Pencils: along y, then along z, in chunks of z planes of the rank; one row of all ranks and
/// columns of one, or the other way round.
void pencils(Checks& checks, const std::string& schedule) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = size % 2 == 0 ? 2 : 1;
  MPI_Comm row = MPI_COMM_NULL, column = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column);
  {
    const Transpose::Options options{2, 2, TransposeTransport::point_to_point};
    const int rows = size / columns;
    const std::int64_t local_z = 7 / rows + (rank / columns < 7 % rows ? 1 : 0);
    Transpose to_y(row, TransposeShape{{5, 6, local_z}, {1}, {0}}, options);
    const std::int64_t local_x = to_y.destination().extents[0];
    Transpose to_z(column, TransposeShape{{local_x, 6, 7}, {2}, {1}}, options);
    TransposeStepper stepper({&to_y, &to_z}, Schedule::parse(schedule), MPI_COMM_WORLD);
    const auto memory = [](const TransposeArray& array) {
      return std::vector<double>(static_cast<std::size_t>(array.elements) + 1);
    };
    auto a = memory(to_y.source()), b = memory(to_y.destination()), c = memory(to_z.destination());
    test::each_element(to_y.source(), [&](const Long3& at, std::int64_t place) {
      a[static_cast<std::size_t>(place)] = static_cast<double>(
          at[0] + 10 * (at[1] + to_y.source().own.first) + 100 * (at[2] + to_z.source().own.first));
    });
    const TransposeArrays both[] = {{{a.data()}, {b.data()}}, {{b.data()}, {c.data()}}};
    const auto add_thousand = [&](const IndexRange& planes) {
      test::each_element(to_y.destination(), [&](const Long3& at, std::int64_t place) {
        if (at[2] >= planes.first && at[2] < planes.last)
          b[static_cast<std::size_t>(place)] += 1000;
      });
    };
    const Work works[] = {{}, add_thousand, {}};
    stepper.step(both, works);
    int wrong = 0;
    test::each_element(to_z.destination(), [&](const Long3& at, std::int64_t place) {
      const auto right =
          static_cast<double>(at[0] + to_y.destination().own.first +
                              10 * (at[1] + to_z.destination().own.first) + 100 * at[2] + 1000);
      if (c[static_cast<std::size_t>(place)] != right) ++wrong;
    });
    checks.expect(wrong == 0, schedule + ", pencils");
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

/// `call` must throw an error that contains `text`.
template <class Kind>
void expect_error(Checks& checks, const std::string& text, const std::function<void()>& call) {
  try {
    call();
    checks.expect(false, "no error with: " + text);
  } catch (const Kind& error) {
    checks.expect(std::string(error.what()).find(text) != std::string::npos, error.what());
  }
}

void errors_of_plans(Checks& checks, bool last) {
  const auto plan = [](const TransposeShape& shape, const Transpose::Options& options = {}) {
    return [=] { const Transpose transpose(MPI_COMM_WORLD, shape, options); };
  };
  const TransposeShape good{{4, 4, 4}};
  TransposeShape wrong = good;
  if (last) wrong.to.axis = 2;
  expect_error<CollectiveError>(checks, "not two different axes", plan(wrong));
  expect_error<CollectiveError>(checks, "less than one", plan(good, {0}));
  expect_error<CollectiveError>(checks, "not an axis", plan(good, {1, 3}));
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 1) {
    wrong = good;
    if (last) wrong.extents[0] = 5;
    expect_error<CollectiveError>(checks, "the ranks disagree on the extent along x", plan(wrong));
  }
  expect_error<Error>(checks, "unknown; use one of automatic, alltoallv",
                      [] { static_cast<void>(parse_transpose_transport("pigeon")); });
}

void errors_of_steps(Checks& checks) {
  Transpose plan(MPI_COMM_WORLD, TransposeShape{{4, 4, 4}},
                 {2, -1, TransposeTransport::point_to_point});
  TransposeCase arrays(plan);
  const void* none[] = {nullptr, nullptr};
  void* nowhere[] = {nullptr};
  expect_error<Error>(checks, "planned for 1", [&] { plan.begin(none, nowhere); });
  expect_error<Error>(checks, "begin() has not been called", [&] { plan.start(0); });
  plan.begin(arrays.from(), arrays.to());
  expect_error<Error>(checks, "has not been started", [&] { plan.finish(0); });
  expect_error<Error>(checks, "does not exist", [&] { plan.start(2); });
  plan.start(0);
  expect_error<Error>(checks, "has been started", [&] { plan.start(0); });
  expect_error<Error>(checks, "has been started", [&] { plan.start(Transpose::whole); });
  expect_error<Error>(checks, "under way", [&] { plan.begin(arrays.from(), arrays.to()); });
  plan.finish(0);
  plan.start(1);
  plan.finish(1);
  checks.expect(arrays.wrong() == 0, "errors have no effect");

  Transpose other(MPI_COMM_WORLD, reversed(plan.shape()), {3});
  expect_error<CollectiveError>(checks, "not for transposes",
                                [&] { const TransposeStepper s(plan, ScheduleKind::tasks); });
  expect_error<CollectiveError>(checks, "block= is not for transposes", [&] {
    const TransposeStepper s(plan, Schedule::parse("polled,block=1x1x1"));
  });
  expect_error<CollectiveError>(checks, "its chunks have other planes", [&] {
    const TransposeStepper s({&plan, &other}, {});
  });
  Transpose::Options same{2, -1, TransposeTransport::point_to_point};
  same.buffers_of = &plan;
  Transpose back(MPI_COMM_WORLD, reversed(plan.shape()), same);
  TransposeCase returned(back);
  plan.begin(arrays.from(), arrays.to());
  back.begin(returned.from(), returned.to());
  plan.start(0);
  expect_error<Error>(checks, "with the same buffers uses them", [&] { back.start(0); });
  expect_error<Error>(checks, "uses them", [&] { back.start(Transpose::whole); });
  plan.finish(0);
  back.start(0);
  plan.start(1);
  back.finish(0);
  plan.finish(1);
  back.start(1);
  back.finish(1);
  checks.expect(arrays.wrong() == 0 && returned.wrong() == 0, "both use their buffers in turn");

  TransposeStepper stepper(plan, ScheduleKind::blocking);
  expect_error<Error>(checks, "planned for 1 and 2", [&] { stepper.step({}, {}); });

  // Verify mode finds sources that change too early.
  expect_error<CollectiveError>(checks, "differ from a blocking transpose", [&] {
    stepper.step(arrays.from()[0], arrays.to()[0], {},
                 [&](const IndexRange& planes) { arrays.change(false, planes); });
  });
  std::optional<Transpose> abandoned(std::in_place, MPI_COMM_WORLD, TransposeShape{{4, 4, 4}},
                                     Transpose::Options{2});
  TransposeCase more(*abandoned);
  abandoned->begin(more.from(), more.to());
  abandoned->start(1);
  abandoned.reset();  // waits for the chunk, while its arrays exist
}

}  // namespace

int main(int argc, char** argv) {
  setenv("PLAIT_VERIFY", "1", 1);
  const Environment environment(argc, argv);
  return guarded("schedules_test", [&] {
    Checks checks;
    int number = 0;
    for (const int threads : {1, 2}) {
      omp_set_num_threads(threads);
      for (const std::string& schedule : schedules) {
        pencils(checks, schedule);
        for (int turn = 0; turn < 2; ++turn) {
          // Over both numbers of threads, each schedule meets each transport.
          const auto transport = transports[static_cast<std::size_t>(number++ + threads) % 4];
          one_transpose(checks, schedule, transport);
          for (const bool frugal : {false, true}) {
            there_and_back(checks, schedule, transport, frugal);
          }
        }
      }
      ++number;
    }
    errors_of_plans(checks, environment.rank() == environment.size() - 1);
    errors_of_steps(checks);
    return checks.finish("transpose schedules");
  });
}
