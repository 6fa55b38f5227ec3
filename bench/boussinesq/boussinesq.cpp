// SPDX-License-Identifier: BSD-3-Clause
// plait-boussinesq compared with the parts of its step, its ranks and threads with each other and
// with predictions, its schedules on emulated nodes, and its vortices with theory.
//
// Usage: boussinesq [a] [b] [c] [d] [--size NXxNYxNZ] [--rounds R]
//   a to d: the parts to run (default: a to c); size: of part a, and of b on
//   this machine (default: 128x128x129);
//   R: rounds (default: 5)
// (a) a step over its parts, and memory; (b) ranks, threads and nodes beside predictions;
// (c) schedules on two nodes; (d) Crow's instability, which takes some minutes
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "../benchmark_main.hpp"
#include "bench.hpp"
#include "plait/error.hpp"

namespace plait::bench {

std::vector<std::string> step_arguments(const std::string& size, const std::string& schedule,
                                        int threads, int steps) {
  return {"--size",     size,    "--steps",   std::to_string(steps),
          "--every",    "0",     "--threads", std::to_string(threads),
          "--schedule", schedule};
}

TemporaryFile::TemporaryFile(const std::string& name)
    : path_(std::filesystem::temp_directory_path() /
            fmt::format("plait-bench-boussinesq-{}-{}.json", ::getpid(), name)) {}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

namespace {

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (argument.size() == 1 && argument >= "a" && argument <= "d") {
      options.parts += argument;
      continue;
    }
    if (argument == "--size" && !value.empty()) {
      options.size = value;
    } else if (argument == "--rounds" && std::atoi(value.c_str()) > 0) {
      options.rounds = std::atoi(value.c_str());
    } else {
      throw Error(std::string(argument), "unknown argument",
                  "usage: boussinesq [a] [b] [c] [d] [--size NXxNYxNZ] [--rounds R]");
    }
    ++i;
  }
  return options;
}

int run(const Options& options) {
  if (options.wants('a')) compare_with_parts(options);
  if (options.wants('b')) compare_with_predictions(options);
  if (options.wants('c')) compare_schedules(options);
  if (options.wants('d')) compare_with_crow();
  return 0;
}

}  // namespace
}  // namespace plait::bench

int main(int argc, char** argv) {
  return plait::bench::benchmark_main(
      [&] { return plait::bench::run(plait::bench::read_options(argc, argv)); });
}
