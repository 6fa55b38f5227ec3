// SPDX-License-Identifier: BSD-3-Clause
// A call tree of two ranks: rank 1 spends three times as much in assemble().
#pragma once

#include "samples/call_tree.hpp"

namespace plait::samples::test {

inline CallTree made_tree() {
  CallTree tree;
  tree.rate_hz = 100;
  tree.threads = {{0, 0, "main", 400, 0, 0, 4}, {1, 0, "main", 800, 2, 1, 8}};
  tree.functions = {
      {"main()", "main", "/home/user/app.cpp", 3, "/home/user/app", "code"},
      {"assemble(Mesh&)", "assemble", "/home/user/mesh.cpp", 60, "/home/user/app", "code"},
      {"element()", "element", "/home/user/mesh.cpp", 20, "/home/user/app", "code"},
      {"solve()", "solve", "/home/user/solve.cpp", 10, "/home/user/app", "code"},
      {"exp", "exp", "", 0, "/lib/libm.so.6", "system"},
      {"MPI_Barrier", "MPI_Barrier", "", 0, "", "mpi"}};
  tree.nodes = {{-1, 0, 5, false}, {0, 1, 62, false}, {1, 2, 21, true},  {2, 4, 0, false},
                {-1, 0, 6, false}, {4, 3, 12, false}, {-1, 0, 7, false}, {6, 5, 0, false}};
  tree.counts = {{2, 0, State::code, 50},  {2, 1, State::code, 150}, {3, 0, State::code, 150},
                 {3, 1, State::code, 450}, {5, 0, State::code, 200}, {5, 1, State::code, 200},
                 {7, 0, State::mpi, 400}};
  tree.region_names = {"step"};
  tree.region_counts = {{2, 0, 0, 50}};
  tree.notes = {"a note"};
  return tree;
}

}  // namespace plait::samples::test
