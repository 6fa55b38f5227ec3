// SPDX-License-Identifier: BSD-3-Clause
// Learns communicators by local calls: group, translation to world ranks, name.
#include "preload/calls/communicators.hpp"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/calls/functions.hpp"
#include "preload/handle_map.hpp"
#include "preload/key_index.hpp"
#include "preload/record_file.hpp"
#include "preload/recorder.hpp"

namespace plait::preload {

uint32_t comm_generation = 1;

namespace {

constexpr uint32_t kMaxComms = 1 << 16;  // ids, as many as a call's key has
// A program that makes more communicators probably does so in a loop. Further ones then get the id
// of an older one that had the same members and was freed.
constexpr uint32_t kFreshComms = 1 << 10;

CommInfo* infos;
HandleMap ids;          // of communicators and windows by their keys
KeyIndex same_members;  // hash of the members to the first id that had them
int lock;
bool has_world;
MPI_Group world_group;
uint8_t* classes;  // plait_peer_class of each world rank
int32_t world_size;

// Handles are compared whole; windows and communicators may share numbers in some libraries.
uint64_t key_of(Word handle, bool window) {
  return (handle << 1) + (window ? 1 : 0);
}

void unresolved() {
  __atomic_add_fetch(&record->unresolved_calls, 1, __ATOMIC_RELAXED);
}

uint64_t hash_ranks(const int32_t* ranks, int count, uint64_t seed) {
  uint64_t hash = seed ^ 0xcbf29ce484222325u;
  for (int i = 0; i < count; ++i) hash = (hash ^ static_cast<uint32_t>(ranks[i])) * 0x100000001b3u;
  return hash;
}

struct Group {
  MPI_Group group{};
  int size = 0, rank = -1;
};

// Memory for the ranks of one communicator.
class Numbers {
public:
  explicit Numbers(uint64_t count)
      : bytes_(sizeof(int) * count), begin_(static_cast<int*>(map_pages(bytes_))) {}
  ~Numbers() {
    if (begin_) munmap(begin_, bytes_);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  [[nodiscard]] int* get() const { return begin_; }

private:
  uint64_t bytes_;
  int* begin_;
};

// Writes the world ranks of a group; -1 for members that are not in the world. `own`: room for as
// many numbers.
void translate(const Group& from, int* own, int32_t* world_ranks) {
  for (int i = 0; i < from.size; ++i) own[i] = i;
  const bool known = has_world && call_real<kFunction_Group_translate_ranks>(
                                      from.group, from.size, static_cast<const int*>(own),
                                      world_group, world_ranks) == MPI_SUCCESS;
  for (int i = 0; i < from.size; ++i)
    if (!known || world_ranks[i] == MPI_UNDEFINED) world_ranks[i] = -1;
}

// The number of ranks from `at` on that have a constant stride, and that stride.
int run_of(const int32_t* ranks, int at, int end, int32_t* stride) {
  *stride = at + 1 < end ? ranks[at + 1] - ranks[at] : 0;
  int behind = at + 1;
  while (behind < end && ranks[behind] - ranks[behind - 1] == *stride) ++behind;
  return behind - at;
}

// Writes the runs of a group to `into` unless it is null; returns their number.
uint32_t write_runs(const int32_t* ranks, int count, plait_rank_run* into) {
  uint32_t runs = 0;
  for (int at = 0; at < count; ++runs) {
    int32_t stride = 0;
    const int length = run_of(ranks, at, count, &stride);
    if (into) into[runs] = {ranks[at], static_cast<uint32_t>(length), stride};
    at += length;
  }
  return runs;
}

// Adds the ranks of a group, and of a remote one, to the record. False: no room.
bool record_ranks(const int32_t* ranks, int locals, int remotes, uint32_t* first_run) {
  const uint32_t local_runs = write_runs(ranks, locals, nullptr);
  const uint32_t runs = local_runs + write_runs(ranks + locals, remotes, nullptr);
  auto* kept = static_cast<plait_rank_run*>(append_run(PLAIT_SECTION_RANKS, runs, first_run));
  if (!kept) return false;
  write_runs(ranks, locals, kept);
  write_runs(ranks + locals, remotes, kept + local_runs);
  publish(PLAIT_SECTION_RANKS, *first_run + runs);
  return true;
}

// A copy of the ranks that lasts as long as the process; null: no memory. Small groups share pages.
const int32_t* keep_ranks(const int32_t* ranks, uint64_t count) {
  constexpr uint64_t kRoom = 1 << 14;  // ranks
  static int32_t* next;
  static uint64_t left;
  if (!next || count > left) {
    const uint64_t room = count > kRoom ? count : kRoom;
    auto* mapped = static_cast<int32_t*>(map_pages(room * sizeof(int32_t)));
    if (!mapped) return nullptr;
    next = mapped;
    left = room;
  }
  int32_t* const kept = next;
  memcpy(kept, ranks, count * sizeof *kept);
  next += count;
  left -= count;
  return kept;
}

// A freed communicator with the same members as the one with the id `first`; 0: none.
uint32_t take_freed(uint32_t first) {
  const uint32_t id = infos[first].freed;
  if (!id) return 0;
  infos[first].freed = infos[id].next_freed;
  infos[id].neighbors = nullptr;  // those of another topology
  return id;
}

// Keeps the ranks of the groups and the record; returns the new id or 0.
uint32_t add(const Group& local, const Group* remote, const char* name, uint64_t seed) {
  const int remote_size = remote ? remote->size : 0;
  const auto members = static_cast<uint64_t>(local.size) + static_cast<uint64_t>(remote_size);
  const Numbers numbers(2 * members + 1);
  if (!numbers.get()) return 0;
  int32_t* const translated = numbers.get() + members;
  translate(local, numbers.get(), translated);
  uint64_t hash = hash_ranks(translated, local.size, seed);
  if (remote) {
    // The two sides see each other's groups swapped, and must find the same hash.
    translate(*remote, numbers.get(), translated + local.size);
    hash ^= hash_ranks(translated + local.size, remote_size, seed);
  }
  const auto& header = record->sections[PLAIT_SECTION_COMMS];
  if (header.count == 0 && append(PLAIT_SECTION_COMMS)) publish(PLAIT_SECTION_COMMS);  // "none"
  const uint32_t id = header.count;
  const uint32_t known = same_members.find(hash);
  const uint32_t first = known == KeyIndex::kAbsent ? id : known;
  // The ranks of the same members need not be kept twice.
  const bool alike = first != id && remote_size == 0 && infos[first].remote_size == 0 &&
                     infos[first].size == local.size;
  if (alike && id >= kFreshComms)
    if (const uint32_t freed = take_freed(first)) return freed;
  if (id >= kMaxComms) return lose_entry(PLAIT_SECTION_COMMS), 0;
  uint32_t first_run = alike ? infos[first].first_run : 0;
  const int32_t* ranks = alike ? infos[first].ranks : nullptr;
  if (!alike) {
    ranks = keep_ranks(translated, members);
    if (!ranks || !record_ranks(translated, local.size, remote_size, &first_run)) return 0;
  }
  auto* entry = static_cast<plait_comm_record*>(append(PLAIT_SECTION_COMMS));
  if (!entry) return 0;
  if (first == id) same_members.add(hash, id);
  entry->name = add_string(name);
  entry->size = local.size;
  entry->my_rank = local.rank;
  entry->remote_size = remote_size;
  entry->first_run = first_run;
  entry->members_hash = hash;
  infos[id] = {};
  infos[id].size = local.size;
  infos[id].my_rank = local.rank;
  infos[id].remote_size = remote_size;
  infos[id].ranks = ranks;
  infos[id].first_run = first_run;
  infos[id].first = first;
  entry->ordinal = infos[first].alike++;
  publish(PLAIT_SECTION_COMMS);
  return id;
}

uint32_t learn_comm(MPI_Comm comm) {
  Group local, remote;
  int inter = 0, length = 0;
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  if (call_real<kFunction_Comm_group>(comm, &local.group) != MPI_SUCCESS) return 0;
  call_real<kFunction_Group_size>(local.group, &local.size);
  call_real<kFunction_Group_rank>(local.group, &local.rank);
  call_real<kFunction_Comm_test_inter>(comm, &inter);
  call_real<kFunction_Comm_get_name>(comm, static_cast<char*>(name), &length);
  if (inter && call_real<kFunction_Comm_remote_group>(comm, &remote.group) == MPI_SUCCESS)
    call_real<kFunction_Group_size>(remote.group, &remote.size);
  const uint32_t id = add(local, inter ? &remote : nullptr, name, 0);
  call_real<kFunction_Group_free>(&local.group);
  if (inter) call_real<kFunction_Group_free>(&remote.group);
  return id;
}

uint32_t learn_win(MPI_Win win) {
  Group local;
  int length = 0;
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  if (call_real<kFunction_Win_get_group>(win, &local.group) != MPI_SUCCESS) return 0;
  call_real<kFunction_Group_size>(local.group, &local.size);
  call_real<kFunction_Group_rank>(local.group, &local.rank);
  call_real<kFunction_Win_get_name>(win, static_cast<char*>(name), &length);
  const uint32_t id = add(local, nullptr, *name ? name : "window", 1);
  call_real<kFunction_Group_free>(&local.group);
  return id;
}

bool ready() {
  if (!infos) infos = static_cast<CommInfo*>(map_pages(kMaxComms * sizeof(CommInfo)));
  return record && infos;
}

uint32_t find(Word handle, bool window) {
  SpinLock hold(&lock);
  if (!ready()) return 0;
  const uint64_t key = key_of(handle, window);
  const uint32_t known = ids.find(key);
  if (known != HandleMap::kAbsent) return known;
  const uint32_t id = window ? learn_win(as<MPI_Win>(handle)) : learn_comm(as<MPI_Comm>(handle));
  if (!id) unresolved();
  ids.set(key, id);
  return id;
}

void forget(Word handle, bool window) {
  if (!record) return;  // also in the child of a fork, where the lock may be held forever
  SpinLock hold(&lock);
  __atomic_add_fetch(&comm_generation, 1, __ATOMIC_RELEASE);
  const uint64_t key = key_of(handle, window);
  const uint32_t id = ids.find(key);
  if (id == HandleMap::kAbsent) return;
  ids.remove(key);
  if (!id || infos[id].remote_size) return;
  CommInfo& first = infos[infos[id].first];
  infos[id].next_freed = first.freed;
  first.freed = id;
}

constexpr int kMostNeighbors = 1024;  // one page of ranks; more neighbours are not resolved

// The neighbours of a process in a topology, as ranks of its communicator.
struct Neighbors {
  int sources[kMostNeighbors], targets[kMostNeighbors];
  int source_count = 0, target_count = 0;
};

// Local. False: the communicator has no topology.
bool ask_neighbors(MPI_Comm comm, int my_rank, Neighbors& found) {
  int kind = MPI_UNDEFINED;
  if (call_real<kFunction_Topo_test>(comm, &kind) != MPI_SUCCESS || kind == MPI_UNDEFINED)
    return false;
  int count = 0;
  if (kind == MPI_DIST_GRAPH) {
    int in = 0, weighted = 0, source_weights[kMostNeighbors], weights[kMostNeighbors];
    call_real<kFunction_Dist_graph_neighbors_count>(comm, &in, &count, &weighted);
    if (in > kMostNeighbors || count > kMostNeighbors) in = count = 0;
    call_real<kFunction_Dist_graph_neighbors>(
        comm, in, static_cast<int*>(found.sources), static_cast<int*>(source_weights), count,
        static_cast<int*>(found.targets), static_cast<int*>(weights));
    found.source_count = in;
    found.target_count = count;
    return true;
  }
  if (kind == MPI_CART) {
    int dimensions = 0;
    call_real<kFunction_Cartdim_get>(comm, &dimensions);
    for (int d = 0; d < dimensions && count + 2 <= kMostNeighbors; ++d, count += 2)
      call_real<kFunction_Cart_shift>(comm, d, 1, &found.targets[count], &found.targets[count + 1]);
  } else {
    call_real<kFunction_Graph_neighbors_count>(comm, my_rank, &count);
    if (count > kMostNeighbors) count = 0;
    call_real<kFunction_Graph_neighbors>(comm, my_rank, count, static_cast<int*>(found.targets));
  }
  found.source_count = found.target_count = count;
  memcpy(found.sources, found.targets, sizeof(int) * static_cast<size_t>(count));
  return true;
}

// Adds the ranks from which this process receives in neighbourhood collectives to the record. The
// caller holds the lock.
void record_sources(uint32_t id, const Neighbors& found) {
  constexpr uint64_t kSeveral = ~uint64_t{0};
  CommInfo& info = infos[id];
  const uint64_t hash = hash_ranks(static_cast<const int*>(found.sources), found.source_count, 0);
  if (info.sources_hash == hash || info.sources_hash == kSeveral) return;
  const auto add = [&](int32_t rank) {
    auto* entry = static_cast<plait_source_record*>(append(PLAIT_SECTION_SOURCES));
    if (!entry) return;
    *entry = {id, rank};
    publish(PLAIT_SECTION_SOURCES);
  };
  if (info.sources_hash) {  // an id that was used for another topology; see take_freed
    add(-1);
    info.sources_hash = kSeveral;
    return;
  }
  info.sources_hash = hash;
  for (int i = 0; i < found.source_count; ++i) {
    const int rank = found.sources[i];
    if (rank >= 0 && rank < info.size) add(rank);
  }
}

uint64_t host_hash() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return plait_hash_text(host) ^ boot_number();  // several hosts may have one name
}

// Does the launcher say that all processes are on this host? The same on all of them.
bool on_one_host(int size) {
  static const char* const local_sizes[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                            "PALS_LOCAL_SIZE"};
  for (const char* name : local_sizes)
    if (const char* text = getenv(name)) return atoi(text) == size;
  const char* nodes = getenv("SLURM_STEP_NUM_NODES");
  return size == 1 || (nodes && atoi(nodes) == 1);
}

// Fills in which processes are on this host. If `into` is null, this process only takes part in
// the communication. Only a job on several hosts communicates.
void classify(MPI_Comm world, int size, HostsLearnt then, uint8_t* into) {
  if (on_one_host(size)) {
    if (into) memset(into, PLAIT_PEER_NODE, static_cast<size_t>(size));
    return;
  }
  const uint64_t bytes = (sizeof(uint64_t) + sizeof(bool)) * static_cast<uint64_t>(size);
  auto* hosts = static_cast<uint64_t*>(map_pages(bytes));
  if (!hosts) return;
  auto* away = reinterpret_cast<bool*>(hosts + size);
  // The lowest bits describe this process.
  constexpr uint64_t kTraced = 1, kRecorded = 2, kAway = 4, kHasRun = 8, kBits = 15;
  const bool recorded = into && record;
  const uint64_t own_bits = (recorded && wants_trace() ? kTraced : 0) | (recorded ? kRecorded : 0) |
                            (recorded && record_is_away() ? kAway : 0) |
                            (recorded && has_run_folder() ? kHasRun : 0);
  uint64_t mine = (host_hash() & ~kBits) | own_bits;
  const MPI_Datatype byte = byte_type();
  if (call_real<kFunction_Allgather>(static_cast<const void*>(&mine), 8, byte,
                                     static_cast<void*>(hosts), 8, byte, world) == MPI_SUCCESS) {
    JobHosts job{hosts, away, -1, size, true, true, false};
    for (int i = 0; i < size; ++i) {
      job.all_traced = job.all_traced && (hosts[i] & kTraced);
      job.all_recorded = job.all_recorded && (hosts[i] & kRecorded);
      away[i] = hosts[i] & kAway;
      if (job.root < 0 && (hosts[i] & kHasRun)) job.root = i;
      job.any_away = job.any_away || away[i];
      hosts[i] |= kBits;
      if (into) into[i] = hosts[i] == (mine | kBits) ? PLAIT_PEER_NODE : PLAIT_PEER_REMOTE;
    }
    then(job);
  }
  munmap(hosts, bytes);
}

}  // namespace

const CommInfo& comm_info(uint32_t id) {
  static const CommInfo none;
  return infos && id < kMaxComms ? infos[id] : none;
}

uint32_t find_comm(Word handle) {
  return find(handle, false);
}
uint32_t find_win(Word handle) {
  return find(handle, true);
}
uint32_t known_comm_id(Word handle) {
  SpinLock hold(&lock);
  const uint32_t known = ids.find(key_of(handle, false));
  return known == HandleMap::kAbsent ? 0 : known;
}
void forget_comm(Word handle) {
  forget(handle, false);
}
void forget_win(Word handle) {
  forget(handle, true);
}

void name_comm(uint32_t id, const char* name) {
  SpinLock hold(&lock);
  if (!record || !id || id >= record->sections[PLAIT_SECTION_COMMS].count) return;
  entry_at<plait_comm_record>(PLAIT_SECTION_COMMS, id)->name = add_string(name);
}

void learn_world(bool in_session, MPI_Session session, HostsLearnt then) {
  if (has_world) return;
  int rank = -1;
  if (in_session) {
    if (call_real<kFunction_Group_from_session_pset>(session, "mpi://WORLD", &world_group) !=
        MPI_SUCCESS)
      return;
    call_real<kFunction_Group_size>(world_group, &world_size);
    call_real<kFunction_Group_rank>(world_group, &rank);
  } else {
    const MPI_Comm world = world_comm();
    call_real<kFunction_Comm_size>(world, &world_size);
    call_real<kFunction_Comm_rank>(world, &rank);
    if (call_real<kFunction_Comm_group>(world, &world_group) != MPI_SUCCESS) return;
  }
  auto* of_ranks = static_cast<uint8_t*>(map_pages(static_cast<uint64_t>(world_size)));
  if (!of_ranks) return;
  classes = of_ranks;
  if (!in_session) {
    classify(world_comm(), world_size, then, classes);
  } else if (on_one_host(world_size)) {
    memset(classes, PLAIT_PEER_NODE, static_cast<size_t>(world_size));
  }
  if (rank >= 0 && rank < world_size) classes[rank] = PLAIT_PEER_SELF;
  record->world_size = world_size;  // first: a reader refuses a rank without a size
  record->world_rank = rank;
  has_world = true;
}

void take_part_in_learning(HostsLearnt then) {
  int size = 1;
  call_real<kFunction_Comm_size>(world_comm(), &size);
  classify(world_comm(), size, then, nullptr);
}

plait_peer_class peer_class(int32_t world_rank) {
  if (world_rank < 0 || world_rank >= world_size || !classes[world_rank]) {
    unresolved();
    return PLAIT_PEER_ANY;
  }
  return static_cast<plait_peer_class>(classes[world_rank]);
}

int world_ranks_of(MPI_Group group, int32_t* into, int most) {
  if (!may_be_group(word_of(group))) return 0;  // Open MPI lets some of these pass
  Group from;
  from.group = group;
  const bool known = call_real<kFunction_Group_size>(group, &from.size) == MPI_SUCCESS;
  if (!known || from.size > most) return 0;
  const Numbers own(static_cast<uint64_t>(from.size) + 1);
  if (!own.get()) return 0;
  translate(from, own.get(), into);
  return from.size;
}

const CommInfo& with_neighbors(MPI_Comm comm, uint32_t id) {
  CommInfo& info = const_cast<CommInfo&>(comm_info(id));
  if (!id || __atomic_load_n(&info.neighbors, __ATOMIC_ACQUIRE)) return info;
  Neighbors found;
  if (!ask_neighbors(comm, info.my_rank, found)) return info;
  SpinLock hold(&lock);
  if (info.neighbors) return info;  // another thread was faster
  if (!info.neighbor_room)
    info.neighbor_room = static_cast<int32_t*>(map_pages(kMostNeighbors * sizeof(int32_t)));
  if (!info.neighbor_room) return info;
  for (int i = 0; i < found.target_count; ++i) {
    const int rank = found.targets[i];
    info.neighbor_room[i] = rank >= 0 && rank < info.size ? info.ranks[rank] : -1;
  }
  info.neighbor_count = found.target_count;
  info.source_count = found.source_count;
  record_sources(id, found);
  __atomic_store_n(&info.neighbors, info.neighbor_room, __ATOMIC_RELEASE);
  return info;
}

}  // namespace plait::preload
