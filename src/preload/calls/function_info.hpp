// SPDX-License-Identifier: BSD-3-Clause
// Names of the wrapped MPI functions by their numbers, which differ between ABIs.
#pragma once

#include <stdint.h>

namespace plait::preload {

struct FunctionInfo {
  const char* name;  ///< "MPI_Send"
  bool collective;
};

/// Indexed by FunctionId (functions.hpp).
extern const FunctionInfo kFunctions[];
extern const uint32_t kFunctionsInAll;
constexpr uint32_t kMostFunctions = 1024;

}  // namespace plait::preload
