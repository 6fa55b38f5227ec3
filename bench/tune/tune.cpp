// SPDX-License-Identifier: BSD-3-Clause
// What plait tune finds. On made-up costs: the share of the best gain, the share of the runs of an
// exhaustive search, and false wins. On 2 ranks of Open MPI: the gain at messages of 8 KiB, and
// beside it an exhaustive search by hand over the eager limit, the fragment and the copy.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "base/subprocess.hpp"
#include "made_up_costs.hpp"
#include "plait/error.hpp"
#include "tune/tune_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace plait::tune;  // NOLINT(google-build-using-namespace): all is about tuning

struct Case {
  std::string launcher, program, plait;
};

const std::vector<Case> cases = {
#include "cases.inc"
};

constexpr int kTunings = 20;

void made_up() {
  const MadeUpProgram program = made_up_program();
  const auto [best, combinations] = program.exhaustive();
  std::vector<double> gains, shares;
  int false_wins = 0;
  for (int seed = 1; seed <= kTunings; ++seed) {
    const auto with = static_cast<std::uint64_t>(seed);
    const Search search = searched(program, with);
    const SearchResult result = result_of(search);
    const double gain = result.verdict == Verdict::won ? 1 - program.seconds(result.chosen) : 0;
    gains.push_back(gain / (1 - best));
    shares.push_back(static_cast<double>(runs_of(search)) / static_cast<double>(combinations));
    if (result_of(searched(indifferent_program(), with)).verdict == Verdict::won) ++false_wins;
  }
  std::sort(gains.begin(), gains.end());
  std::sort(shares.begin(), shares.end());
  const auto middle = static_cast<std::size_t>(kTunings / 2);
  fmt::print(
      "made-up costs, {} tunings: share of the best gain {:.3f} ({:.3f} to {:.3f}), runs {:.3f} "
      "({:.3f} to {:.3f}) of one per combination\n",
      kTunings, gains[middle], gains.front(), gains.back(), shares[middle], shares.front(),
      shares.back());
  fmt::print("RESULT tune_gain_found {:.3f} ratio\n", gains[middle]);
  fmt::print("RESULT tune_runs_share {:.4f} ratio\n", shares[middle]);
  fmt::print("RESULT tune_false_wins {} of_{}\n", false_wins, kTunings);
}

using Environment = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> command_of(const Case& which) {
  return {which.launcher, "-n", "2", "--oversubscribe", which.program, "20000", "0", "8192"};
}

double seconds(const Case& which, const Environment& environment) {
  const auto result =
      plait::run_command(command_of(which), std::chrono::seconds(60), {}, environment);
  double took_s = 0;
  if (result.exit_code != 0 || std::sscanf(result.out.c_str(), "took %lf", &took_s) != 1) {
    throw plait::Error(which.program, "the measured program failed", result.err);
  }
  return took_s;
}

/// A combination of settings, and old time / new time.
struct Combination {
  Environment settings;
  double ratio;
};

/// The median of some pairs of runs.
double gain_of(const Case& which, const Environment& always, const Environment& settings,
               int pairs) {
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    const double before = seconds(which, always);
    ratios.push_back(before / seconds(which, settings));
  }
  return plait::median(ratios);
}

/// The largest gain of all combinations: one pair of each, then several of the best three.
double exhaustive(const Case& which, const Environment& always) {
  std::vector<Combination> all;
  for (const char* eager : {"4096", "8192", "16384", "32768", "65536"}) {
    for (const char* fragment : {"32768", "65536", "131072"}) {
      if (std::atoi(fragment) < std::atoi(eager)) continue;
      for (const char* copy : {"cma", "none", "emulated"}) {
        Environment settings = always;
        settings.insert(settings.end(), {{"OMPI_MCA_btl_vader_eager_limit", eager},
                                         {"OMPI_MCA_btl_vader_max_send_size", fragment},
                                         {"OMPI_MCA_btl_vader_single_copy_mechanism", copy}});
        all.push_back({settings, gain_of(which, always, settings, 1)});
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Combination& a, const Combination& b) { return a.ratio > b.ratio; });
  double best = 1;
  constexpr int kPairs = 6, kBest = 3;
  for (int at = 0; at < kBest; ++at) {
    best =
        std::max(best, gain_of(which, always, all[static_cast<std::size_t>(at)].settings, kPairs));
  }
  fmt::print(
      "by hand: the best of {} combinations is {:.2f} times as fast (median of {} pairs); "
      "{} pairs of each would be {} runs\n",
      all.size(), best, kPairs, kPairs, 2 * kPairs * static_cast<int>(all.size()));
  return best;
}

void real(const Case& which, const fs::path& folder) {
  const Environment always{{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                           {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                           {"XDG_STATE_HOME", (folder / "state").string()}};
  std::vector<std::string> tuning{which.plait,   "tune",
                                  "--time-from", "took ([0-9.]+)",
                                  "-o",          (folder / "tuned").string(),
                                  "--keep",      (folder / "plan.json").string(),
                                  "--"};
  const std::vector<std::string> command = command_of(which);
  tuning.insert(tuning.end(), command.begin(), command.end());
  const auto result = plait::run_command(tuning, std::chrono::seconds(900), {}, always);
  fmt::print("{}", result.out);
  const Tuning done = load_tuning(folder / "tuned");
  const SearchResult found = result_of(done.search);
  const double gain = found.verdict == Verdict::won && found.ratio ? found.ratio->median : 1;
  const double best = exhaustive(which, always);
  fmt::print("plait tune: {} runs, {:.0f} % of the gain by hand\n", runs_of(done.search),
             best > 1 ? 100 * (1 - 1 / gain) / (1 - 1 / best) : 0);
  fmt::print("RESULT tune_gain_eager {:.3f} ratio\n", gain);
}

}  // namespace

int main() {
  auto pattern = (fs::temp_directory_path() / "plait-tune-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    fmt::print(stderr, "the benchmark: cannot create a folder for runs; set TMPDIR\n");
    return 1;
  }
  int exit_code = 0;
  try {
    made_up();
    for (const Case& which : cases) real(which, pattern);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    exit_code = 1;
  }
  fs::remove_all(pattern);
  return exit_code;
}
