// SPDX-License-Identifier: BSD-3-Clause
// The two things that a chunk of a transpose waits for.
#pragma once

#include "plait/transpose.hpp"
#include "solve/schedules/wait.hpp"

namespace plait::solve {

/// The messages of a chunk.
class ChunkArrival final : public InFlight {
public:
  ChunkArrival(Transpose& transpose, int chunk) : transpose_(transpose), chunk_(chunk) {}
  bool test() override { return transpose_.test(chunk_); }
  void wait() override { transpose_.wait(chunk_); }

private:
  Transpose& transpose_;
  int chunk_;
};

/// That the other ranks have unpacked what this rank has sent.
class ChunkRelease final : public InFlight {
public:
  ChunkRelease(Transpose& transpose, int chunk) : transpose_(transpose), chunk_(chunk) {}
  bool test() override { return transpose_.released(chunk_); }

private:
  Transpose& transpose_;
  int chunk_;
};

}  // namespace plait::solve
