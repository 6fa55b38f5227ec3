// SPDX-License-Identifier: BSD-3-Clause
// Writes rules for MPI_Bcast as plait tune does, for the library of a launcher, as a plan.
//
//   write_rules LAUNCHER RANKS BORDER SMALL LARGE PLAN
//
// SMALL and LARGE are the names of algorithms for less and for more than BORDER bytes. If they are
// equal, BORDER has no meaning. Fails if plait tune would not try them.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "launcher/plan.hpp"
#include "plait/error.hpp"
#include "tune/candidates.hpp"
#include "tune/registry.hpp"

namespace {

using namespace plait::tune;  // NOLINT(google-build-using-namespace): all is about tuning

/// A program that only broadcasts, with data of these sizes.
MessageUse broadcasts(int ranks, const std::vector<std::uint64_t>& borders) {
  MessageUse use;
  use.mpi_share = 1;
  use.nodes = 1;
  use.ranks_per_node = ranks;
  use.threads_per_cpu = 1;
  for (std::size_t at = 0; at + 1 < borders.size(); ++at) {
    CollectiveUse one;
    one.operation = "MPI_Bcast";
    one.ranks = ranks;
    one.share = 0.5;
    one.calls = 1;
    one.from_bytes = borders[at];
    one.to_bytes = borders[at + 1];
    one.mean_bytes = 2.0 * static_cast<double>(one.from_bytes) + 1;
    use.collectives.push_back(one);
  }
  return use;
}

const Candidate& named(const CandidateList& list, std::uint64_t from_bytes,
                       const std::string& algorithm) {
  for (const Candidate& candidate : list.candidates) {
    if (candidate.rules.size() == 1 && candidate.rules.front().from_bytes == from_bytes &&
        candidate.name.ends_with(": " + algorithm)) {
      return candidate;
    }
  }
  throw plait::Error(algorithm, "plait tune does not try it", "");
}

void write(const std::vector<std::string>& arguments) {
  const Registry registry = read_registry(plait::launcher::identify_launcher(arguments.at(0)));
  const int ranks = std::stoi(arguments.at(1));
  const std::uint64_t border = std::stoull(arguments.at(2));
  const std::string small = arguments.at(3), large = arguments.at(4);
  std::vector<std::uint64_t> borders{0, kAllSizes};
  if (small != large) borders.insert(borders.begin() + 1, border);
  const CandidateList list = candidates_of(broadcasts(ranks, borders), registry, ranks, 0.01);
  std::vector<const Candidate*> chosen{&named(list, 0, small)};
  if (small != large) chosen.push_back(&named(list, border, large));
  plait::launcher::save_plan(arguments.at(5), plan_of(registry, chosen));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    write({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
