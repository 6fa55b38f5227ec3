// SPDX-License-Identifier: BSD-3-Clause
// What plait run --remap gains and costs on this node: steps of a program like CG, without and with
// it, in interleaved pairs; beside them Henriksen's CG, and what a replay predicts for a machine
// with several caches.
//
// remap [MACHINE]: the machine of the prediction (default: cluster-example).
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/subprocess.hpp"
#include "measured_run.hpp"
#include "plait/error.hpp"

namespace {

namespace fs = std::filesystem;

const MeasuredProgram program =
#include "program.inc"
    ;

/// Henriksen (2008), table 7.4: CG of class B on 8 cores, Open MPI 1.2.3, in seconds: with the
/// default placement, and with dynamic mapping.
struct Thesis {
  int ranks;
  double own, mapped;
};
constexpr std::array<Thesis, 4> kThesis{
    {{8, 56.7, 56.4}, {16, 68.6, 60.7}, {32, 73.4, 67.4}, {64, 100.1, 95.6}}};

void predict(const MeasuredProgram& which, const std::string& machine, const fs::path& folder) {
  measured_run(which, 8, {"--trace"}, folder);
  const auto replay = plait::run_command(
      {which.plait, "replay", folder.string(), "--remap", machine, "--interval", "500ms"},
      std::chrono::seconds(120));
  if (replay.exit_code != 0) throw plait::Error("plait replay --remap", "failed", replay.err);
  fmt::print("\n8 ranks, by replay:\n{}", replay.out);
}

void measure(const std::string& machine, const fs::path& folder) {
  MeasuredProgram exchange = program;
  exchange.arguments = {"exchange", "3"};
  fmt::print("medians of steps: {:>26} {:>13}     gain (range of {} pairs)\n", "not moved",
             "--remap", kPairs);
  for (const Thesis& row : kThesis) {
    const StepTimes times = compare_steps(exchange, row.ranks, false, {"--remap=500ms"}, folder);
    fmt::print("  Henriksen (2008), table 7.4, CG: {:.2f}\n", row.own / row.mapped);
    fmt::print("RESULT remap_gain_{} {:.3f} ratio\n", row.ranks, times.gain);
    std::fflush(stdout);
  }
  predict(exchange, machine, folder);
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path folder = fs::temp_directory_path() / "plait-bench-remap";
  int code = 0;
  try {
    measure(argc > 1 ? argv[1] : "cluster-example", folder);
  } catch (const std::exception& error) {
    fmt::print(stderr, "remap: {}\n", error.what());
    code = 1;
  }
  fs::remove_all(folder);
  return code;
}
