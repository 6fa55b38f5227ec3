// SPDX-License-Identifier: BSD-3-Clause
// Predicts plait-boussinesq for a request of the command line.
#include "advise/boussinesq_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/quantity.hpp"
#include "machine/figure_checks.hpp"
#include "machine/open_machine.hpp"
#include "model/hybrid_inputs.hpp"
#include "model/jacobi_inputs.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::advise {
namespace {

using machine::MachineFile;
using report::BoussinesqReport;
using report::BoussinesqRow;

/// Points along an axis, as plait-boussinesq takes them.
constexpr int kMostPoints = 65536;
/// So that 100 000 ranks of a node have fewer threads than the largest int.
constexpr int kMostThreads = 4096;

/// Numbers from 1 to a million between "x"; empty if the text is anything else.
std::vector<int> numbers_of(const std::string& text) {
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number < 1 || number > 1000000) return {};
    numbers.push_back(number);
    if (stop == end) return numbers;
    if (*stop != 'x') return {};
    at = stop + 1;
  }
}

/// Jost and Robins (2010), section 3.2.
std::array<int, 3> points_of(const BoussinesqRequest& request) {
  if (request.named_case == "paper1") return {256, 512, 256};
  if (request.named_case == "paper2") return {1024, 512, 256};
  if (!request.named_case.empty()) {
    throw Error("--case " + request.named_case, "unknown case", "use paper1 or paper2");
  }
  const std::vector<int> numbers = numbers_of(request.size);
  if (numbers.size() != 3 || numbers[0] % 2 != 0 || numbers[2] < 8 ||
      *std::ranges::max_element(numbers) > kMostPoints) {
    throw Error("--size " + request.size, "not a grid of plait-boussinesq",
                "give NXxNYxNZ such as 64x64x65: NX even, NZ at least 8, at most 65536 each");
  }
  return {numbers[0], numbers[1], numbers[2]};
}

std::vector<std::pair<int, int>> runs_of(const BoussinesqRequest& request, int cores) {
  std::vector<std::pair<int, int>> runs;
  for (const std::string& text : request.runs) {
    const std::vector<int> numbers = numbers_of(text);
    if (numbers.empty() || numbers.size() > 2) {
      throw Error("--runs " + text, "neither ranks nor ranks x threads", "give 256 or 128x2");
    }
    if (numbers.back() > kMostThreads && numbers.size() == 2) {
      throw Error("--runs " + text, "too many threads",
                  fmt::format("give at most {} per rank", kMostThreads));
    }
    runs.emplace_back(numbers[0], numbers.size() == 2 ? numbers[1] : 1);
  }
  if (!runs.empty()) return runs;
  for (int ranks = 1; ranks < cores; ranks *= 2) runs.emplace_back(ranks, 1);
  runs.emplace_back(cores, 1);
  if (cores > 1) runs.emplace_back(1, cores);
  return runs;
}

model::BoussinesqInputs inputs_of(const BoussinesqRequest& request, const MachineFile& machine) {
  const machine::Measured measured = machine.measured.value_or(machine::Measured{});
  return {request.speed_gflops.empty() ? model::hpl_speed(measured, machine.host)
                                       : given_speed(request.speed_gflops),
          request.memory_bandwidth.empty()
              ? model::memory_speed(measured, machine.host)
              : model::SpeedTable({{1, parse_bytes_per_second(request.memory_bandwidth)}}),
          [&request, &machine](std::uint64_t bytes) {
            return std::optional(network_of(request.network, machine, bytes));
          },
          [&request, &machine](std::uint64_t bytes) {
            return inside_of(request.inside_bandwidth, machine, bytes);
          },
          [&request, &machine](int nodes, int per_node, std::uint64_t bytes) {
            const bool given = !request.network.bandwidth.empty() || !machine.measured;
            return given ? std::nullopt
                         : model::all_to_all_bandwidth(*machine.measured, nodes, per_node, bytes);
          }};
}

BoussinesqRow row_of(const model::BoussinesqCase& asked, const model::BoussinesqInputs& inputs) {
  BoussinesqRow row;
  row.of = asked;
  if (!model::fits(row.of)) row.of.pencils = model::fitting_pencils(row.of);
  row.fits = model::fits(row.of);
  if (!row.fits) return row;
  row.time = model::predict_boussinesq(row.of, inputs);
  row.memory = model::boussinesq_memory(row.of);
  return row;
}

void add_notes(const BoussinesqRequest& request, const MachineFile& machine, int cores,
               BoussinesqReport& report) {
  const auto share = [](const model::ReachedShare& of) {
    return fmt::format("{:.0f} % ({:.0f} to {:.0f} %)", 100 * of.value, 100 * of.low,
                       100 * of.high);
  };
  report.notes.push_back(fmt::format(
      "transforms are taken to reach {} and columns {} of the speed of a good DGEMM, unless memory "
      "is slower",
      share(model::kTransformsOfGemm), share(model::kColumnsOfGemm)));
  report.notes.emplace_back(
      "memory is without the program and the MPI library, and with all messages packed; datatypes "
      "and shared memory need less");
  bool crowded = false, several_in_node = false;
  for (const BoussinesqRow& row : report.rows) {
    crowded = crowded || std::min(row.of.ranks_per_node, row.of.ranks) * row.of.threads > cores;
    several_in_node =
        several_in_node || (row.fits && std::min(row.of.ranks_per_node, row.of.ranks) > 1);
    if (row.fits) continue;
    report.notes.push_back(
        fmt::format("{} do not fit: slabs take at most {}, and no pencils fit; "
                    "use fewer ranks with more threads",
                    counted(row.of.ranks, "rank"), model::most_slabs(row.of)));
  }
  if (crowded) {
    report.notes.push_back(
        fmt::format("some cases have more threads per node than the {} of this machine",
                    counted(cores, "core")));
  }
  if (several_in_node && !inside_of(request.inside_bandwidth, machine, 1 << 16)) {
    report.notes.emplace_back(
        "no path between the cores of a node was measured: messages in a node are left out; give "
        "--inside-bandwidth");
  }
  if (machine.measured) {
    const std::vector<std::string> doubts = machine::reliability_notes(*machine.measured);
    report.notes.insert(report.notes.end(), doubts.begin(), doubts.end());
  }
}

}  // namespace

BoussinesqReport forecast_boussinesq(const BoussinesqRequest& request) {
  const MachineFile machine = machine::open_machine(request.machine);
  const model::BoussinesqInputs inputs = inputs_of(request, machine);
  const int cores = std::max(
      {1, inputs.gemm_flops.cores(), static_cast<int>(machine.topology.allowed_cores().size())});
  BoussinesqReport report;
  report.machine = machine.host;
  report.points = points_of(request);
  report.subgrid = request.subgrid;
  for (const auto& [ranks, threads] : runs_of(request, cores)) {
    model::BoussinesqCase asked;
    asked.points = report.points;
    asked.ranks = ranks;
    asked.threads = threads;
    asked.ranks_per_node = request.per_node > 0 ? request.per_node : std::max(1, cores / threads);
    asked.subgrid = request.subgrid;
    report.rows.push_back(row_of(asked, inputs));
  }
  add_notes(request, machine, cores, report);
  return report;
}

}  // namespace plait::advise
