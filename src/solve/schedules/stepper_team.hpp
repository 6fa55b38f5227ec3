// SPDX-License-Identifier: BSD-3-Clause
// Schedules in which all threads of the team compute alike: blocking, nonblocking, polled.
#pragma once

#include "solve/schedules/stepper_job.hpp"

namespace plait::solve {

/// The exchange, then all cells, or the reverse. All threads pack; the main thread sends.
void run_blocking(const StepJob& job);

/// Updates the interior between sending and waiting.
void run_nonblocking(const StepJob& job);

/// Like nonblocking, but the main thread lets MPI progress between the blocks of its share.
void run_polled(const StepJob& job);

/// A step for measurement: the exchange alone, then the interior by all threads except the main
/// one, then the boundary by the main thread; or the computation first, depending on the order.
void run_with_one_less(const StepJob& job);

}  // namespace plait::solve
