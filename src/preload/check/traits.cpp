// SPDX-License-Identifier: BSD-3-Clause
// What plait check has to do with a function, by its name.
#include "preload/check/traits.hpp"

#include <stdio.h>
#include <string.h>

namespace plait::preload {
namespace {

Traits all[kFunctionCount];

template <uint32_t count>
bool is_one_of(const char* name, const char* const (&names)[count]) {
  for (const char* known : names)
    if (!strcmp(name, known)) return true;
  return false;
}

bool starts(const char* name, const char* with) {
  return !strncmp(name, with, strlen(with));
}

bool ends(const char* name, const char* with) {
  const size_t length = strlen(name), tail = strlen(with);
  return length >= tail && !strcmp(name + length - tail, with);
}

Ends ends_of(const char* name) {
  return ends(name, "all")    ? Ends::kAll
         : ends(name, "any")  ? Ends::kAny
         : ends(name, "some") ? Ends::kSome
                              : Ends::kOne;
}

// Collective over a group that is no communicator of all callers, or over a file: the order of
// these calls on a communicator is not one for all of its members.
bool has_no_order(const char* name) {
  static const char* const names[] = {"Comm_create_group", "Comm_create_from_group", "Comm_join",
                                      "Intercomm_create_from_groups"};
  return is_one_of(name, names) || (starts(name, "File_") && strcmp(name, "File_open") != 0);
}

Role role_of(const char* name, bool collective) {
  static const char* const sends[] = {"Send",      "Bsend",      "Ssend",      "Rsend",
                                      "Isend",     "Ibsend",     "Issend",     "Irsend",
                                      "Send_init", "Bsend_init", "Ssend_init", "Rsend_init"};
  static const char* const receives[] = {"Recv", "Irecv", "Recv_init"};
  static const char* const both[] = {"Sendrecv", "Sendrecv_replace", "Isendrecv",
                                     "Isendrecv_replace"};
  static const char* const waits[] = {"Wait", "Waitall", "Waitany", "Waitsome"};
  static const char* const tests[] = {"Test", "Testall", "Testany", "Testsome"};
  if (is_one_of(name, sends)) return Role::kSend;
  if (is_one_of(name, receives)) return Role::kReceive;
  if (is_one_of(name, both)) return Role::kSendReceive;
  if (is_one_of(name, waits)) return Role::kWait;
  if (is_one_of(name, tests)) return Role::kTest;
  if (!strcmp(name, "Probe")) return Role::kProbe;
  if (!strcmp(name, "Mprobe") || !strcmp(name, "Improbe")) return Role::kMatchedProbe;
  if (!strcmp(name, "Mrecv") || !strcmp(name, "Imrecv")) return Role::kMatchedReceive;
  if (!strcmp(name, "Start") || !strcmp(name, "Startall")) return Role::kStart;
  if (!strcmp(name, "Cancel")) return Role::kCancel;
  if (!strcmp(name, "Init") || !strcmp(name, "Init_thread")) return Role::kInit;
  if (!strcmp(name, "Finalize")) return Role::kFinalize;
  if (has_no_order(name)) return Role::kOther;
  const bool partitioned = starts(name, "Psend") || starts(name, "Precv");
  const bool session = starts(name, "Session");
  if (collective || (ends(name, "_init") && !partitioned && !session)) return Role::kCollective;
  return Role::kOther;
}

Shape shape_of(const char* name) {
  if (strstr(name, "eighbor")) return Shape::kNeighbor;
  if (strstr(name, "llgather") || strstr(name, "educe_scatter")) return Shape::kPlain;
  if (strstr(name, "ather")) return Shape::kGather;
  if (strstr(name, "catter")) return Shape::kScatter;
  return Shape::kPlain;
}

bool has_root(const char* name) {
  static const char* const parts[] = {"cast", "ather", "catter", "educe"};
  if (strstr(name, "eighbor") || strstr(name, "llgather") || strstr(name, "educe_scatter") ||
      strstr(name, "llreduce"))
    return false;
  for (const char* part : parts)
    if (strstr(name, part)) return true;
  return false;
}

bool makes_objects(const char* name) {
  // Handles that these return belong to somebody else, or are predefined.
  static const char* const others[] = {"Comm_get_parent", "Type_match_size", "Type_commit",
                                       "Type_get_value_index"};
  return !is_one_of(name, others) && !starts(name, "Type_create_f90") && !ends(name, "_free") &&
         strcmp(name, "Comm_disconnect") != 0 && strcmp(name, "File_close") != 0;
}

bool at_any_time(const char* name) {
  static const char* const names[] = {"Initialized", "Finalized", "Query_thread", "Is_thread_main"};
  return is_one_of(name, names) || starts(name, "Session_") || starts(name, "Info_") ||
         starts(name, "Error_") || starts(name, "Add_error") || starts(name, "Remove_error");
}

}  // namespace

const Traits& traits_of(uint32_t function) {
  return all[function];
}

void learn_traits() {
  for (uint32_t i = 0; i < kFunctionCount; ++i) {
    char name[80] = "";
    snprintf(name, sizeof name, "%s", kFunctions[i].name + 4);
    if (ends(name, "_c")) name[strlen(name) - 2] = '\0';
    Traits& traits = all[i];
    traits.role = role_of(name, kFunctions[i].collective);
    traits.ends = ends_of(name);
    traits.shape = shape_of(name);
    traits.rooted = traits.role == Role::kCollective && has_root(name);
    traits.persistent = ends(name, "_init") && !starts(name, "Session");
    traits.buffered = strstr(name, "bsend") || strstr(name, "Bsend");
    traits.replaces = ends(name, "_replace");
    traits.any_time = at_any_time(name);
    traits.makes_objects = makes_objects(name);
  }
}

}  // namespace plait::preload
