// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI in a class template, from two functions. Does not call MPI_Initialized.
#include <mpi.h>

#include <string>
#include <vector>

namespace comm {

template <class Value, int width>
class Reducer {
public:
  explicit Reducer(const std::string& name) : name_(name) {}

  __attribute__((noinline)) void all(std::vector<Value>& values) const {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), width, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    __asm__ volatile("" ::"r"(name_.size()));
  }

private:
  std::string name_;
};

}  // namespace comm

namespace {

using Four = comm::Reducer<double, 4>;

__attribute__((noinline)) double norm(const Four& reducer, std::vector<double>& values) {
  reducer.all(values);
  return values[0];
}

__attribute__((noinline)) void step(const Four& reducer, std::vector<double>& values, int) {
  reducer.all(values);
  values[0] = 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Four reducer("residual");
  std::vector<double> values(4, 1);
  for (int i = 0; i < 3; ++i) step(reducer, values, i);
  const bool fine = norm(reducer, values) > 0;
  MPI_Finalize();
  return fine ? 0 : 1;
}
