// SPDX-License-Identifier: BSD-3-Clause
// What plait check has to do with a function, by its name.
#pragma once

#include <stdint.h>

#include "preload/profile/functions.hpp"

namespace plait::preload {

enum class Role : uint8_t {
  kOther,  ///< only that it was called; a request that it makes can leak
  kSend,   ///< also persistent and nonblocking
  kReceive,
  kSendReceive,
  kProbe,           ///< MPI_Probe
  kMatchedProbe,    ///< MPI_Mprobe, MPI_Improbe
  kMatchedReceive,  ///< MPI_Mrecv, MPI_Imrecv
  kStart,
  kWait,
  kTest,
  kCancel,
  kCollective,
  kInit,
  kFinalize
};

/// Which of its requests a Wait or Test ends.
enum class Ends : uint8_t { kOne, kAll, kAny, kSome };

/// Whose arguments mean something in a collective.
enum class Shape : uint8_t { kPlain, kGather, kScatter, kNeighbor };

struct Traits {
  Role role;
  Ends ends;
  Shape shape;
  bool rooted;         ///< a collective with a root
  bool persistent;     ///< *_init
  bool buffered;       ///< waits for nobody
  bool replaces;       ///< Sendrecv_replace: one buffer
  bool any_time;       ///< may be called before Init, after Finalize and by every thread
  bool makes_objects;  ///< a handle that the program has to free
};

const Traits& traits_of(uint32_t function);

/// To be called once, before traits_of.
void learn_traits();

}  // namespace plait::preload
