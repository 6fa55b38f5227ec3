// SPDX-License-Identifier: BSD-3-Clause
// Predicts CG and HPL in Viet's three models for a request of the command line.
#include "advise/hybrid_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "advise/hybrid_runs.hpp"
#include "advise/solver_on_cluster.hpp"
#include "machine/figure_checks.hpp"
#include "machine/open_machine.hpp"
#include "plait/error.hpp"
#include "run/run_directory.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::advise {
namespace {

using machine::MachineFile;
using model::HybridInputs;
using report::HybridReport;
using report::HybridRow;

constexpr int kPaperBlock = 80;  ///< nb of section 7.5
/// The share of the memory of a node that HPL's matrix takes, and N where memory is unknown.
constexpr double kMatrixShare = 0.8;
constexpr std::int64_t kUnknownMemorySize = 20000;
/// N that emulated nodes solve in seconds.
constexpr std::int64_t kClusterSize = 4000;

/// A case to predict, before its size is known.
struct Asked {
  std::string part;
  report::StudyPoint point;
  bool has_paper = false;
};

model::Grid parse_grid(const std::string& text) {
  model::Grid grid;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, grid.rows);
  bool valid = rows.ec == std::errc{} && rows.ptr != end && *rows.ptr == 'x';
  if (valid) {
    const auto columns = std::from_chars(rows.ptr + 1, end, grid.columns);
    valid = columns.ec == std::errc{} && columns.ptr == end && grid.rows > 0 && grid.columns > 0 &&
            grid.rows <= 4096 && grid.columns <= 4096;
  }
  if (!valid) throw Error("--grid " + text, "not a grid of processes", "give P x Q as 2x4");
  return grid;
}

HybridInputs inputs_of(const HybridRequest& request, const MachineFile& machine,
                       model::SpeedTable speed) {
  HybridInputs inputs{std::move(speed), 1, {}, {}};
  inputs.network = [&request, &machine](std::uint64_t bytes) {
    return std::optional(network_of(request.network, machine, bytes));
  };
  inputs.inside = [&request, &machine](std::uint64_t bytes) {
    return inside_of(request.inside_bandwidth, machine, bytes);
  };
  return inputs;
}

/// P(k) of each of so many nodes that share one machine.
model::SpeedTable shared_speed(const model::SpeedTable& of, int nodes) {
  std::vector<model::SpeedPoint> points;
  for (int cores = 1; cores <= std::max(1, of.cores() / nodes); ++cores) {
    const auto at = [&](model::Bound bound) { return of.at(nodes * cores, bound) / nodes; };
    points.push_back(
        {cores, at(model::Bound::value), at(model::Bound::low), at(model::Bound::high)});
  }
  return model::SpeedTable::with_intervals(std::move(points));
}

/// P(k), and where it is from.
std::pair<model::SpeedTable, std::string> speed_of(const HybridRequest& request,
                                                   const MachineFile& machine) {
  if (!request.speed_gflops.empty()) return {given_speed(request.speed_gflops), "--speed"};
  const machine::Measured measured = machine.measured.value_or(machine::Measured{});
  const auto reached = [](const model::ReachedShare& share) {
    return fmt::format("of which a good kernel reaches {:.0f} % ({:.0f} to {:.0f} %)",
                       100 * share.value, 100 * share.low, 100 * share.high);
  };
  if (request.program == "hpl") {
    return {model::hpl_speed(measured, machine.host),
            "the floating-point peak, " + reached(model::kGemmOfPeak)};
  }
  return {model::cg_speed(measured, machine.host),
          fmt::format("the memory bandwidth ({}), {}",
                      measured.stream.empty() ? "of the Jacobi kernel" : "STREAM",
                      reached(model::kCgOfBound))};
}

