// SPDX-License-Identifier: BSD-3-Clause
// Pure MPI against hybrid programs: the time of a program in the three models of Viet et al. 2005.
#include "model/hybrid_prediction.hpp"

#include <algorithm>

#include "plait/error.hpp"

namespace plait::model {
namespace {

std::uint64_t size_of(const NodeMessages& sent) {
  return static_cast<std::uint64_t>(std::max(1.0, sent.message_bytes));
}

/// The time between nodes at one end of its interval.
double network_s(const NodeMessages& sent, const HybridInputs& inputs, Bound end) {
  if (sent.bytes <= 0) return 0;
  const std::optional<Link> link = inputs.network(size_of(sent));
  if (!link) {
    throw Error("network", "messages between nodes were not measured on this machine",
                "run plait measure there on two nodes, or give --latency and --bandwidth");
  }
  const bool least = end == Bound::low && sent.least_bytes > 0;
  return (least ? sent.least_bytes : sent.bytes) /
             bandwidth_of(*link, sent.channels, slowest_at(end)) +
         sent.messages * value_at(link->latency_s, end);
}

/// The time of messages inside a node; 0 if their path was not measured.
double inside_s(const NodeMessages& sent, const HybridInputs& inputs, Bound end) {
  if (sent.inside_bytes <= 0) return 0;
  const std::optional<Link> link = inputs.inside(size_of(sent));
  if (!link) return 0;
  return sent.inside_bytes / bandwidth_of(*link, inputs.cores, slowest_at(end)) +
         sent.inside_messages * value_at(link->latency_s, end);
}

Predicted at_all_ends(const std::function<double(Bound)>& time) {
  const double s = time(Bound::value);
  return {s, std::min(s, time(Bound::low)), std::max(s, time(Bound::high))};
}

Predicted sum(const Predicted& a, const Predicted& b) {
  return {a.s + b.s, a.low_s + b.low_s, a.high_s + b.high_s};
}

Predicted times(const Predicted& a, double factor) {
  return {a.s * factor, a.low_s * factor, a.high_s * factor};
}

/// Work with a communication, as the overlap operators take it.
StepWork step_work(double work, const Predicted& communicate) {
  StepWork step;
  step.cells = work;
  step.communicate_s = communicate.s;
  step.communicate_low_s = communicate.low_s;
  step.communicate_high_s = communicate.high_s;
  return step;
}

ModelTime mpi_time(const HybridBlock& block, const HybridInputs& inputs) {
  const Predicted inside = at_all_ends([&](Bound end) { return inside_s(block.mpi, inputs, end); });
  const Predicted between =
      at_all_ends([&](Bound end) { return network_s(block.mpi, inputs, end); });
  const double speed = inputs.speed.at(inputs.cores);
  return {blocking_time(step_work(block.work + block.outside_mpi, sum(inside, between)),
                        inputs.speed, inputs.cores),
          block.work / speed,
          block.outside_mpi / speed,
          between.s,
          inside.s,
          0};
}

Predicted outside_of(const HybridBlock& block, const HybridInputs& inputs) {
  return blocking_time(step_work(block.outside_hybrid, {}), inputs.speed, 1);
}

ModelTime pc_time(const HybridBlock& block, const HybridInputs& inputs) {
  const Predicted between =
      at_all_ends([&](Bound end) { return network_s(block.pc, inputs, end); });
  const Predicted outside = outside_of(block, inputs);
  return {sum(blocking_time(step_work(block.work, between), inputs.speed, inputs.cores), outside),
          block.work / inputs.speed.at(inputs.cores),
          outside.s,
          between.s,
          0,
          0};
}

ModelTime tc_time(const HybridBlock& block, const HybridInputs& inputs) {
  const Predicted between =
      at_all_ends([&](Bound end) { return network_s(block.tc, inputs, end); });
  const Predicted outside = outside_of(block, inputs);
  const Predicted beside = times(between, 1 - block.exposed);
  const Predicted busy = block.outside_overlaps ? sum(beside, outside) : beside;
  const StepWork step = step_work(block.work, busy);
  Predicted beside_work = tasks_time(step, inputs.speed, inputs.cores);
  if (inputs.cores == 1) beside_work.low_s = ideal_overlap_time(step, inputs.speed, 1).low_s;
  Predicted total = sum(beside_work, times(between, block.exposed));
  if (!block.outside_overlaps) total = sum(total, outside);
  const double others = inputs.speed.at(inputs.cores - 1);
  return {total,     block.work / inputs.speed.at(inputs.cores),
          outside.s, between.s,
          0,         others > 0 ? std::min(busy.s, block.work / others) : 0};
}

void add(ModelTime& to, const ModelTime& one, double runs) {
  to.total = sum(to.total, times(one.total, runs));
  to.compute_s += runs * one.compute_s;
  to.outside_s += runs * one.outside_s;
  to.communicate_s += runs * one.communicate_s;
  to.inside_s += runs * one.inside_s;
  to.overlap_s += runs * one.overlap_s;
}

}  // namespace

double value_at(const Interval& value, Bound bound) {
  if (bound == Bound::low) return value.low;
  return bound == Bound::high ? value.high : value.value;
}

Bound slowest_at(Bound time) {
  if (time == Bound::low) return Bound::high;
  return time == Bound::high ? Bound::low : Bound::value;
}

double bandwidth_of(const Link& link, int channels, Bound bound) {
  const double pair = value_at(link.pair_bytes_per_s, bound);
  return std::max(pair, std::min(channels * pair, value_at(link.several_bytes_per_s, bound)));
}

HybridPrediction predict_hybrid(const std::vector<HybridBlock>& blocks,
                                const HybridInputs& inputs) {
  HybridPrediction all;
  for (const HybridBlock& block : blocks) {
    add(all.mpi, mpi_time(block, inputs), block.runs);
    add(all.pc, pc_time(block, inputs), block.runs);
    add(all.tc, tc_time(block, inputs), block.runs);
  }
  return all;
}

}  // namespace plait::model
