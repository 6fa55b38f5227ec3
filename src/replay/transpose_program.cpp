// SPDX-License-Identifier: BSD-3-Clause
// Computation and all-to-all exchanges by turns as a program, as in spectral solvers; steps are
// computed on demand.
#include <numeric>

#include "plait/error.hpp"
#include "replay/program.hpp"

namespace plait::replay {
namespace {

using std::uint32_t;

class TransposeSteps final : public Program {
public:
  explicit TransposeSteps(const TransposeProgram& of)
      : of_(of), all_(of.ranks), done_(of.ranks, 0) {
    std::iota(all_.begin(), all_.end(), 0U);
  }

  uint32_t ranks() const override { return of_.ranks; }
  uint32_t node_of(uint32_t rank) const override { return rank / of_.ranks_per_node; }
  uint32_t compute_shared_by(uint32_t /*rank*/) const override { return 1; }
  CollectiveStep collective(uint32_t /*index*/) const override {
    return {Pattern::alltoall, 0, &all_, of_.bytes};
  }
  void rewind() override { done_.assign(done_.size(), 0); }

  Step next(uint32_t rank) override {
    Step step;
    if (done_[rank] == 2 * of_.iterations) return step;
    const uint32_t number = done_[rank]++;
    if (number % 2 == 0) {
      step.kind = StepKind::compute;
      step.seconds = of_.compute_s;
      return step;
    }
    step.kind = StepKind::collective;
    step.partner = rank;
    step.bytes = of_.bytes;
    step.collective = number / 2;
    return step;
  }

private:
  TransposeProgram of_;
  std::vector<uint32_t> all_;
  std::vector<uint32_t> done_;  ///< steps of each rank
};

}  // namespace

std::unique_ptr<Program> transpose_program(const TransposeProgram& of) {
  if (of.ranks == 0 || of.ranks > kMostTransposingRanks || of.ranks_per_node == 0) {
    throw Error("transposes", "need 1 to 65536 ranks, and at least 1 per node", "use fewer ranks");
  }
  return std::make_unique<TransposeSteps>(of);
}

}  // namespace plait::replay
