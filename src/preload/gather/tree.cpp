// SPDX-License-Identifier: BSD-3-Clause
// Sends, passes on and writes containers of records.
#include "preload/gather/tree.hpp"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/calls/functions.hpp"
#include "preload/uncancelled.hpp"
#include "trace/container_format.h"

namespace plait::preload::gather {
namespace {

constexpr int kChildren = 8;

// What a message is.
enum Tag : int { kBegin = 1, kBytes, kEnd, kWritten, kFinished };

int parent_of(const Tree& tree) {
  return tree.ranks[(tree.place - 1) / kChildren];
}

bool send(const Tree& tree, int to, Tag tag, const void* data, uint64_t bytes) {
  return call_real<kFunction_Send>(data, static_cast<int>(bytes), byte_type(), to,
                                   static_cast<int>(tag), tree.comm) == MPI_SUCCESS;
}

bool receive(const Tree& tree, int from, int tag, void* data, uint64_t room, MPI_Status* status) {
  return call_real<kFunction_Recv>(data, static_cast<int>(room), byte_type(), from, tag, tree.comm,
                                   status) == MPI_SUCCESS;
}

// Asks the parent whether the root has the container that just ended.
bool is_written(const Tree& tree) {
  MPI_Status status;
  char written = 0;
  return receive(tree, parent_of(tree), kWritten, &written, 1, &status) && written;
}

// A container that the root writes: under another name until it is whole.
struct Written {
  int file = -1;
  char part[PATH_MAX], path[PATH_MAX];

  void begin(const char* folder, const char* name) {
    end(false);
    const int length = snprintf(path, sizeof path, "%s/%s.records", folder, name);
    const int longer = snprintf(part, sizeof part, "%s.part", path);
    if (strchr(name, '/') || length < 0 || longer < 0 || static_cast<size_t>(longer) >= sizeof part)
      return;
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file = uncancelled::open(part, kFlags, 0644);
    if (file < 0) report(errno);
  }

  bool put(const char* data, uint64_t bytes) {
    const int error = file < 0 ? 0 : uncancelled::write_all(file, data, bytes);
    if (error) {
      report(error);
      end(false);
    }
    return file >= 0;
  }

  bool end(bool keep) {
    if (file < 0) return false;
    uncancelled::close(file);
    file = -1;
    if (keep && rename(part, path) == 0) return true;
    unlink(part);
    return false;
  }

  void report(int error) const {
    fprintf(stderr,
            "plait: cannot write %s: %s; free space and run plait collect on the nodes whose "
            "records are missing\n",
            path, strerror(error));
  }
};

Written container;  // at the root, one at a time

// Passes on what one child sends. Returns at the end of all of it, or when a message fails.
void pass_on(const Tree& tree, int child, char* piece) {
  MPI_Status status;
  while (receive(tree, child, MPI_ANY_TAG, piece, kPiece, &status)) {
    if (status.MPI_TAG == kFinished) return;
    const auto tag = static_cast<Tag>(status.MPI_TAG);
    if (!send(tree, parent_of(tree), tag, piece, status_bytes(status))) return;
    if (tag != kEnd) continue;
    const char written = is_written(tree);
    if (!send(tree, child, kWritten, &written, 1)) return;
  }
}

// The same at the root.
void write_from(const Tree& tree, int child, char* piece) {
  MPI_Status status;
  while (receive(tree, child, MPI_ANY_TAG, piece, kPiece, &status)) {
    const uint64_t bytes = status_bytes(status);
    if (status.MPI_TAG == kFinished) break;
    if (status.MPI_TAG == kBytes) container.put(piece, bytes);
    if (status.MPI_TAG == kBegin) {
      piece[bytes < kPiece ? bytes : kPiece - 1] = '\0';
      container.begin(tree.folder, piece);
    }
    if (status.MPI_TAG == kEnd) {
      const char written = container.end(bytes == 1 && *piece);
      if (!send(tree, child, kWritten, &written, 1)) break;
    }
  }
  container.end(false);
}

}  // namespace

Sending::Sending(const Tree& tree, const char* name) : tree_(tree) {
  if (tree_.place == 0) {
    container.begin(tree_.folder, name);
  } else {
    send(tree_, parent_of(tree_), kBegin, name, strlen(name));
  }
}

bool Sending::put(const void* data, uint64_t bytes) {
  const auto* from = static_cast<const char*>(data);
  if (tree_.place == 0) return container.put(from, bytes);
  while (bytes > 0) {
    const uint64_t some = bytes < kPiece ? bytes : kPiece;
    if (!send(tree_, parent_of(tree_), kBytes, from, some)) return false;
    from += some;
    bytes -= some;
  }
  return true;
}

bool Sending::end(bool complete) {
  if (tree_.place == 0) return container.end(complete);
  const char keep = complete;
  return send(tree_, parent_of(tree_), kEnd, &keep, 1) && is_written(tree_);
}

void finish(const Tree& tree) {
  if (tree.place > 0) send(tree, parent_of(tree), kFinished, nullptr, 0);
}

void serve_children(const Tree& tree, char* piece) {
  for (int i = 1; i <= kChildren; ++i) {
    const int64_t child = int64_t{tree.place} * kChildren + i;
    if (child >= tree.places) return;
    if (tree.place == 0) {
      write_from(tree, tree.ranks[child], piece);
    } else {
      pass_on(tree, tree.ranks[child], piece);
    }
  }
}

}  // namespace plait::preload::gather
