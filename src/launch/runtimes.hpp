// SPDX-License-Identifier: BSD-3-Clause
// Libraries on this system that matter to a run: OpenMP runtimes and MPI libraries.
#pragma once

#include <string>
#include <vector>

namespace plait::launch {

struct OmpRuntime {
  std::string name;  ///< "libgomp", "libomp", "libiomp5"
  std::string path;
  bool ompt = false;  ///< has OMPT's entry points
};

/// OpenMP runtimes in LD_LIBRARY_PATH, the linker's cache and LLVM's usual folders; each file once.
std::vector<OmpRuntime> find_omp_runtimes();

/// The first runtime with OMPT that can stand in for libgomp; empty when there is none.
std::string find_llvm_openmp();

}  // namespace plait::launch
