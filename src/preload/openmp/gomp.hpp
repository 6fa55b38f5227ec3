// SPDX-License-Identifier: BSD-3-Clause
// Declarations shared by the wrappers of GOMP_* entry points.
#pragma once

#include "preload/openmp/gomp_runtime.hpp"
#include "preload/openmp/team.hpp"

#define PLAIT_EXPORT __attribute__((visibility("default"), used))
#define PLAIT_CALLER __builtin_return_address(0)
