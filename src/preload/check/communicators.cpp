// SPDX-License-Identifier: BSD-3-Clause
// Gives communicators the same names in all processes, and counts the collective calls on each.
//
// Ids of the record differ between processes. A communicator that a collective call on another one
// made is known by that one's key, the call's ordinal on it and its members: all members agree on
// these, in whatever order threads or nonblocking calls come. One that no observed call made (an
// extension of the library did) is uncertain: plait does not compare what happens on it.
#include "preload/calls/quiet_errors.hpp"
#include "preload/calls/traffic.hpp"
#include "preload/check/state.hpp"
#include "preload/handle_map.hpp"

namespace plait::preload {
namespace {

HandleMap known[2];     // handles to indices: communicators, windows
HandleMap made_before;  // how many of one base there were

plait_check_comm& comm_at(uint32_t index) {
  return check_entries<plait_check_comm>(PLAIT_CHECK_COMMS)[index];
}

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

uint64_t members_of(uint32_t id) {
  return id < record->sections[PLAIT_SECTION_COMMS].count
             ? entry_at<plait_comm_record>(PLAIT_SECTION_COMMS, id)->members_hash
             : 0;
}

uint32_t keep(Word handle, uint32_t id, uint64_t base, bool window) {
  known[window].remove(handle);
  base = mix(base, members_of(id));
  const uint32_t before = made_before.find(base);
  const uint32_t nth = before == HandleMap::kAbsent ? 0 : before + 1;
  made_before.set(base, nth);
  auto* comm = static_cast<plait_check_comm*>(check_append(PLAIT_CHECK_COMMS));
  if (!comm) return 0;
  comm->key = mix(base, nth);
  comm->record = id;
  const uint32_t index = check_count(PLAIT_CHECK_COMMS);
  check_publish(PLAIT_CHECK_COMMS);
  known[window].set(handle, index);
  return index;
}

// What a key begins with. kSeen: no observed call has made the handle.
constexpr uint64_t kSeen = 1, kGroup = 2, kInter = 3, kDynamic = 4, kNamed = 5;

uint64_t mix_text(uint64_t hash, const char* text) {
  for (; text && *text; ++text) hash = mix(hash, static_cast<uint8_t>(*text));
  return hash;
}

uint32_t id_of(Call& call, Word handle, bool window) {
  return window ? win_id(call.thread, as<MPI_Win>(handle))
                : comm_id(call.thread, as<MPI_Comm>(handle));
}

uint32_t look_up(Call& call, Word handle, bool window) {
  uint32_t index = known[window].find(handle);
  if (index != HandleMap::kAbsent) return index;
  const bool sure = !window && is_predefined(as<MPI_Comm>(handle));
  {
    const QuietErrors quiet(!sure);
    const uint32_t id = id_of(call, handle, window);
    index = id ? keep(handle, id, mix(kSeen, window), window) : 0;
  }
  if (!index) {
    ++check_file->unknown_comms;
    return 0;
  }
  // Of several with the same members, another process may have seen another one first.
  if (!sure) comm_at(index).flags |= PLAIT_CHECK_COMM_UNCERTAIN;
  return index;
}

void keep_made_by_call(Call& call, Word made, uint64_t base, bool window) {
  const uint32_t id = id_of(call, made, window);
  if (!id || !keep(made, id, base, window)) ++check_file->unknown_comms;
}

}  // namespace

uint32_t known_comm(Call& call, Word comm) {
  return may_be_comm(comm) ? look_up(call, comm, false) : 0;
}

uint32_t known_window(Call& call, Word win) {
  return may_be_win(win) ? look_up(call, win, true) : 0;
}

const CommInfo& info_of(uint32_t comm) {
  return comm_info(check_entries<plait_check_comm>(PLAIT_CHECK_COMMS)[comm].record);
}

uint64_t next_ordinal(uint32_t comm) {
  return comm_at(comm).ordinals++;
}

void give_back_ordinal(uint32_t comm, uint64_t ordinal) {
  if (comm_at(comm).ordinals == ordinal + 1) comm_at(comm).ordinals = ordinal;
}

uint64_t key_base(const Call& call, const Checker& checker) {
  switch (call.function) {
    case kFunction_Comm_create_group:
      return mix(mix(kGroup, comm_at(checker.comm).key), static_cast<uint64_t>(checker.given.tag));
    case kFunction_Intercomm_create:
      return mix(kInter, static_cast<uint64_t>(checker.given.tag));
    case kFunction_Comm_create_from_group:
    case kFunction_Intercomm_create_from_groups:
      return mix_text(kNamed, checker.given.stringtag);
    case kFunction_Comm_spawn:
    case kFunction_Comm_spawn_multiple:
    case kFunction_Comm_accept:
    case kFunction_Comm_connect:
      return kDynamic;
    default:
      break;
  }
  return checker.comm ? mix(comm_at(checker.comm).key, checker.ordinal + kNamed) : kDynamic;
}

void keep_comm(Call& call, Word made, uint64_t base) {
  if (as<MPI_Comm>(made) != no_comm()) keep_made_by_call(call, made, base, false);
}

void keep_window(Call& call, Word made, uint64_t base) {
  if (as<MPI_Win>(made) != no_win()) keep_made_by_call(call, made, base, true);
}

uint32_t forget_known(Word handle, bool window) {
  const uint32_t index = known[window].find(handle);
  known[window].remove(handle);
  return index == HandleMap::kAbsent ? 0 : index;
}

void remember_known(Word handle, uint32_t comm, bool window) {
  if (comm) known[window].set(handle, comm);
}

}  // namespace plait::preload
