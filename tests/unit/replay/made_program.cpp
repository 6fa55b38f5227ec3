// SPDX-License-Identifier: BSD-3-Clause
// Builds programs step by step for tests of the engine.
#include "made_program.hpp"

#include <algorithm>

namespace plait::replay {

using std::uint32_t;

MadeProgram::MadeProgram(uint32_t ranks, uint32_t ranks_per_node)
    : ranks_per_node_(ranks_per_node), steps_(ranks), next_(ranks) {}

Step& MadeProgram::add(uint32_t rank, StepKind kind) {
  Step step;
  step.kind = kind;
  return steps_[rank].emplace_back(step);
}

void MadeProgram::compute(uint32_t rank, double seconds) {
  add(rank, StepKind::compute).seconds = seconds;
}

void MadeProgram::call(uint32_t rank, double seconds) {
  add(rank, StepKind::call).seconds = seconds;
}

void MadeProgram::send(uint32_t rank, uint32_t to, std::uint64_t bytes, uint32_t tag) {
  isend(rank, to, bytes, 0, tag);
  last(rank).kind = StepKind::send;
}

void MadeProgram::receive(uint32_t rank, uint32_t source, uint32_t tag) {
  ireceive(rank, source, 0, tag);
  last(rank).kind = StepKind::receive;
}

void MadeProgram::isend(uint32_t rank, uint32_t to, std::uint64_t bytes, uint32_t request,
                        uint32_t tag) {
  Step& step = add(rank, StepKind::isend);
  step.partner = to;
  step.bytes = bytes;
  step.request = request;
  step.tag = tag;
}

void MadeProgram::ireceive(uint32_t rank, uint32_t source, uint32_t request, uint32_t tag) {
  Step& step = add(rank, StepKind::ireceive);
  step.partner = source;
  step.request = request;
  step.tag = tag;
}

void MadeProgram::wait(uint32_t rank, uint32_t request) {
  add(rank, StepKind::wait).request = request;
}

uint32_t MadeProgram::collective(Pattern pattern, std::vector<uint32_t> members,
                                 std::uint64_t bytes, uint32_t root) {
  members_.push_back(std::move(members));
  collectives_.push_back({pattern, root, &members_.back(), bytes});
  return static_cast<uint32_t>(collectives_.size() - 1);
}

void MadeProgram::join(uint32_t rank, uint32_t collective) {
  begin(rank, collective, 0);
  last(rank).kind = StepKind::collective;
}

void MadeProgram::begin(uint32_t rank, uint32_t collective, uint32_t request) {
  const std::vector<uint32_t>& members = *collectives_[collective].members;
  Step& step = add(rank, StepKind::icollective);
  step.collective = collective;
  step.request = request;
  step.partner =
      static_cast<uint32_t>(std::find(members.begin(), members.end(), rank) - members.begin());
}

Step MadeProgram::next(uint32_t rank) {
  if (next_[rank] == steps_[rank].size()) return {};
  return steps_[rank][next_[rank]++];
}

}  // namespace plait::replay
