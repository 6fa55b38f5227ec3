// SPDX-License-Identifier: BSD-3-Clause
// Samples of call stacks: each thread is interrupted by a timer on its own CPU clock.
//
// A timer of each thread sends it a real-time signal. The handler unwinds the stack and counts it
// in the thread's table, which no other thread uses. libplait-signals.so keeps the signal from the
// program: system calls that would return early, and masks. libplait-threads.so says which threads
// begin.
#pragma once

namespace plait::preload {

/// Starts sampling if it was asked for (PLAIT_OPTIONS: sample) and the record is open. Called by
/// each part that opens the record; later calls do nothing.
void sampling_start();

/// Looks again for what cannot be looked for in a signal handler: an interpreter of Python, loaded
/// objects.
void sampling_refresh();

/// Ends all timers, at exit.
void sampling_stop();

/// The fork handler's: the child has no timers, and must not touch the parent's file.
void sampling_forget();

}  // namespace plait::preload
