// SPDX-License-Identifier: BSD-3-Clause
// Measures messages between and within nodes, collectives, and whether messages move during
// computation.
#include "measure/node_measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/failure.hpp"
#include "base/layout.hpp"
#include "machine/paths.hpp"
#include "measure/clock.hpp"
#include "measure/memory_speed.hpp"
#include "measure/node_plan.hpp"
#include "measure/node_results.hpp"
#include "measure/progress_settings.hpp"
#include "measure/sentinel.hpp"
#include "measure/team.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"

namespace plait::measure {
namespace {

constexpr double kLookLimit = 60;
/// Extra seconds for starting and finishing a run.
constexpr double kLaunchLimit = 30;
/// A run is killed after this multiple of its time; its ranks give up somewhat earlier.
constexpr double kPatience = 3;
/// The fraction of the time for each setting that is tried.
constexpr double kSettingShare = 0.12;
/// Ranks exit on their own this many seconds after the launcher is killed.
constexpr double kOwnLimit = 10;

/// The id of the path between the first two ranks of a node, by the topology of this node.
std::string node_path(const machine::Topology& topology, const NodePlace& node) {
  const auto core_of = [&](int pu) {
    for (const machine::Core& core : topology.cores) {
      if (std::find(core.pus.begin(), core.pus.end(), pu) != core.pus.end()) return core.id;
    }
    return -1;
  };
  if (node.cores.size() < 2) return "node";
  const int a = core_of(node.cores[0].pu);
  const int b = core_of(node.cores[1].pu);
  return a < 0 || b < 0 ? "node" : machine::path_between(topology, a, b).id;
}

class NodesMeasurement {
public:
  NodesMeasurement(const NodesRequest& request, MeasureOutcome& outcome)
      : request_(request),
        outcome_(outcome),
        mpi_(choose_mpi(request.mpi, install_layout().libexec)),
        begin_s_(now_s()),
        progress_("measuring", request.seconds) {}

  void run() {
    look();
    if (request_.figure) {
      everything(plan_figure(nodes_, plan_request(0.8 * request_.seconds), *request_.figure),
                 request_.seconds);
      return;
    }
    const std::vector<ProgressSetting> settings =
        not_quarantined(progress_settings(mpi_.launcher.kind), mpi_.launcher, run::quarantined(),
                        outcome_.warnings);
    const double left_s = request_.seconds - (now_s() - begin_s_);
    const double setting_s = kSettingShare * request_.seconds;
    const double main_s = left_s - setting_s * static_cast<double>(settings.size());
    const double seconds = std::max(1.0, 0.9 * main_s - 2);
    everything(plan_nodes(nodes_, plan_request(seconds)), seconds);
    for (const ProgressSetting& setting : settings) {
      if (nodes_.size() > 1 || nodes_.front().cores.size() > 1) {
        with_setting(setting, std::max(0.5, 0.8 * setting_s - 2));
      }
    }
    if (!outcome_.file.measured) return;
    machine::Measured& measured = *outcome_.file.measured;
    measured.duration_s += now_s() - begin_s_;
    if (!measured.sentinel) measured.sentinel = judge_sentinel(sentinels_);
    const std::string speed = sentinel_warning(sentinels_);
    if (!speed.empty()) outcome_.warnings.push_back(speed);
  }

private:
  void look() {
    progress_.part(fmt::format("inspecting {}", counted(request_.nodes.size(), "node")));
    const ProbePlan plan = plan_look(request_.nodes.size(), mpi_.libraries, kLookLimit + kOwnLimit);
    const MpiOutcome seen = start(plan, 1, {}, kLookLimit);
    nodes_ = nodes_of(seen.output.places);
    const auto reason = [&]() -> std::string {
      if (!seen.failure.empty()) return seen.failure;
      if (nodes_.size() != request_.nodes.size()) {
        return fmt::format("its ranks ran on {} of {} nodes", nodes_.size(), request_.nodes.size());
      }
      const bool none = std::any_of(nodes_.begin(), nodes_.end(),
                                    [](const NodePlace& node) { return node.cores.empty(); });
      return none ? "a node does not report its allowed cores" : "";
    }();
    if (reason.empty()) return;
    throw Failure(fmt::format("{} on {}", mpi_.launcher.path, fmt::join(request_.nodes, ",")),
                  reason,
                  "check that this launcher can start programs there, that all nodes share " +
                      request_.folder.string() + ", and whether it needs --launcher-options");
  }

  void everything(const NodePlan& plan, double seconds) {
    outcome_.file.notes.insert(outcome_.file.notes.end(), plan.notes.begin(), plan.notes.end());
    if (plan.probe.steps.empty()) return;
    const MpiOutcome outcome =
        start(plan.probe, plan.per_node, {}, kPatience * seconds + kLaunchLimit, "all nodes");
    if (!outcome.failure.empty()) {
      outcome_.warnings.push_back(
          fmt::format("the measurement of {} is incomplete: {}; check the launcher options",
                      counted(nodes_.size(), "node"), outcome.failure));
    }
    if (outcome.output.cells.empty()) return;
    if (!outcome_.file.measured) outcome_.file.measured.emplace();
    machine::Measured& measured = *outcome_.file.measured;
    remove_node_figures(measured);
    add_node_figures(plan, outcome.output, {}, measured);
    measured.mpi = machine::MpiContext{outcome.output.library, mpi_.launcher.path};
    describe_network(plan, measured);
    for (const ProbeOutput::Sentinel& sample : outcome.output.sentinels) {
      if (sample.step >= plan.steps.size()) continue;
      sentinels_.push_back({sample.ns, name_of(plan.probe.steps[sample.step].kind)});
    }
    report_skipped(outcome.output, {});
    judge_disturbance({outcome.output.delay_s, outcome.output.thread_s});
  }

