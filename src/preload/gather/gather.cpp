// SPDX-License-Identifier: BSD-3-Clause
// Decides which process sends which records, and sends them.
//
// The first process of each node whose records are away, its leader, reads the files of its node as
// soon as the others there have closed theirs. The leaders form a tree below the first process on
// whose node the run directory is, which is the leader of its own node if records are away there.
// If no process has it, the root is the first leader, and all records are then on its node.
#include "preload/gather/gather.hpp"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/calls/functions.hpp"
#include "preload/gather/tree.hpp"
#include "preload/own_files.hpp"
#include "preload/record_file.hpp"
#include "preload/recorder.hpp"
#include "trace/container_writer.hpp"

namespace plait::preload::gather {
namespace {

using plait::trace::ContainerWriter;

constexpr int kTagClosed = 100;
constexpr uint64_t kName = PLAIT_CONTAINER_NAME;

bool wanted;
bool has_root;  // a process has the run directory
int rank, leader;
int member_count;  // of this node, without the leader; only the leader knows them
int* members;
int places, place;  // in the tree; leaders and root only
int* tree_ranks;

void ignore_error(MPI_Comm*, int*, ...) {}

// The first process of a host whose records are away.
int leader_of(const JobHosts& job, int of) {
  if (job.root >= 0 && job.away[job.root] && job.hosts[job.root] == job.hosts[of]) return job.root;
  int first = 0;
  while (first < of && !(job.away[first] && job.hosts[first] == job.hosts[of])) ++first;
  return first;
}

// Makes the tree: the root, then the leaders in order.
void make_tree(const JobHosts& job) {
  uint64_t slots = 64;
  while (slots < 2 * static_cast<uint64_t>(job.size)) slots *= 2;
  auto* seen = static_cast<uint64_t*>(map_pages(sizeof(uint64_t) * slots));
  tree_ranks = static_cast<int*>(map_pages(sizeof(int) * (static_cast<uint64_t>(job.size) + 1)));
  if (!seen || !tree_ranks) return;
  const auto see = [&](int of) {
    uint64_t at = (job.hosts[of] * 0x9e3779b97f4a7c15u) & (slots - 1);
    while (seen[at] && seen[at] != job.hosts[of]) at = (at + 1) & (slots - 1);
    const bool first = !seen[at];
    seen[at] = job.hosts[of];
    return first;
  };
  const auto add = [](int of) {
    if (of == rank) place = places;
    tree_ranks[places++] = of;
  };
  if (job.root >= 0) {
    add(job.root);
    if (job.away[job.root]) see(job.root);
  }
  for (int i = 0; i < job.size; ++i)
    if (job.away[i] && see(i)) add(i);
  munmap(seen, sizeof(uint64_t) * slots);
}

// HOST-PID-ID, the name of this process' files; the rest of `into` is zeros.
void own_name(char (&into)[kName]) {
  memset(into, 0, sizeof into);
  const char* path = record_file_path();
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  const char* dot = strrchr(name, '.');
  const size_t length = dot ? static_cast<size_t>(dot - name) : 0;
  if (length < sizeof into) memcpy(into, name, length);
}

// The folder of the record file.
bool own_folder(char* into, size_t room) {
  const char* path = record_file_path();
  const char* slash = strrchr(path, '/');
  const size_t length = slash ? static_cast<size_t>(slash - path) : room;
  if (length >= room) return false;
  memcpy(into, path, length);
  into[length] = '\0';
  return true;
}

// Is it a file of one of these processes? All of their files begin with HOST-PID-.
bool is_of(const char* file, const char (*processes)[kName], int count) {
  for (int i = 0; i < count; ++i) {
    const char* end = strrchr(processes[i], '-');
    const size_t length = end ? static_cast<size_t>(end + 1 - processes[i]) : 0;
    if (length && !strncmp(file, processes[i], length)) return true;
  }
  return false;
}

// The files of a node that its leader sends.
class NodeFiles {
public:
  NodeFiles(const char* folder, const char (*processes)[kName], int count)
      : folder_(uncancelled::open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
    const int listed = folder_ < 0 ? -1 : dup(folder_);
    DIR* list = listed < 0 ? nullptr : fdopendir(listed);
    for (bool counted = false; list; counted = true) {
      rewinddir(list);
      while (const dirent* entry = readdir(list)) {
        if (!is_of(entry->d_name, processes, count)) continue;
        const size_t length = strlen(entry->d_name);
        if (counted && count_ < most_ && length < kName)
          memcpy(entries_[count_++].name, entry->d_name, length);
        if (!counted) ++most_;
      }
      if (counted || !most_) break;
      bytes_ = most_ * (sizeof *entries_ + sizeof *members_);
      entries_ = static_cast<Entry*>(map_pages(bytes_));
      if (!entries_) break;
      members_ = reinterpret_cast<plait_container_member*>(entries_ + most_);
    }
    if (list) closedir(list);
  }
  ~NodeFiles() {
    if (entries_) munmap(entries_, bytes_);
    if (folder_ >= 0) uncancelled::close(folder_);
  }
  NodeFiles(const NodeFiles&) = delete;
  NodeFiles& operator=(const NodeFiles&) = delete;

