// SPDX-License-Identifier: BSD-3-Clause
// plait-queues: measures the queue designs with processes, without MPI.
#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "base/failure.hpp"
#include "options.hpp"
#include "report.hpp"
#include "team.hpp"

namespace {

using namespace plait::queues;

int run(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  if (!options.answer.empty()) {
    fmt::print("{}", options.answer);
    return 0;
  }
  std::ofstream file;
  if (!options.output.empty()) {
    file.open(options.output);
    if (!file)
      throw plait::Error("--output " + options.output, "cannot be written",
                         "give a file in an existing folder");
  }
  std::vector<Result> results;
  for (const uint32_t processes : options.processes) {
    for (const plait::transport::Design* const design : options.designs) {
      results.push_back(
          measure(*design, processes,
                  {options.bytes, options.seconds, policy_of(options.wait, processes)}));
    }
  }
  if (file.is_open()) file << json_of(options, results);
  fmt::print("{}", options.json ? json_of(options, results) : table_of(options, results));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const plait::Error& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    return plait::exit_code_of(error);
  }
}