  void describe_network(const NodePlan& plan, machine::Measured& measured) const {
    const auto nodes = static_cast<int>(nodes_.size());
    for (machine::Path& path : measured.paths) {
      if (path.id != kNetworkPath) continue;
      path.name = "between nodes";
      path.pairs = plan.node_pairs;
      path.pairs_total = nodes * (nodes - 1) / 2;
    }
  }

  void report_skipped(const ProbeOutput& output, const std::string& setting) {
    const std::string skipped = skipped_warning(output);
    if (skipped.empty()) return;
    outcome_.warnings.push_back(setting.empty() ? skipped : "with " + setting + ", " + skipped);
  }

  void judge_disturbance(const Disturbance& disturbance) {
    constexpr double kTolerated = 0.02;
    if (disturbance.share() <= kTolerated) return;
    outcome_.warnings.push_back(
        fmt::format("the ranks waited {} of the time for a CPU; medians may be too slow; "
                    "measure again on idle nodes",
                    format_percent(disturbance.share())));
  }

  void with_setting(const ProgressSetting& setting, double seconds) {
    const NodePlan plan = plan_setting(nodes_, plan_request(seconds), setting.poll);
    const double limit_s = kPatience * seconds + kLaunchLimit;
    const MpiOutcome outcome =
        start(plan.probe, plan.per_node, setting.environment, limit_s, setting.typed);
    if (outcome.hung) quarantine(setting, limit_s, plan.per_node);
    if (!outcome_.file.measured) return;
    add_node_figures(plan, outcome.output, setting.typed, *outcome_.file.measured);
    report_skipped(outcome.output, setting.typed);
    if (outcome.failure.empty()) return;
    if (outcome.failure.starts_with("out of time")) {
      outcome_.warnings.push_back(
          fmt::format("the measurement with {} is incomplete: {}; measure again on idle nodes",
                      setting.typed, outcome.failure));
      return;
    }
    outcome_.warnings.push_back(fmt::format("with {} this MPI {}: {}; do not use it here",
                                            setting.typed, outcome.hung ? "hangs" : "fails",
                                            outcome.failure));
  }

  /// If the entry cannot be written, that is only a warning, and all measurements are kept.
  void quarantine(const ProgressSetting& setting, double limit_s, int per_node) {
    try {
      quarantine_setting(setting, mpi_.launcher, limit_s,
                         probe_command(mpi_, request_.nodes, per_node, request_.launcher_options));
    } catch (const Error& error) {
      outcome_.warnings.emplace_back(error.what());
    }
  }

  [[nodiscard]] NodePlanRequest plan_request(double seconds) const {
    NodePlanRequest request;
    request.seconds = seconds;
    request.rounds = {0, request_.quick ? 0.10 : 0.05, request_.quick ? 60 : 200};
    request.libraries = mpi_.libraries;
    const machine::Topology& topology = outcome_.file.topology;
    request.off_cache_bytes = 2 * last_level_bytes(topology, topology.allowed_cores());
    request.per_node = request_.per_node;
    request.node_path = node_path(topology, nodes_.front());
    return request;
  }

  /// Runs the probe on all nodes.
  MpiOutcome start(ProbePlan plan, int per_node,
                   const std::vector<std::pair<std::string, std::string>>& environment,
                   double limit_s, const std::string& part = {}) {
    if (!part.empty()) {
      progress_.part(fmt::format("messages, {} ranks on {}: {}", plan.pus.size(),
                                 counted(request_.nodes.size(), "node"), part));
    }
    plan.limit_s = limit_s + kOwnLimit;
    ProbeStart probe;
    probe.command = probe_command(mpi_, request_.nodes, per_node, request_.launcher_options);
    probe.environment = probe_environment(mpi_, ::geteuid() == 0);
    probe.scratch_in = request_.folder;
    if (!environment.empty()) {
      // Not every launcher passes its environment to the nodes, so `env` sets the variables there.
      std::vector<std::string> env{"env"};
      for (const auto& [name, value] : environment) env.push_back(name + "=" + value);
      probe.command.insert(probe.command.end() - 1, env.begin(), env.end());
    }
    if (request_.adapt) probe = request_.adapt(probe);
    const Progress::Counting counting(progress_);
    return run_probe(probe, plan, limit_s);
  }

  const NodesRequest& request_;
  MeasureOutcome& outcome_;
  MpiChoice mpi_;
  double begin_s_;
  Progress progress_;
  std::vector<NodePlace> nodes_;
  std::vector<SentinelSample> sentinels_;
};

}  // namespace

void measure_nodes(const NodesRequest& request, MeasureOutcome& outcome) {
  NodesMeasurement(request, outcome).run();
}

}  // namespace plait::measure
