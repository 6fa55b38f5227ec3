// SPDX-License-Identifier: BSD-3-Clause
// Opens an MPI library at run time and finds its functions and handles.
#include "mpi_library.hpp"

#include <dlfcn.h>

#include "base/failure.hpp"
#include "plait/error.hpp"

namespace plait::measure {
namespace {

void* symbol(void* library, const char* name) {
  void* const address = ::dlsym(library, name);
  if (address == nullptr) {
    throw Failure("MPI library", std::string("has no ") + name, "choose another MPI with --mpi");
  }
  return address;
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(symbol(library, name));
}

// Open MPI's handles are addresses of objects in the library.
template <class Handle>
void find(void* library, const NamedHandle<Handle>& constant, Handle& handle) {
  handle = static_cast<Handle>(symbol(library, constant.symbol));
}

template <class Handle>
void find(void*, const NumberedHandle<Handle>& constant, Handle& handle) {
  handle = constant.handle();
}

void find_handles(void* library, MpiLibrary& mpi) {
  find(library, kCommWorld, mpi.world);
  find(library, kByte, mpi.byte);
  find(library, kDouble, mpi.real);
  find(library, kMax, mpi.max);
  find(library, kSum, mpi.sum);
  mpi.no_status = MPI_STATUS_IGNORE;
  mpi.no_statuses = MPI_STATUSES_IGNORE;
}

}  // namespace

MpiLibrary MpiLibrary::open(const std::vector<std::string>& candidates) {
  std::string why;
  for (const std::string& candidate : candidates) {
    void* const library = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      why += (why.empty() ? "" : ", ") + std::string(::dlerror());
      continue;
    }
    MpiLibrary mpi;
    find(library, "MPI_Init", mpi.init);
    find(library, "MPI_Init_thread", mpi.init_thread);
    find(library, "MPI_Finalize", mpi.finalize);
    find(library, "MPI_Comm_rank", mpi.comm_rank);
    find(library, "MPI_Comm_size", mpi.comm_size);
    find(library, "MPI_Comm_split", mpi.comm_split);
    find(library, "MPI_Comm_free", mpi.comm_free);
    find(library, "MPI_Send", mpi.send);
    find(library, "MPI_Recv", mpi.recv);
    find(library, "MPI_Isend", mpi.isend);
    find(library, "MPI_Irecv", mpi.irecv);
    find(library, "MPI_Wait", mpi.wait);
    find(library, "MPI_Waitall", mpi.waitall);
    find(library, "MPI_Test", mpi.test);
    find(library, "MPI_Barrier", mpi.barrier);
    find(library, "MPI_Ibarrier", mpi.ibarrier);
    find(library, "MPI_Bcast", mpi.bcast);
    find(library, "MPI_Reduce", mpi.reduce);
    find(library, "MPI_Allreduce", mpi.allreduce);
    find(library, "MPI_Allgather", mpi.allgather);
    find(library, "MPI_Alltoall", mpi.alltoall);
    find(library, "MPI_Get_library_version", mpi.get_library_version);
    find_handles(library, mpi);
    return mpi;
  }
  throw Failure("MPI library", "cannot be opened (" + why + ")",
                "set LD_LIBRARY_PATH as for your programs");
}

}  // namespace plait::measure