std::vector<Asked> asked_cases(const HybridRequest& request, int machine_cores,
                               std::vector<std::string>& notes) {
  std::vector<Asked> cases;
  if (request.study.empty()) {
    for (const int nodes : request.nodes) {
      for (const int cores : request.cores) cases.push_back({"", {nodes, cores}, false});
    }
    return cases;
  }
  bool left_out = false;
  for (const report::StudyPart& part : report::viet_study(request.program, request.study).parts) {
    for (const report::StudyPoint& point : part.points) {
      if (point.cores > machine_cores) {
        left_out = true;
        continue;
      }
      cases.push_back({part.title, point, true});
    }
  }
  if (cases.empty()) {
    throw Error(request.study, "its nodes have more cores than this machine",
                "give another --machine");
  }
  if (left_out) {
    notes.push_back(fmt::format("points with more than the {} of this machine are left out",
                                counted(machine_cores, "core")));
  }
  return cases;
}

/// N of the largest matrix in the memory of the nodes, in whole blocks.
std::int64_t hpl_size(const HybridRequest& request, const MachineFile& machine,
                      const report::StudyPoint& point, int nb) {
  if (request.size > 0 && request.study.empty()) return request.size;
  double bytes = 0;
  for (const auto& domain : machine.topology.numa_nodes) {
    bytes += static_cast<double>(domain.memory_bytes);
  }
  const int nodes = point.size_nodes > 0 ? point.size_nodes : point.nodes;
  double n = bytes > 0 ? std::sqrt(kMatrixShare * bytes * nodes / 8)
                       : static_cast<double>(kUnknownMemorySize);
  if (!request.cluster.empty()) n = static_cast<double>(kClusterSize);
  if (request.size > 0) n = static_cast<double>(request.size);
  n *= point.size_share;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(n) / nb) * nb;
}

model::CgProblem cg_problem(const HybridRequest& request) {
  model::CgProblem problem = model::cg_class(request.cg_class);
  if (request.size > 0) problem.n = request.size;
  return problem;
}

HybridRow row_of(const HybridRequest& request, const MachineFile& machine, HybridInputs& inputs,
                 const Asked& asked) {
  HybridRow row;
  row.part = asked.part;
  if (asked.has_paper) row.paper = asked.point.paper;
  const int nodes = asked.point.nodes, cores = asked.point.cores;
  if (request.program == "cg") {
    const model::CgProblem problem = cg_problem(request);
    row.size = problem.n;
    row.flops = model::flops_of(problem);
    row.of = model::cg_case(problem, nodes, cores);
  } else {
    const int nb = request.block > 0 ? request.block : kPaperBlock;
    const model::HplProblem problem{hpl_size(request, machine, asked.point, nb), nb};
    row.size = problem.n;
    row.flops = model::flops_of(problem);
    std::optional<model::Grid> grid;
    if (!request.grid.empty()) grid = parse_grid(request.grid);
    row.of = model::hpl_case(problem, nodes, cores, grid);
  }
  inputs.cores = cores;
  HybridInputs of_node = inputs;
  if (!request.cluster.empty()) of_node.speed = shared_speed(inputs.speed, nodes);
  row.time = model::predict_hybrid(row.of.blocks, of_node);
  row.speed_beside = of_node.speed.at(cores - 1) / of_node.speed.at(cores);
  const auto bytes = static_cast<std::uint64_t>(row.of.blocks.front().mpi.message_bytes);
  if (nodes > 1) row.bandwidths = model::three_bandwidths(inputs, bytes);
  row.of.blocks.clear();
  return row;
}

std::string problem_of(const HybridRequest& request, const HybridReport& report) {
  if (request.program == "hpl") {
    const int nb = request.block > 0 ? request.block : kPaperBlock;
    const bool same = std::ranges::all_of(
        report.rows, [&](const HybridRow& row) { return row.size == report.rows[0].size; });
    return same ? fmt::format("N {}, NB {}", report.rows[0].size, nb) : fmt::format("NB {}", nb);
  }
  if (request.size > 0)
    return fmt::format("N {}, iterations of class {}", request.size, request.cg_class);
  return "class " + request.cg_class;
}

