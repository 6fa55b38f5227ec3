// SPDX-License-Identifier: BSD-3-Clause
// Writes the input of hpcc, runs it, and finds HPL's result line.
#include "hpcc.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

namespace fs = std::filesystem;

/// Values as in hpcc's example: recursive right-looking panels, modified ring, look-ahead of 1,
/// mix.
std::string input_of(int size, int block) {
  return fmt::format(
      "HPLinpack benchmark input file\nPlait\nHPL.out\n8\n1\n{}\n1\n{}\n0\n1\n1\n2\n16.0\n1\n2\n1\n"
      "8\n1\n2\n1\n2\n1\n1\n1\n1\n2\n64\n0\n0\n1\n8\n-\n0\n1000\n0\n40\n",
      size, block);
}

}  // namespace

double hpcc_gflops(const std::string& launcher, int size, int block) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("plait-bench-lu-{}", ::getpid());
  fs::create_directories(folder);
  std::ofstream(folder / "hpccinf.txt") << input_of(size, block);
  constexpr std::chrono::minutes limit{10};
  const CommandResult result =
      run_command({launcher, "--wdir", folder.string(), "-n", "2", "hpcc"}, limit, {},
                  {{"OPENBLAS_NUM_THREADS", "1"},
                   {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                   {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  double gflops = 0;
  std::ifstream output(folder / "hpccoutf.txt");
  for (std::string line; std::getline(output, line);) {
    std::istringstream fields(line);
    std::string variant;
    double n = 0, nb = 0, p = 0, q = 0, seconds = 0, rate = 0;
    if (fields >> variant >> n >> nb >> p >> q >> seconds >> rate && variant.starts_with('W')) {
      gflops = rate;
    }
  }
  fs::remove_all(folder);
  if (result.exit_code != 0 || gflops <= 0) {
    throw Error("hpcc", "gave no result of HPL", result.err.substr(0, 400));
  }
  return gflops;
}

}  // namespace plait::bench
