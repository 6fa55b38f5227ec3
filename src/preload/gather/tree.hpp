// SPDX-License-Identifier: BSD-3-Clause
// Containers on their way through the tree of the nodes' first processes, in pieces.
//
// Each process first sends its own container to its parent, and then passes on those of its
// children, one child after the other: it needs memory for one piece. The root writes them. Only
// when the root has a container whole does its sender remove the files.
#pragma once

#include <stdint.h>

#include "preload/calls/abi.hpp"

namespace plait::preload::gather {

constexpr uint64_t kPiece = 1 << 20;  // bytes

/// The place of a process in the tree. Place 0 is the root.
struct Tree {
  MPI_Comm comm;
  const int* ranks;  ///< of all places
  int places, place;
  const char* folder;  ///< root: where containers are written
};

/// One container, on its way to the root, which may be this process.
class Sending {
public:
  /// @param name  a new one for the container, without a folder and a suffix
  Sending(const Tree& tree, const char* name);
  bool put(const void* data, uint64_t bytes);
  /// @param complete  false: the container is not to be kept
  /// @return true when the root has written it
  bool end(bool complete);

private:
  const Tree& tree_;
};

/// Says to the parent that nothing more comes from here and below.
void finish(const Tree& tree);

/// Passes on what the children send, or writes it, until all have finished.
/// @param piece  memory for kPiece bytes
void serve_children(const Tree& tree, char* piece);

}  // namespace plait::preload::gather
