// SPDX-License-Identifier: BSD-3-Clause
// How plait check handles a function, by its name.
#pragma once

#include <stdint.h>

namespace plait::preload {

enum class Role : uint8_t {
  other,  ///< only that it was called; a request that it makes can leak
  send,   ///< also persistent and nonblocking
  receive,
  send_receive,
  probe,            ///< MPI_Probe, MPI_Iprobe
  matched_probe,    ///< MPI_Mprobe, MPI_Improbe
  matched_receive,  ///< MPI_Mrecv, MPI_Imrecv
  start,
  wait,
  test,
  cancel,
  collective,
  init,
  finalize
};

/// The requests that a Wait or Test ends.
enum class Ends : uint8_t { one, all, any, some };

/// Which processes' arguments are significant in a collective.
enum class Shape : uint8_t { plain, gather, scatter, neighbor };

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
  bool frees_object;   ///< its first argument
};

const Traits& traits_of(uint32_t function);

/// To be called once, before traits_of.
void learn_traits();

}  // namespace plait::preload
