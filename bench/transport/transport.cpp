// SPDX-License-Identifier: BSD-3-Clause
// plait run --transport against each MPI library's own transport, in interleaved runs.
//
// transport [PARTS [LIBRARIES]]: the parts (default: abcd) are
//   a  messages between two ranks, beside a bare cache line and a bare copy of the same second
//   b  steps of 16 and 32 ranks: exchanges in a ring, those of CG and of IS
//   c  steps of 8 ranks, alone and beside a busy process
//   d  programs with many calls under each design of the queues (Open MPI)
// Libraries, with commas: openmpi, openmpi5, mpich5, impi (default: all that are there).
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "designs.hpp"
#include "measured_run.hpp"

namespace {

namespace fs = std::filesystem;

/// An MPI library with its programs.
struct Library {
  std::string kind;
  std::vector<MeasuredProgram> programs;  ///< messages, steps, calls
};

const std::vector<Library> libraries = {
#include "libraries.inc"
};

const std::vector<std::string> kOwn{}, kPlait{"--transport"};

/// Least times in us.
struct Times {
  double message = 1e9, line = 1e9, copy = 1e9;
};

void add_messages(const MeasuredProgram& which, const std::vector<std::string>& options,
                  const fs::path& folder, std::map<int, Times>& least) {
  std::istringstream lines(measured_run(which, 2, options, folder));
  int bytes = 0;
  Times now;
  while (lines >> bytes >> now.message >> now.line >> now.copy) {
    Times& times = least[bytes];
    times.message = std::min(times.message, now.message);
    times.line = std::min(times.line, now.line);
    times.copy = std::min(times.copy, now.copy);
  }
}

/// By name and library.
using Results = std::map<std::string, std::map<std::string, double>>;

void measure_messages(const MeasuredProgram& which, const fs::path& folder, Results& results) {
  std::map<int, Times> own, plait;
  for (int pair = 0; pair < kPairs; ++pair) {
    add_messages(which, kOwn, folder, own);
    add_messages(which, kPlait, folder, plait);
  }
  fmt::print("least times in us: {:>13} {:>13} {:>8} {:>14} {:>14}\n", "MPI's own", "Plait's",
             "gain", "bare line", "bare copy");
  for (const auto& [bytes, times] : own) {
    const Times& ours = plait.at(bytes);
    fmt::print("{:<8} {:>8} B {:>13.3f} {:>13.3f} {:>8.2f} {:>14.3f} {:>14.3f}\n", which.kind,
               bytes, times.message, ours.message, times.message / ours.message,
               std::min(times.line, ours.line), std::min(times.copy, ours.copy));
  }
  const auto gain = [&](int bytes) { return own.at(bytes).message / plait.at(bytes).message; };
  results["latency_ratio"][which.kind] = 1 / gain(8);
  results["latency_over_line"][which.kind] = plait.at(8).message / plait.at(8).line;
  results["bandwidth_gain"][which.kind] = std::min(gain(64 << 10), gain(1 << 20));
}

void measure_many(const Library& library, const fs::path& folder, Results& results) {
  struct Many {
    const char* name;
    MeasuredProgram program;
  };
  std::vector<Many> programs{{"ring", library.programs[1]},
                             {"exchange", library.programs[2]},
                             {"all", library.programs[2]}};
  programs[1].program.arguments = {"exchange"};
  programs[2].program.arguments = {"all"};
  double worst = std::numeric_limits<double>::max();
  for (const auto& [name, program] : programs) {
    fmt::print("{}:\n", name);
    double least = std::numeric_limits<double>::max();
    for (const int ranks : {16, 32})
      least = std::min(least, compare_steps(program, ranks, false, kPlait, folder).gain);
    results[fmt::format("oversubscribed_gain_{}", name)][library.kind] = least;
    worst = std::min(worst, least);
  }
  results["oversubscribed_gain"][library.kind] = worst;
}

void measure_busy(const MeasuredProgram& which, const fs::path& folder, Results& results) {
  const StepTimes eight = compare_steps(which, 8, false, kPlait, folder);
  const StepTimes beside = compare_steps(which, 8, true, kPlait, folder);
  results["busy_slowdown"][which.kind] = beside.with_us / eight.with_us;
  results["busy_slowdown_own"][which.kind] = beside.own_us / eight.own_us;
}

/// A line for each library, and one for the libraries that the name is about: the worst of them.
void print_results(const Results& results) {
  struct Summary {
    const char* name;
    std::vector<std::string> libraries;  ///< empty: all
    bool most_is_worst;
  };
  const std::vector<Summary> summaries = {{"latency_ratio", {"openmpi"}, true},
                                          {"bandwidth_gain", {"openmpi", "mpich5"}, false},
                                          {"oversubscribed_gain", {}, false},
                                          {"busy_slowdown", {}, true}};
  for (const auto& [name, values] : results) {
    for (const auto& [kind, value] : values)
      fmt::print("RESULT transport_{}_{} {:.3f} ratio\n", name, kind, value);
  }
  for (const Summary& summary : summaries) {
    const auto found = results.find(summary.name);
    if (found == results.end()) continue;
    std::vector<double> values;
    for (const auto& [kind, value] : found->second) {
      if (summary.libraries.empty() || std::ranges::count(summary.libraries, kind) > 0)
        values.push_back(value);
    }
    if (values.empty()) continue;
    const auto [least, most] = std::ranges::minmax(values);
    fmt::print("RESULT transport_{} {:.3f} ratio\n", summary.name,
               summary.most_is_worst ? most : least);
  }
}

void measure(const std::string& parts, const std::string& chosen, const fs::path& folder) {
  const auto has = [&](char part) { return parts.find(part) != std::string::npos; };
  Results results;
  for (const Library& library : libraries) {
    if (!chosen.empty() && ("," + chosen + ",").find("," + library.kind + ",") == std::string::npos)
      continue;
    if (has('a')) measure_messages(library.programs[0], folder, results);
    if (has('b') || has('c')) {
      fmt::print("medians of steps: {:>26} {:>13}     gain (range of {} pairs)\n", "MPI's own",
                 "Plait's", kPairs);
    }
    if (has('b')) measure_many(library, folder, results);
    if (has('c')) measure_busy(library.programs[1], folder, results);
    if (has('d') && library.kind == "openmpi") compare_designs(library.programs[2], folder);
  }
  print_results(results);
}

}  // namespace

int main(int argc, char** argv) {
  auto pattern = (fs::temp_directory_path() / "plait-transport-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    fmt::print(stderr, "the benchmark: cannot create a folder for runs; set TMPDIR\n");
    return 1;
  }
  int exit_code = 0;
  try {
    measure(argc > 1 ? argv[1] : "abcd", argc > 2 ? argv[2] : "", fs::path(pattern) / "run");
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    exit_code = 1;
  }
  fs::remove_all(pattern);
  return exit_code;
}
