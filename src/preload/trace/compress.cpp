// SPDX-License-Identifier: BSD-3-Clause
// Compresses the event file piece by piece with zstd, in memory of its own.
#include "preload/trace/compress.hpp"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_initStaticCCtx: zstd allocates nothing
#include <zstd.h>

#include "preload/record_file.hpp"
#include "preload/recorder.hpp"
#include "preload/trace/event_file.hpp"
#include "preload/uncancelled.hpp"
#include "trace/event_format.h"

// zstd calls these if somebody defines them, and must not find those of the program.
extern "C" unsigned long long ZSTD_trace_compress_begin(const ZSTD_CCtx*) {
  return 0;  // end is then not called
}
extern "C" void ZSTD_trace_compress_end(unsigned long long, const void*) {}

namespace plait::preload::trace {
namespace {

constexpr int kLevel = 1;  // the fastest; what comes in is compressed again when it is packed
constexpr uint64_t kPiece = PLAIT_EVENTS_PIECE;

// Makes frames of pieces.
class Frames {
public:
  Frames()
      : context_bytes_(ZSTD_estimateCCtxSize(kLevel)),
        frame_bytes_(ZSTD_compressBound(kPiece)),
        memory_(static_cast<char*>(map_pages(bytes()))) {
    if (memory_) context_ = ZSTD_initStaticCCtx(memory_, context_bytes_);
  }
  ~Frames() {
    if (memory_) munmap(memory_, bytes());
  }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  bool ready() const { return context_ != nullptr; }

  /// Room for a piece.
  char* piece() { return memory_ + context_bytes_; }

  const char* frame() const { return memory_ + context_bytes_ + kPiece; }

  /// Makes the frame of a piece. Returns its size; 0: failed.
  uint64_t make(uint64_t piece_bytes) {
    char* to = piece() + kPiece;
    const size_t size = ZSTD_compressCCtx(context_, to, frame_bytes_, piece(), piece_bytes, kLevel);
    if (ZSTD_isError(size)) return 0;
    const uint64_t least = (piece_bytes + PLAIT_EVENTS_RATIO - 1) / PLAIT_EVENTS_RATIO;
    if (size >= least) return size;
    uint32_t skipped[2] = {PLAIT_EVENTS_SKIPPED_MAGIC, 0};
    if (least - size > sizeof skipped)
      skipped[1] = static_cast<uint32_t>(least - size - sizeof skipped);
    memcpy(to + size, skipped, sizeof skipped);
    memset(to + size + sizeof skipped, 0, skipped[1]);
    return size + sizeof skipped + skipped[1];
  }

private:
  uint64_t bytes() const { return context_bytes_ + kPiece + frame_bytes_; }

  uint64_t context_bytes_, frame_bytes_;
  char* memory_;
  ZSTD_CCtx* context_ = nullptr;
};

// Reads a piece, or what is left. Returns the bytes; -1: failed.
int64_t read_piece(int file, char* into, uint64_t offset) {
  uint64_t done = 0;
  while (done < kPiece) {
    const ssize_t got =
        uncancelled::pread(file, into + done, kPiece - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<uint64_t>(got);
  }
  return static_cast<int64_t>(done);
}

// Writes the frames of a file. False: failed, or they are not smaller than the file.
bool compress(int from, int to) {
  const off_t end = lseek(from, 0, SEEK_END);
  const uint64_t bytes = end > 0 ? static_cast<uint64_t>(end) : 0;
  Frames frames;
  if (!frames.ready() || !permits_file_of(bytes)) return false;
  uint64_t written = 0;
  for (uint64_t at = 0; at < bytes;) {
    const int64_t got = read_piece(from, frames.piece(), at);
    const uint64_t size = got > 0 ? frames.make(static_cast<uint64_t>(got)) : 0;
    written += size;
    if (size == 0 || written >= bytes || uncancelled::write_all(to, frames.frame(), size))
      return false;
    at += static_cast<uint64_t>(got);
  }
  return written > 0;
}

}  // namespace

void compress_event_file() {
  char part[PATH_MAX];
  const char* path = event_file_path();
  const int length = snprintf(part, sizeof part, "%s.part", path);
  if (!*path || length < 0 || static_cast<size_t>(length) >= sizeof part) return;
  const int from = open_own_file(path);
  const int to = from < 0 ? -1 : create_own_file(part);
  const bool smaller = to >= 0 && compress(from, to);
  if (from >= 0) uncancelled::close(from);
  if (to < 0) return;
  uncancelled::close(to);
  if (!smaller || !replace_event_file(part)) unlink(part);
}

}  // namespace plait::preload::trace
