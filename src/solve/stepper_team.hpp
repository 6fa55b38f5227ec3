// SPDX-License-Identifier: BSD-3-Clause
// Schedules in which the whole team computes alike: blocking, nonblocking, polled.
#pragma once

#include "solve/stepper_job.hpp"

namespace plait::solve {

/// The exchange, then all cells, or the reverse. With threads: packed by all, sent by the main one.
void run_blocking(const StepJob& job);

/// The interior between send and wait.
void run_nonblocking(const StepJob& job);

/// The same; the main thread lets MPI progress between the blocks of its share.
void run_polled(const StepJob& job);

/// A step for measurement: the exchange alone, then the interior by all threads but the main one,
/// then the boundary by that one; or the computation first.
void run_with_one_less(const StepJob& job);

}  // namespace plait::solve
