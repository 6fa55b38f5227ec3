// SPDX-License-Identifier: BSD-3-Clause
// plait-queues: measures the queue designs with processes, without MPI.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "options.hpp"
#include "report.hpp"
#include "team.hpp"

namespace {

using namespace plait::queues;

/// Before anything is measured. @throws Error when a file in that folder cannot be written
void check_output(const std::string& output) {
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  std::error_code error;
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0 ||
      std::filesystem::is_directory(output, error)) {
    throw plait::Error("--output " + output, "cannot be written",
                       "give a file in an existing folder");
  }
}

int run(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  if (!options.answer.empty()) {
    fmt::print("{}", options.answer);
    return 0;
  }
  if (!options.output.empty()) check_output(options.output);
  std::vector<Result> results;
  for (const uint32_t processes : options.processes) {
    for (const plait::transport::Design* const design : options.designs) {
      results.push_back(
          measure(*design, processes,
                  {options.bytes, options.seconds, policy_of(options.wait, processes)}));
    }
  }
  if (!options.output.empty()) {
    plait::write_text_file(options.output, json_of(options, results));
  }
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
