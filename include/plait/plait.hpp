// SPDX-License-Identifier: BSD-3-Clause
// The whole library in one header: grid, field, halo, schedules, transposes, reductions, kernels.
#pragma once

#include "plait/box.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/environment.hpp"
#include "plait/error.hpp"
#include "plait/field.hpp"
#include "plait/grains.hpp"
#include "plait/halo.hpp"
#include "plait/jacobi_kernel.hpp"
#include "plait/locality_queues.hpp"
#include "plait/rank_map.hpp"
#include "plait/reduction.hpp"
#include "plait/schedule.hpp"
#include "plait/side.hpp"
#include "plait/sparse_block.hpp"
#include "plait/sparse_matrix.hpp"
#include "plait/stepper.hpp"
#include "plait/temporal_jacobi.hpp"
#include "plait/transpose.hpp"
#include "plait/transpose_shape.hpp"
#include "plait/transpose_stepper.hpp"
