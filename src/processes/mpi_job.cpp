// SPDX-License-Identifier: BSD-3-Clause
// Calls MPI for the command plait; compiled for each ABI.
#include "processes/mpi_job.hpp"

#include <dlfcn.h>
#include <time.h>

#include "abi/mpi.hpp"

namespace {

using namespace plait::mpi;  // NOLINT(google-build-using-namespace): MPI's own names

void* mpi;  // the library
MPI_Comm node, leaders;

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(mpi, name));
}

/// False if the library does not have the function, or it fails.
#define CALLED(name, ...) \
  (find<function::name>("MPI_" #name) && find<function::name>("MPI_" #name)(__VA_ARGS__) == 0)

template <class Handle>
Handle handle(const NamedHandle<Handle>& constant) {
  return static_cast<Handle>(dlsym(mpi, constant.symbol));
}

template <class Handle>
Handle handle(const NumberedHandle<Handle>& constant) {
  return constant.handle();
}

bool start(void* library, bool all_lead, plait_mpi_job* job) {
  mpi = library;
  int granted = 0, rank = 0, node_rank = 0, of_machine = 0;
  int each = all_lead ? 1 : 0;  // a launcher may not give all processes the same environment
  const MPI_Comm world = handle(kCommWorld);
  MPI_Comm machine;
  if (!CALLED(Init_thread, nullptr, nullptr, MPI_THREAD_FUNNELED, &granted) ||
      !CALLED(Comm_rank, world, &rank) || !CALLED(Comm_size, world, &job->processes) ||
      !CALLED(Bcast, &each, sizeof each, handle(kByte), 0, world) ||
      !CALLED(Comm_split_type, world, MPI_COMM_TYPE_SHARED, rank, handle(kInfoNull), &machine) ||
      !CALLED(Comm_size, machine, &of_machine) ||
      !CALLED(Comm_split, machine, each ? rank : 0, rank, &node) ||
      !CALLED(Comm_rank, node, &node_rank) || !CALLED(Comm_size, node, &job->node_size) ||
      !CALLED(Comm_split, world, node_rank == 0 ? 0 : 1, rank, &leaders) ||
      !CALLED(Comm_rank, leaders, &job->rank) || !CALLED(Comm_size, leaders, &job->size)) {
    return false;
  }
  job->leaders_of_node = each ? of_machine : 1;
  if (node_rank != 0) job->rank = -1;
  return true;
}

bool gather_on_node(const void* own, int bytes, void* all) {
  const MPI_Datatype byte = handle(kByte);
  return CALLED(Allgather, own, bytes, byte, all, bytes, byte, node);
}

bool gather(const std::int64_t* own, std::int64_t* all) {
  const MPI_Datatype byte = handle(kByte);
  return CALLED(Allgather, own, sizeof *own, byte, all, sizeof *own, byte, leaders);
}

bool swap_numbers(const std::int64_t* to, std::int64_t* from) {
  const MPI_Datatype byte = handle(kByte);
  return CALLED(Alltoall, to, sizeof *to, byte, from, sizeof *from, byte, leaders);
}

bool swap(const void* to, const int* to_bytes, const int* to_begins, void* from,
          const int* from_bytes, const int* from_begins) {
  const MPI_Datatype byte = handle(kByte);
  return CALLED(Alltoallv, to, to_bytes, to_begins, byte, from, from_bytes, from_begins, byte,
                leaders);
}

bool share(void* bytes, std::size_t count, int from) {
  return CALLED(Bcast, bytes, static_cast<int>(count), handle(kByte), from, leaders);
}

bool end() {
  const MPI_Comm world = handle(kCommWorld);
  MPI_Request request;
  if (!CALLED(Ibarrier, world, &request)) return false;
  // MPI libraries spin while they wait, on cores that the leader needs.
  for (int done = 0; done == 0;) {
    if (!CALLED(Test, &request, &done, MPI_STATUS_IGNORE)) return false;
    const timespec pause{0, 2'000'000};
    if (done == 0) nanosleep(&pause, nullptr);
  }
  return CALLED(Finalize);
}

plait_mpi_job the_job{
    1,    0,     1,  1, 1, std::size_t{1} << 30, start, gather_on_node, gather, swap_numbers,
    swap, share, end};

}  // namespace

plait_mpi_job* plait_mpi_job_of_object() {
  return &the_job;
}
