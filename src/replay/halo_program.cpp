// SPDX-License-Identifier: BSD-3-Clause
// A halo exchange on a grid of ranks as a program; steps are computed on demand.
#include "plait/error.hpp"
#include "replay/program.hpp"

namespace plait::replay {
namespace {

using std::uint32_t;
using trace::kNone;

/// An iteration: computation, then for each axis both receives, both sends, and their waits. Steps
/// for missing neighbours are skipped.
class HaloSteps final : public Program {
public:
  explicit HaloSteps(const HaloProgram& of) : of_(of) {
    ranks_ = of.parts[0] * of.parts[1] * of.parts[2];
    places_.resize(ranks_);
  }

  uint32_t ranks() const override { return ranks_; }
  uint32_t node_of(uint32_t rank) const override { return rank / of_.ranks_per_node; }
  uint32_t compute_shared_by(uint32_t /*rank*/) const override { return 1; }
  CollectiveStep collective(uint32_t /*index*/) const override { return {}; }
  void rewind() override { places_.assign(ranks_, Place{}); }

  Step next(uint32_t rank) override {
    Place& place = places_[rank];
    Step step;
    while (place.iteration < of_.iterations) {
      const uint32_t number = place.step;
      const uint32_t iteration = place.iteration;
      if (++place.step == 1 + 3 * kStepsOfAxis) {
        place.step = 0;
        ++place.iteration;
      }
      if (number == 0) {
        if (of_.compute_s <= 0) continue;
        step.kind = StepKind::compute;
        step.seconds = of_.compute_s;
        return step;
      }
      if (communicate(rank, iteration, number - 1, step)) return step;
    }
    return step;
  }

private:
  static constexpr uint32_t kStepsOfAxis = 8;
  struct Place {
    uint32_t iteration = 0, step = 0;
  };

  /// The neighbour below (side 0) or above (side 1); kNone: no neighbour.
  [[nodiscard]] uint32_t neighbour(uint32_t rank, uint32_t axis, uint32_t side) const {
    const uint32_t stride = axis == 0 ? 1 : axis == 1 ? of_.parts[0] : of_.parts[0] * of_.parts[1];
    const uint32_t parts = of_.parts[axis];
    const uint32_t at = rank / stride % parts;
    const bool at_end = side == 0 ? at == 0 : at + 1 == parts;
    if (parts == 1 || (at_end && !of_.periodic)) return kNone;
    if (side == 0) return at_end ? rank + (parts - 1) * stride : rank - stride;
    return at_end ? rank - (parts - 1) * stride : rank + stride;
  }

  bool communicate(uint32_t rank, uint32_t iteration, uint32_t number, Step& step) const {
    const uint32_t axis = number / kStepsOfAxis;
    const uint32_t action = number % kStepsOfAxis / 2;
    const uint32_t side = number % 2;
    const uint32_t partner = neighbour(rank, axis, side);
    if (partner == kNone || of_.face_bytes[axis] == 0) return false;
    constexpr StepKind kinds[] = {StepKind::ireceive, StepKind::isend, StepKind::wait,
                                  StepKind::wait};
    step.kind = kinds[action];
    step.partner = partner;
    step.bytes = of_.face_bytes[axis];
    // Requests: receives, then sends; receives are waited for first.
    step.request = (action == 0 || action == 2 ? 0U : 2U) + side;
    // The tag of a message contains the side of its sender.
    const uint32_t leaves_from = action == 0 ? 1 - side : side;
    step.tag = iteration * 6 + axis * 2 + leaves_from;
    return true;
  }

  HaloProgram of_;
  uint32_t ranks_ = 0;
  std::vector<Place> places_;
};

}  // namespace

std::unique_ptr<Program> halo_program(const HaloProgram& of) {
  std::uint64_t ranks = 1;
  for (const uint32_t parts : of.parts) ranks *= parts;
  if (ranks == 0 || ranks > (1U << 24) || of.ranks_per_node == 0) {
    throw Error("halo exchange", "needs 1 to 16777216 ranks, and at least 1 per node",
                "use fewer ranks");
  }
  return std::make_unique<HaloSteps>(of);
}

}  // namespace plait::replay
