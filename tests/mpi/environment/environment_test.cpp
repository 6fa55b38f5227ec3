// SPDX-License-Identifier: BSD-3-Clause
// Errors end a program cleanly: those of all ranks, those of one rank that the ranks agree on, and
// those of one rank alone. The first argument selects the error; with a second one the Environment
// is created inside guarded(). Without arguments, checks the errors that a program can survive.
#include "plait/environment.hpp"

#include <stdexcept>
#include <string>

#include "checks.hpp"

namespace {

using plait::CollectiveError;
using plait::Error;
using plait::test::Checks;

/// The text of the error that all ranks throw if the ranks with `failing(rank)` have an error.
template <class Failing>
std::string agreed_text(int rank, const Failing& failing) {
  const Error error("input " + std::to_string(rank), "is bad", "fix it");
  try {
    plait::agree_on_error(MPI_COMM_WORLD, failing(rank) ? &error : nullptr);
  } catch (const CollectiveError& collective) {
    return collective.what();
  }
  return "";
}

int check(const plait::Environment& environment) {
  Checks checks;
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  checks.expect(environment.rank() == rank, "rank");
  const int last = environment.size() - 1;
  checks.expect(agreed_text(rank, [](int) { return false; }).empty(), "no error of any rank");
  checks.expect(
      agreed_text(rank, [&](int r) { return r == last; }) ==
          "rank " + std::to_string(last) + ": input " + std::to_string(last) + ": is bad; fix it",
      "the last rank's error on all");
  checks.expect(agreed_text(rank, [](int) { return true; }) == "rank 0: input 0: is bad; fix it",
                "the lowest rank's error of several");
  checks.expect(plait::granted_thread_level() >= plait::ThreadLevel::single, "thread level");
  checks.expect(to_string(plait::ThreadLevel::serialized) == "MPI_THREAD_SERIALIZED", "its name");
  {
    int argc = 0;
    char** argv = nullptr;
    const plait::Environment second(argc, argv);  // MPI is already initialized
  }
  int finalized = 1;
  MPI_Finalized(&finalized);
  checks.expect(finalized == 0, "MPI outlives an Environment that did not initialize it");
  return checks.finish("environment");
}

int fail(const std::string& how, const plait::Environment& environment) {
  const bool last = environment.rank() == environment.size() - 1;
  const Error error("checkpoint", "wrong shape", "pass the right one");
  if (how == "all") throw CollectiveError(error);
  if (how == "agreed") plait::agree_on_error(MPI_COMM_WORLD, last ? &error : nullptr);
  if (how == "one") {
    if (last) throw std::runtime_error("only here");
    MPI_Barrier(MPI_COMM_WORLD);  // the other ranks would wait here forever
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    return plait::guarded("environment", [&] {
      const plait::Environment environment(argc, argv);
      return fail(argv[1], environment);
    });
  }
  const plait::Environment environment(argc, argv);
  return plait::guarded("environment",
                        [&] { return argc > 1 ? fail(argv[1], environment) : check(environment); });
}
