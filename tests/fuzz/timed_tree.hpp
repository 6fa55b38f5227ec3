// SPDX-License-Identifier: BSD-3-Clause
// The call tree to which fuzzed times of samples belong.
#pragma once

#include "samples/call_tree.hpp"

namespace plait::fuzz {

/// Two ranks with a thread each, with samples in two functions and the time of some.
inline samples::CallTree timed_tree() {
  samples::CallTree tree;
  tree.rate_hz = 100;
  tree.threads = {{0, 0, "main", 5, 0, 0, 1}, {1, 0, "main", 7, 0, 0, 1}};
  tree.functions = {{"main", "main", "/nowhere/app.c", 3, "/nowhere/app", "code"},
                    {"MPI_Send", "MPI_Send", "", 0, "", "mpi"}};
  tree.nodes = {{-1, 0, 5, false}, {0, 1, 0, false}};
  tree.counts = {{0, 0, samples::State::code, 5}, {1, 1, samples::State::mpi, 7}};
  tree.times = {{100, 0, 0, 7, samples::State::code, 1},
                {200, 0, 0, 7, samples::State::code, 3},
                {150, 1, 1, 8, samples::State::mpi, 2}};
  return tree;
}

}  // namespace plait::fuzz
