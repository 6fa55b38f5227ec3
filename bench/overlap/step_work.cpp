// SPDX-License-Identifier: BSD-3-Clause
// The two kinds of work: a Jacobi sweep, and a sleep of the same duration as a sweep.
#include "step_work.hpp"

#include <array>

#include "asleep_node.hpp"
#include "plait/jacobi_kernel.hpp"

namespace plait::bench {

namespace {

class RealJacobi final : public StepWork {
public:
  RealJacobi(const Int3& own, int threads) : kernel_(own, threads, 1), now_(own, 1), next_(own, 1) {
    for (int k = -1; k <= own[2]; ++k) {
      for (int j = -1; j <= own[1]; ++j) {
        for (int i = -1; i <= own[0]; ++i) now_(i, j, k) = next_(i, j, k) = (i + 2 * j + 3 * k) % 7;
      }
    }
  }

  [[nodiscard]] std::vector<FieldView> exchanged() const override { return {now_.view()}; }
  void update(const Box& box) override { kernel_(now_, next_, box); }
  void next() override { std::swap(now_, next_); }

private:
  JacobiKernel kernel_;
  Field<double> now_, next_;
};

class AsleepJacobi final : public StepWork {
public:
  explicit AsleepJacobi(const Int3& own)
      : fields_{Field<double>(own, 1), Field<double>(own, 1), Field<double>(own, 1)} {}

  [[nodiscard]] std::vector<FieldView> exchanged() const override {
    return {fields_[0].view(), fields_[1].view(), fields_[2].view()};
  }
  void update(const Box& box) override { node_.work(box.cells()); }
  void next() override {}

private:
  AsleepNode node_{{177e6, 198e6}};
  std::array<Field<double>, 3> fields_;
};

}  // namespace

std::unique_ptr<StepWork> real_jacobi(const Int3& own, int threads) {
  return std::make_unique<RealJacobi>(own, threads);
}

std::unique_ptr<StepWork> asleep_jacobi(const Int3& own) {
  return std::make_unique<AsleepJacobi>(own);
}

}  // namespace plait::bench