void add_notes(const HybridRequest& request, const MachineFile& machine, HybridReport& report) {
  std::set<std::pair<int, int>> shapes;
  bool inside_unknown = false, saturates = false;
  for (const HybridRow& row : report.rows) {
    shapes.emplace(row.of.nodes, row.of.cores);
    inside_unknown = inside_unknown || (row.of.cores > 1 && row.time.mpi.inside_s == 0 &&
                                        row.of.mpi_volume.inside.numerator() > 0);
    saturates = saturates || row.of.cores > report.speed.cores();
  }
  if (inside_unknown) {
    report.notes.emplace_back(
        "no path between the cores of a node was measured: MPI leaves out messages in a node; give "
        "--inside-bandwidth");
  }
  if (saturates) {
    report.notes.push_back(fmt::format(
        "P(k) is known up to {} only: the prediction assumes that more cores add nothing",
        counted(report.speed.cores(), "core")));
  }
  if (request.program == "hpl") {
    // Bad numbers of nodes, and the grid of the last case.
    std::set<int> named;
    for (const auto& [nodes, cores] : shapes) {
      const std::vector<std::string> advice = report::hpl_advice(nodes, cores);
      const bool last = std::pair(nodes, cores) == *shapes.rbegin();
      if (advice.size() > 1 && named.insert(nodes).second) report.notes.push_back(advice.front());
      if (last) report.notes.push_back(advice.back());
    }
  }
  if (machine.measured && request.speed_gflops.empty()) {
    const std::vector<std::string> doubts = machine::reliability_notes(*machine.measured);
    report.notes.insert(report.notes.end(), doubts.begin(), doubts.end());
  }
}

/// The network of a cluster, in place of a measured one that is not given either.
void take_network(const cluster::Cluster& cluster, GivenNetwork& network) {
  if (network.bandwidth.empty()) {
    network.bandwidth = fmt::format("{:.6f}MB/s", cluster.request.bytes_per_second / 1e6);
  }
  // Without added latency, a message between network namespaces takes tens of microseconds.
  constexpr double kNamespaces_s = 50e-6;
  if (network.latency.empty()) {
    network.latency = fmt::format("{:.9f}s", cluster.request.latency_s + kNamespaces_s);
  }
}

void measure(const HybridRequest& request, HybridReport& report) {
  HybridRuns runs;
  runs.program = request.program;
  runs.cg_class = request.cg_class;
  runs.repeat = request.repeat;
  runs.block = request.block > 0 ? request.block : kPaperBlock;
  runs.launcher = request.launcher;
  runs.folder = std::filesystem::absolute("plait-figures/" + run::iso_now());
  const cluster::Cluster cluster = cluster_for_results(request.cluster, runs.folder);
  measure_hybrid(runs, cluster, report.rows);
  report.measured_on = fmt::format("{} of {} at {}: medians of {} in {}",
                                   counted(cluster.nodes.size(), "emulated node"),
                                   counted(cluster.nodes.front().cores, "core"),
                                   format_bits_per_second(cluster.request.bytes_per_second),
                                   counted(runs.repeat, "run"), runs.folder.string());
}

}  // namespace

HybridReport forecast_hybrid(const HybridRequest& given) {
  HybridRequest request = given;
  if (!request.cluster.empty()) {
    const std::optional<cluster::Cluster> cluster = cluster::find(request.cluster);
    if (!cluster) {
      throw Error("--cluster " + request.cluster, "no such cluster is up",
                  "start it: plait cluster up --nodes 2 --cores-per-node 1 --rate 1gbit");
    }
    if (request.program == "cg" && request.size > 0) {
      throw Error("--size", "plait-cg runs the benchmark's classes only", "give --class");
    }
    take_network(*cluster, request.network);
  }
  const MachineFile machine = machine::open_machine(request.machine);
  auto [speed, source] = speed_of(request, machine);
  HybridReport report{request.program, "", machine.host, speed, source, "", false, {}, "", {}, ""};
  HybridInputs inputs = inputs_of(request, machine, std::move(speed));
  if (!request.study.empty()) {
    const report::Study& study = report::viet_study(request.program, request.study);
    report.study = study.name + ": " + study.title;
    report.differences = study.differences;
  }
  const int machine_cores =
      std::max(report.speed.cores(), static_cast<int>(machine.topology.allowed_cores().size()));
  for (const Asked& asked : asked_cases(request, machine_cores, report.notes)) {
    report.rows.push_back(row_of(request, machine, inputs, asked));
  }
  report.problem = problem_of(request, report);
  if (!request.cluster.empty()) measure(request, report);
  add_notes(request, machine, report);
  return report;
}

}  // namespace plait::advise
