// SPDX-License-Identifier: BSD-3-Clause
// Converts the results of the probe on several nodes to the figures of the machine file.
#include "measure/node_results.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "measure/path_figures.hpp"
#include "measure/variants.hpp"

namespace plait::measure {
namespace {

using machine::Measured;
using machine::Statistic;

/// The cells of one step by size and variant.
using StepCells = std::map<std::pair<std::uint64_t, int>, Statistic>;

class Results {
public:
  Results(const NodePlan& plan, const ProbeOutput& output, std::string setting, Measured& measured)
      : plan_(plan), setting_(std::move(setting)), measured_(measured) {
    for (const ProbeOutput::Sentinel& sample : output.sentinels) {
      sentinels_[sample.step] = sample.ns;
    }
    for (const ProbeCell& cell : output.cells) {
      if (cell.step >= plan.steps.size()) continue;
      cells_[cell.step][{cell.bytes, cell.variant}] = summarize(cell.samples, cell.disturbed);
      const StepKind kind = plan.probe.steps[cell.step].kind;
      if (kind == StepKind::eager) {
        const bool eager = cell.samples.front() > 0.5;
        eager_[{plan.steps[cell.step].path, cell.bytes}] = eager;
        if (setting_.empty())
          path(plan.steps[cell.step].path).mpi_eager.push_back({cell.bytes, eager});
      } else if (!plan.steps[cell.step].path.empty() && setting_.empty() &&
                 kind != StepKind::overlap && kind != StepKind::mixed) {
        add_to_path(path(plan.steps[cell.step].path), kind, cell, plan.steps[cell.step].pairs);
      }
    }
    for (machine::Path& path : measured_.paths) remove_incomplete(path);
  }

  void add() {
    for (const auto& [index, cells] : cells_) {
      const ProbeStep& step = plan_.probe.steps[index];
      const NodeStep& what = plan_.steps[index];
      if (step.kind == StepKind::overlap) add_overlap(step, what, cells, sentinel_before(index));
      if (step.kind == StepKind::mixed) add_mixed(step, what, cells);
      if (step.kind == StepKind::collective) add_collective(step, what, cells);
    }
  }

private:
  machine::Path& path(const std::string& id) {
    for (machine::Path& known : measured_.paths) {
      if (known.id == id) return known;
    }
    measured_.paths.emplace_back();
    machine::Path& added = measured_.paths.back();
    added.id = id;
    added.name = id;
    return added;
  }

  /// The sentinel before a step; 0 if it is unknown.
  [[nodiscard]] double sentinel_before(std::size_t step) const {
    const auto found = sentinels_.find(step);
    return found == sentinels_.end() ? 0 : found->second;
  }

  [[nodiscard]] std::string protocol(const std::string& path, std::uint64_t bytes) const {
    const auto found = eager_.find({path, bytes});
    return found != eager_.end() && found->second ? "eager" : "rendezvous";
  }

  /// The figure of a size and variant; null if the run ended before it.
  static const Statistic* find(const StepCells& cells, std::uint64_t bytes, int variant) {
    const auto found = cells.find({bytes, variant});
    return found == cells.end() ? nullptr : &found->second;
  }

  void add_overlap(const ProbeStep& step, const NodeStep& what, const StepCells& cells,
                   double sentinel_ns) {
    const std::size_t dash = step.what.find('-');
    for (const std::uint64_t bytes : step.sizes) {
      const Statistic* const transfer = find(cells, bytes, overlap_variant::transfer);
      const Statistic* const alone = find(cells, bytes, overlap_variant::beside(0));
      if (transfer == nullptr || alone == nullptr) continue;
      // An eager send completes when the library has taken the message, before it has arrived.
      const Statistic& message = transfer->median > alone->median ? *transfer : *alone;
      const Statistic* const threads = find(cells, 0, overlap_variant::threads);
      for (std::size_t i = 0; i < overlap_variant::kAmounts.size(); ++i) {
        const Statistic* const total = find(cells, bytes, overlap_variant::beside(i));
        const Statistic* const work = find(cells, bytes, overlap_variant::work(i));
        if (total == nullptr || (work == nullptr && i > 0)) continue;
        machine::OverlapPoint point;
        point.path = what.path;
        point.operation = step.what.substr(0, dash);
        point.protocol = protocol(what.path, bytes);
        point.bytes = bytes;
        point.work = step.what.substr(dash + 1);
        point.work_us = work == nullptr ? 0 : work->median;
        point.alone_us = message.median;
        point.alone_range_us = {message.ci_low, message.ci_high};
        if (work != nullptr) point.work_range_us = {work->ci_low, work->ci_high};
        point.total_us = *total;
        point.disturbed =
            message.disturbed + total->disturbed + (work == nullptr ? 0 : work->disturbed);
        if (threads != nullptr) point.threads = static_cast<int>(threads->median);
        point.sentinel_ns = sentinel_ns;
        point.setting = setting_;
        measured_.overlap.push_back(std::move(point));
      }
    }
  }

  void add_mixed(const ProbeStep& step, const NodeStep& what, const StepCells& cells) {
    for (const std::uint64_t bytes : step.sizes) {
      const Statistic* const inter = find(cells, bytes, mixed_variant::inter);
      const Statistic* const intra = find(cells, bytes, mixed_variant::intra);
      const Statistic* const both = find(cells, bytes, mixed_variant::both);
      if (inter == nullptr || intra == nullptr || both == nullptr) continue;
      machine::MixedPoint point;
      point.senders = step.pairs[0].leader == step.pairs[1].leader ? 1 : 2;
      point.protocol = protocol(what.path, bytes);
      point.intra_bytes = step.inside_bytes;
      point.inter_bytes = bytes;
      point.intra_us = *intra;
      point.inter_us = *inter;
      point.both_us = *both;
      point.rank0 = what.rank0;
      point.across_sockets = what.across_sockets;
      measured_.mixed.push_back(std::move(point));
    }
  }

  void add_collective(const ProbeStep& step, const NodeStep& what, const StepCells& cells) {
    const int ranks = static_cast<int>(step.ranks.size());
    for (const auto& [key, time_us] : cells) {
      const std::uint64_t bytes = key.first;
      if (what.placement == "packed") {
        measured_.collectives.push_back({step.what, ranks, what.nodes, bytes, time_us});
      }
      if (step.what != "alltoall") continue;
      std::vector<double> gbs;
      for (const double us : time_us.samples) {
        gbs.push_back(bandwidth_gbs(static_cast<double>(bytes) * (ranks - 1), us));
      }
      measured_.all_to_all.push_back({what.nodes, what.per_node, what.per_socket, what.placement,
                                      bytes, summarize(gbs, time_us.disturbed)});
    }
  }

  const NodePlan& plan_;
  std::string setting_;
  Measured& measured_;
  std::map<std::size_t, StepCells> cells_;
  std::map<std::size_t, double> sentinels_;
  std::map<std::pair<std::string, std::uint64_t>, bool> eager_;
};

}  // namespace

void add_node_figures(const NodePlan& plan, const ProbeOutput& output, const std::string& setting,
                      Measured& measured) {
  Results(plan, output, setting, measured).add();
}

void remove_node_figures(Measured& measured) {
  std::erase_if(measured.paths, [](const machine::Path& path) { return path.id == kNetworkPath; });
  for (machine::Path& path : measured.paths) path.mpi_eager.clear();
  measured.all_to_all.clear();
  measured.overlap.clear();
  measured.overlap_verdicts.clear();
  measured.mixed.clear();
  measured.mixed_verdicts.clear();
  measured.collectives.clear();
}

}  // namespace plait::measure
