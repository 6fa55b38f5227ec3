// SPDX-License-Identifier: BSD-3-Clause
// The time of `plait --help` from fork to exit, compared with /bin/true for the share of the
// system.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

extern char** environ;

namespace {

/// Runs the command once without output; returns its wall time in ms, or -1 if it failed.
double start_once_ms(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0) {
    waitpid(child, &status, 0);
  }
  const auto end = std::chrono::steady_clock::now();
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) return -1.0;
  return std::chrono::duration<double, std::milli>(end - start).count();
}

/// Order statistics of a sample: the median and its 95 % interval by the binomial distribution
/// (normal approximation of the ranks; Hahn and Meeker 1991, section 5.2).
struct Summary {
  double minimum, median, low, high;
};

Summary summarize(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  const double half_width = 1.96 * std::sqrt(n) / 2.0;
  const auto at = [&](double rank) {
    return sample[static_cast<std::size_t>(std::clamp(rank, 0.0, n - 1.0))];
  };
  return {sample.front(), at(n / 2.0), at(n / 2.0 - half_width), at(n / 2.0 + half_width)};
}

}  // namespace

int main() {
  constexpr int repetitions = 301;
  constexpr int warm_up = 10;
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string plait = here.parent_path() / "bin" / "plait";
  const std::vector<std::vector<std::string>> commands{{"/bin/true"}, {plait, "--help"}};

  // Interleaved, so that a change of the machine's speed affects both.
  std::vector<std::vector<double>> samples(commands.size());
  for (int i = -warm_up; i < repetitions; ++i) {
    for (std::size_t c = 0; c < commands.size(); ++c) {
      const double ms = start_once_ms(commands[c]);
      if (ms < 0.0) {
        fmt::print(stderr, "startup: cannot run {}\n", commands[c][0]);
        return 1;
      }
      if (i >= 0) samples[c].push_back(ms);
    }
  }

  fmt::print("{} starts each, interleaved; times in ms\n", repetitions);
  fmt::print("{:<14} {:>8} {:>8}  {}\n", "command", "minimum", "median", "95 % interval of median");
  Summary last{};
  for (std::size_t c = 0; c < commands.size(); ++c) {
    last = summarize(samples[c]);
    fmt::print("{:<14} {:>8.3f} {:>8.3f}  [{:.3f}, {:.3f}]\n",
               c == 0 ? "/bin/true" : "plait --help", last.minimum, last.median, last.low,
               last.high);
  }
  fmt::print("RESULT startup_ms {:.3f} ms\n", last.median);
  return 0;
}
