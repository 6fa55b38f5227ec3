// SPDX-License-Identifier: BSD-3-Clause
// How plait check handles a function, by its name.
#include "preload/check/traits.hpp"

#include <stdio.h>
#include <string.h>

#include "preload/calls/function_info.hpp"

namespace plait::preload {
namespace {

Traits all[kMostFunctions];

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
  return ends(name, "all")    ? Ends::all
         : ends(name, "any")  ? Ends::any
         : ends(name, "some") ? Ends::some
                              : Ends::one;
}

// Collective over a group that is not that of a communicator, or over a file: the members of a
// communicator may make these calls in different orders.
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
  if (is_one_of(name, sends)) return Role::send;
  if (is_one_of(name, receives)) return Role::receive;
  if (is_one_of(name, both)) return Role::send_receive;
  if (is_one_of(name, waits)) return Role::wait;
  if (is_one_of(name, tests)) return Role::test;
  if (!strcmp(name, "Probe") || !strcmp(name, "Iprobe")) return Role::probe;
  if (!strcmp(name, "Mprobe") || !strcmp(name, "Improbe")) return Role::matched_probe;
  if (!strcmp(name, "Mrecv") || !strcmp(name, "Imrecv")) return Role::matched_receive;
  if (!strcmp(name, "Start") || !strcmp(name, "Startall")) return Role::start;
  if (!strcmp(name, "Cancel")) return Role::cancel;
  if (!strcmp(name, "Init") || !strcmp(name, "Init_thread")) return Role::init;
  if (!strcmp(name, "Finalize")) return Role::finalize;
  if (has_no_order(name)) return Role::other;
  const bool partitioned = starts(name, "Psend") || starts(name, "Precv");
  const bool session = starts(name, "Session");
  if (collective || (ends(name, "_init") && !partitioned && !session)) return Role::collective;
  return Role::other;
}

Shape shape_of(const char* name) {
  if (strstr(name, "eighbor")) return Shape::neighbor;
  if (strstr(name, "llgather") || strstr(name, "educe_scatter")) return Shape::plain;
  if (strstr(name, "ather")) return Shape::gather;
  if (strstr(name, "catter")) return Shape::scatter;
  return Shape::plain;
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

bool frees_object(const char* name) {
  static const char* const names[] = {"Comm_disconnect", "File_close"};
  return ends(name, "_free") || is_one_of(name, names);
}

bool makes_objects(const char* name) {
  // Handles that these return are not new, or may be predefined.
  static const char* const others[] = {"Comm_get_parent", "Type_match_size", "Type_commit",
                                       "Type_get_value_index", "File_get_view"};
  return !is_one_of(name, others) && !starts(name, "Type_create_f90") && !frees_object(name);
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
  for (uint32_t i = 0; i < kFunctionsInAll; ++i) {
    char name[80] = "";
    snprintf(name, sizeof name, "%s", kFunctions[i].name + 4);
    if (ends(name, "_c")) name[strlen(name) - 2] = '\0';
    Traits& traits = all[i];
    traits.role = role_of(name, kFunctions[i].collective);
    traits.ends = ends_of(name);
    traits.shape = shape_of(name);
    traits.rooted = traits.role == Role::collective && has_root(name);
    traits.persistent = ends(name, "_init") && !starts(name, "Session");
    traits.buffered = strstr(name, "bsend") || strstr(name, "Bsend");
    traits.replaces = ends(name, "_replace");
    traits.any_time = at_any_time(name);
    traits.makes_objects = makes_objects(name);
    traits.frees_object = frees_object(name);
  }
}

}  // namespace plait::preload
