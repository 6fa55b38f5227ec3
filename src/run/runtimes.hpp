// SPDX-License-Identifier: BSD-3-Clause
// Finds the OpenMP runtimes of this system.
#pragma once

#include <string>
#include <vector>

namespace plait::run {

struct OmpRuntime {
  std::string name;  ///< "libgomp", "libomp", "libiomp5"
  std::string path;
  bool ompt = false;  ///< supports OMPT
};

/// OpenMP runtimes in LD_LIBRARY_PATH, the linker's cache and LLVM's usual folders; each file once.
std::vector<OmpRuntime> find_omp_runtimes();

/// The first runtime with OMPT that can replace libgomp; empty if there is none.
std::string find_llvm_openmp();

}  // namespace plait::run
