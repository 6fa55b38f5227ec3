// SPDX-License-Identifier: BSD-3-Clause
// Measures a collective operation of the step's ranks, by size.
#include <algorithm>
#include <cstring>

#include "measure/clock.hpp"
#include "measure/sizes.hpp"
#include "task.hpp"

namespace plait::measure {
namespace {

class CollectiveTask : public Task {
public:
  explicit CollectiveTask(const TaskContext& context)
      : context_(context),
        send_(buffer_bytes(), PageSize::system),
        receive_(buffer_bytes(), PageSize::system) {
    std::memset(send_.bytes(), 0, send_.size());
    std::memset(receive_.bytes(), 0, receive_.size());
  }

  [[nodiscard]] std::vector<Cell> cells() const override {
    if (context_.step.what == "barrier") return {{0, 0}};
    std::vector<Cell> cells;
    for (const std::uint64_t bytes : collective_sizes(context_.step.sizes, context_.members)) {
      cells.push_back({bytes, 0});
    }
    return cells;
  }

  double carry_out(const Cell& cell, int repetitions) override {
    double own = 0;
    for (int r = 0; r < repetitions; ++r) {
      // One operation at a time: if a root ran ahead, it would hide the waiting time of the others.
      context_.mpi.barrier(context_.comm);
      const std::int64_t begin = now_ns();
      call(cell.bytes);
      own += static_cast<double>(now_ns() - begin) * 1e-9;
    }
    double slowest = 0;
    context_.mpi.reduce(&own, &slowest, 1, context_.mpi.real, context_.mpi.max, 0, context_.comm);
    return slowest / repetitions * 1e6;
  }

private:
  [[nodiscard]] std::size_t buffer_bytes() const {
    const auto sizes = collective_sizes(context_.step.sizes, context_.members);
    return std::max<std::size_t>(8, sizes.back() * static_cast<std::size_t>(context_.members));
  }

  void call(std::size_t bytes) {
    const MpiLibrary& mpi = context_.mpi;
    const int count = static_cast<int>(bytes);
    const int reals = static_cast<int>(bytes / sizeof(double));
    const std::string& what = context_.step.what;
    if (what == "barrier") {
      mpi.barrier(context_.comm);
    } else if (what == "bcast") {
      mpi.bcast(send_.bytes(), count, mpi.byte, 0, context_.comm);
    } else if (what == "reduce") {
      mpi.reduce(send_.bytes(), receive_.bytes(), reals, mpi.real, mpi.sum, 0, context_.comm);
    } else if (what == "allreduce") {
      mpi.allreduce(send_.bytes(), receive_.bytes(), reals, mpi.real, mpi.sum, context_.comm);
    } else if (what == "allgather") {
      mpi.allgather(send_.bytes(), count, mpi.byte, receive_.bytes(), count, mpi.byte,
                    context_.comm);
    } else {
      mpi.alltoall(send_.bytes(), count, mpi.byte, receive_.bytes(), count, mpi.byte,
                   context_.comm);
    }
  }

  TaskContext context_;
  Pages send_;
  Pages receive_;
};

}  // namespace

std::unique_ptr<Task> make_collective_task(const TaskContext& context) {
  return std::make_unique<CollectiveTask>(context);
}

}  // namespace plait::measure