  // True when the root has them.
  bool send(const Tree& tree, const char* name, char* piece) {
    if (!count_) return false;
    Sending sending(tree, name);
    const auto put = [](void* to, const void* data, uint64_t bytes) {
      return static_cast<Sending*>(to)->put(data, bytes);
    };
    ContainerWriter writer({members_, count_, piece, kPiece}, put, &sending);
    for (uint32_t i = 0; i < count_; ++i) {
      const int file =
          uncancelled::openat(folder_, entries_[i].name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
      const off_t bytes = file < 0 ? 0 : lseek(file, 0, SEEK_END);
      entries_[i].sent =
          bytes > 0 && writer.add(entries_[i].name, file, 0, static_cast<uint64_t>(bytes));
      if (file >= 0) uncancelled::close(file);
    }
    return sending.end(writer.end());
  }

  void remove(const char* folder) {
    for (uint32_t i = 0; i < count_; ++i)
      if (entries_[i].sent) unlinkat(folder_, entries_[i].name, 0);
    // The mark goes last, and only with the folder: another job may still write there.
    if (!is_empty()) return;
    unlinkat(folder_, ".run", 0);
    rmdir(folder);
  }

private:
  struct Entry {
    char name[kName];
    bool sent;
  };

  bool is_empty() const {
    const int listed = dup(folder_);
    DIR* list = listed < 0 ? nullptr : fdopendir(listed);
    if (!list) return false;
    rewinddir(list);
    bool empty = true;
    while (const dirent* entry = readdir(list))
      empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
                        !strcmp(entry->d_name, ".run"));
    closedir(list);
    return empty;
  }

  int folder_;
  uint32_t count_ = 0, most_ = 0;
  uint64_t bytes_ = 0;
  Entry* entries_ = nullptr;
  plait_container_member* members_ = nullptr;
};

// Waits until the other processes of the node have closed their files, and sends all.
void send_node(const Tree& tree, char* piece) {
  char folder[PATH_MAX];
  const auto count = static_cast<uint64_t>(member_count) + 1;
  auto* processes = static_cast<char(*)[kName]>(map_pages(count * kName));
  if (!processes || !own_folder(folder, sizeof folder)) return;
  own_name(processes[0]);
  for (int i = 0; i < member_count; ++i) {
    MPI_Status status;
    if (call_real<kFunction_Recv>(static_cast<void*>(processes[i + 1]), static_cast<int>(kName),
                                  byte_type(), members[i], kTagClosed, tree.comm,
                                  &status) != MPI_SUCCESS)
      return;
  }
  if (tree.place > 0 || has_root) {
    NodeFiles files(folder, processes, static_cast<int>(count));
    if (files.send(tree, processes[0], piece)) files.remove(folder);
  }
  munmap(processes, count * kName);
}

void take_part(MPI_Comm comm) {
  const bool away = record_is_away();
  char folder[PATH_MAX];
  const char* records = getenv("PLAIT_RECORDS");
  Tree tree{comm, tree_ranks, places, place, has_root ? records : folder};
  if (!has_root) own_folder(folder, sizeof folder);
  if (away && leader != rank) {
    char name[kName];
    own_name(name);
    call_real<kFunction_Send>(static_cast<const void*>(name), static_cast<int>(kName), byte_type(),
                              leader, kTagClosed, comm);
  }
  if (place < 0) return;
  static char piece[kPiece];  // not made now: without it, others would wait for this process
  if (away) send_node(tree, piece);
  serve_children(tree, piece);
  finish(tree);
  if (place == 0 && !has_root && records) {
    const auto length = static_cast<int>(strlen(records) - strlen("/records"));
    fprintf(stderr,
            "plait: no rank has the run directory on its node, so the records are in %s on rank "
            "%d's node; run there: plait collect --output FILE %.*s, and copy FILE to its folder "
            "records as NAME.records\n",
            folder, rank, length, records);
  }
}

}  // namespace

void begin(const JobHosts& job) {
  if (wanted || !job.any_away || !job.all_recorded ||
      call_real<kFunction_Comm_rank>(world_comm(), &rank) != MPI_SUCCESS)
    return;
  has_root = job.root >= 0;
  leader = leader_of(job, rank);
  place = -1;
  wanted = true;
  const bool leads = job.away[rank] && leader == rank;
  if (!leads && job.root != rank) return;
  make_tree(job);
  members = static_cast<int*>(map_pages(sizeof(int) * static_cast<uint64_t>(job.size)));
  for (int i = 0; members && leads && i < job.size; ++i)
    if (i != rank && job.away[i] && job.hosts[i] == job.hosts[rank]) members[member_count++] = i;
}

void run(void (*end_recording)()) {
  if (!wanted) return;
  wanted = false;
  const uncancelled::Section section;  // reads folders
  if (record_is_away()) end_recording();
  MPI_Comm comm;
  MPI_Errhandler quiet;
  if (call_real<kFunction_Comm_dup>(world_comm(), &comm) != MPI_SUCCESS) return;
  const bool is_quiet = call_real<kFunction_Comm_create_errhandler>(
                            reinterpret_cast<void*>(&ignore_error), &quiet) == MPI_SUCCESS &&
                        call_real<kFunction_Comm_set_errhandler>(comm, quiet) == MPI_SUCCESS;
  take_part(comm);
  call_real<kFunction_Comm_free>(&comm);
  if (is_quiet) call_real<kFunction_Errhandler_free>(&quiet);
}

void forget() {
  wanted = false;
}

}  // namespace plait::preload::gather
