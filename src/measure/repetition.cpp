// SPDX-License-Identifier: BSD-3-Clause
// Plans which parts of a measurement are repeated because their figures are unusable.
#include "measure/repetition.hpp"

#include <algorithm>
#include <optional>

#include "machine/figures.hpp"

namespace plait::measure {
namespace {

using machine::FigureKind;

/// The step of the probe that measures figures of this kind; empty if none does inside a node.
std::optional<StepKind> step_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::pingpong:
      return StepKind::pingpong;
    case FigureKind::off_cache:
      return StepKind::pingpong_off_cache;
    case FigureKind::pingping:
      return StepKind::pingping;
    case FigureKind::multi_pair:
      return StepKind::multi_pair;
    case FigureKind::multi_pair_pingping:
      return StepKind::multi_pair_pingping;
    case FigureKind::send_overhead:
    case FigureKind::receive_overhead:
      return StepKind::overhead;
    case FigureKind::back_to_back:
      return StepKind::back_to_back;
    default:
      return std::nullopt;
  }
}

}  // namespace

Repetition plan_repetition(const machine::Measured& measured) {
  Repetition repetition;
  for (const machine::Figure& figure : machine::figures_of(measured)) {
    if (figure.value->unusable.empty()) continue;
    switch (figure.kind) {
      case FigureKind::stream:
      case FigureKind::jacobi:
      case FigureKind::peak:
        repetition.cores.insert(figure.count);
        break;
      case FigureKind::bare_line:
      case FigureKind::bare_memcpy:
      case FigureKind::bare_pingping:
      case FigureKind::bare_multi_pair:
        repetition.bare_paths.insert(figure.path);
        break;
      default: {
        const auto step = step_of(figure.kind);
        if (!step) continue;
        repetition.steps.insert({figure.path, *step});
      }
    }
    ++repetition.figures;
  }
  return repetition;
}

MpiPlan only(const MpiPlan& plan, const std::set<PathStep>& steps, double seconds) {
  MpiPlan part = plan;
  part.probe.steps.clear();
  part.origins.clear();
  double whole = 0;
  for (std::size_t i = 0; i < plan.probe.steps.size(); ++i) {
    if (steps.count({plan.origins[i].job, plan.probe.steps[i].kind}) == 0) continue;
    part.probe.steps.push_back(plan.probe.steps[i]);
    part.origins.push_back(plan.origins[i]);
    whole += plan.probe.steps[i].seconds;
  }
  for (ProbeStep& step : part.probe.steps) step.seconds *= std::max(0.1, seconds) / whole;
  return part;
}

}  // namespace plait::measure
