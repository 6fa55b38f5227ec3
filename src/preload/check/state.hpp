// SPDX-License-Identifier: BSD-3-Clause
// The state of plait check besides its file: threads, communicators, requests, handles.
// All functions expect check_lock to be held.
#pragma once

#include <stdint.h>

#include "preload/calls/call.hpp"
#include "preload/calls/communicators.hpp"
#include "preload/check/check.hpp"
#include "preload/check/log.hpp"
#include "preload/check/traits.hpp"

namespace plait::preload {

/// State to forget when a handle is freed, kept until the call has succeeded.
struct Freed {
  Word handle;
  uint32_t comm;  ///< a communicator or window: its index into COMMS
  plait_check_object object;
};

/// The call that a thread is in.
struct Checker {
  Arguments given;
  plait_check_thread* published;
  uint32_t index;     ///< into THREADS
  bool left_out;      ///< the library made the call
  bool reported;      ///< an argument of the call is wrong, and that was reported
  bool no_status;     ///< the program did not ask for the status of a receive
  bool polls;         ///< the call only looks for a message or the end of requests
  uint32_t first_op;  ///< of the operations that the call posted
  uint32_t posted;
  uint32_t after;  ///< operations of the process when the call began, its own included
  uint64_t epoch;  ///< number of the polls, of those of all threads
  uint64_t left;   ///< ticks at the end of the last call
  uint32_t comm;   ///< of the call; index into COMMS
  uint64_t ordinal;
  Freed freed;       ///< last
  Freed own_freed;   ///< by the call itself
  Word message;      ///< that the call receives
  uint32_t* waited;  ///< requests of the call (requests.hpp), 0: none; has room for wait_room
  uint32_t waiting, wait_room;
  MPI_Status* statuses;  ///< in place of ignored ones
  uint32_t status_room;
  Checker* next_free;
};

// communicators.cpp

/// The index into COMMS of a communicator or a window; 0 when it is unknown.
uint32_t known_comm(Call& call, Word comm);
uint32_t known_window(Call& call, Word win);
/// What the record knows of a communicator of the check file; nothing if it is unknown.
const CommInfo& info_of(uint32_t comm);
/// The number of the next collective call on it.
uint64_t next_ordinal(uint32_t comm);
/// The call with that number did not take place.
void give_back_ordinal(uint32_t comm, uint64_t ordinal);
/// The call of `checker` made a communicator. `base`: see key_base.
void keep_comm(Call& call, Word made, uint64_t base);
void keep_window(Call& call, Word made, uint64_t base);
/// What all members of a new communicator agree on before they know its members.
uint64_t key_base(const Call& call, const Checker& checker);
/// Forgets the handle; returns its index into COMMS.
uint32_t forget_known(Word handle, bool window);
/// The handle was not freed after all.
void remember_known(Word handle, uint32_t comm, bool window);

// operations.cpp

/// Posts the operations of a call before it is made, and records what it waits for.
void post_operations(Call& call, Checker& checker);
/// Ends those of a blocking call, or keeps the requests of a nonblocking one.
void end_operations(Call& call, Checker& checker, int code);
/// Appends an operation; its index, or ~0 without room.
uint32_t post(Call& call, Checker& checker, const plait_check_op& shape);
/// Keeps that the call ended the operation. `awaited`: it could not return before.
void keep_end(const Checker& checker, plait_check_op* op, bool awaited);
/// Keeps the message that a receive got, unless the library did not fill in the status.
void take_status(plait_check_op* op, const MPI_Status& status);
/// A rank or tag of an argument or a status, as the check file has it.
int32_t kept_rank(int rank);
int32_t kept_tag(int tag);
/// The class of an error code. MPI_ERR_TRUNCATE: the receive did match.
int error_class(int code);
/// Does it say that the call refused its arguments, so that nothing happened?
bool is_about_arguments(int error_class);

// polls.cpp

/// Before a call: sets Checker::polls, and ends the polls before it if it is another one.
void polls_begin(Checker& checker, const Traits& traits);
/// After a call that polls.
void polls_end(const Call& call, Checker& checker, int code);

// objects.cpp

uint32_t keep_object(plait_check_object_kind kind, Word handle, uint32_t function, uint32_t site);
/// Returns what it was.
plait_check_object drop_object(plait_check_object_kind kind, Word handle);
void drop_object(uint32_t object);
/// Keeps the objects that the call made.
void keep_made(Call& call, Checker& checker);

// check.cpp

/// Keeps a finding of this process; equal ones count as one.
void find(const plait_check_finding& finding);

}  // namespace plait::preload
