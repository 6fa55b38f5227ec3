// SPDX-License-Identifier: BSD-3-Clause
// Builds programs step by step for tests of the engine.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <vector>

#include "replay/program.hpp"

namespace plait::replay {

/// Each rank's steps, in the order in which they are added.
class MadeProgram final : public Program {
public:
  /// @param ranks_per_node  0: all on one node
  explicit MadeProgram(std::uint32_t ranks, std::uint32_t ranks_per_node = 0);

  void compute(std::uint32_t rank, double seconds);
  void call(std::uint32_t rank, double seconds);
  void send(std::uint32_t rank, std::uint32_t to, std::uint64_t bytes, std::uint32_t tag = 0);
  void receive(std::uint32_t rank, std::uint32_t source, std::uint32_t tag = 0);
  void isend(std::uint32_t rank, std::uint32_t to, std::uint64_t bytes, std::uint32_t request,
             std::uint32_t tag = 0);
  void ireceive(std::uint32_t rank, std::uint32_t source, std::uint32_t request,
                std::uint32_t tag = 0);
  void wait(std::uint32_t rank, std::uint32_t request);
  /// Adds a collective of these ranks and returns its number.
  std::uint32_t collective(Pattern pattern, std::vector<std::uint32_t> members, std::uint64_t bytes,
                           std::uint32_t root = 0);
  void join(std::uint32_t rank, std::uint32_t collective);
  void begin(std::uint32_t rank, std::uint32_t collective, std::uint32_t request);
  /// The step added last.
  Step& last(std::uint32_t rank) { return steps_[rank].back(); }

  bool compute_alone = false;  ///< computation times are those of a rank alone on its node

  std::uint32_t ranks() const override { return static_cast<std::uint32_t>(steps_.size()); }
  std::uint32_t node_of(std::uint32_t rank) const override {
    return ranks_per_node_ == 0 ? 0 : rank / ranks_per_node_;
  }
  std::uint32_t compute_shared_by(std::uint32_t /*rank*/) const override {
    return compute_alone ? 1 : 0;
  }
  Step next(std::uint32_t rank) override;
  CollectiveStep collective(std::uint32_t index) const override { return collectives_[index]; }
  void rewind() override { next_.assign(steps_.size(), 0); }

private:
  Step& add(std::uint32_t rank, StepKind kind);

  std::uint32_t ranks_per_node_;
  std::vector<std::vector<Step>> steps_;
  std::vector<std::size_t> next_;
  std::vector<CollectiveStep> collectives_;
  std::deque<std::vector<std::uint32_t>> members_;
};

}  // namespace plait::replay
