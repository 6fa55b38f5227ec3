// SPDX-License-Identifier: BSD-3-Clause
// How benchmarks end: with one line for an error, and with a signal's exit code after that signal.
#pragma once

#include <fmt/format.h>

#include <cstdio>

#include "base/failure.hpp"
#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::bench {

/// @return the exit code of `run()`, of the error that it throws, or of the signal that ended it
template <class Run>
int benchmark_main(const Run& run) {
  try {
    return run();
  } catch (const Error& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    return exit_code_of(error);
  } catch (const Interrupted& interrupted) {
    fmt::print(stderr, "plait: {}\n", interrupted.what());
    return interrupted.exit_code();
  }
}

}  // namespace plait::bench
