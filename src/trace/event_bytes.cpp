// SPDX-License-Identifier: BSD-3-Clause
// Finds the frames of a compressed event file, and expands those that are needed.
#include "trace/event_bytes.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "trace/event_format.h"

namespace plait::trace {

namespace {

constexpr std::size_t kPiece = PLAIT_EVENTS_PIECE;

/// The first four bytes; 0 if there are fewer.
std::uint32_t magic_of(std::span<const std::byte> bytes) {
  std::uint32_t magic = 0;
  if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic;
}

}  // namespace

EventBytes::EventBytes(const std::filesystem::path& file)
    : mapped_(file), compressed_(magic_of(mapped_.bytes()) == PLAIT_EVENTS_FRAME_MAGIC) {
  if (compressed_) {
    find_frames();
  } else {
    size_ = mapped_.bytes().size();
  }
}

void EventBytes::find_frames() {
  std::span<const std::byte> rest = mapped_.bytes();
  const std::uint64_t most = PLAIT_EVENTS_RATIO * std::uint64_t{rest.size()};
  while (!rest.empty()) {
    const std::size_t stored = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    if (ZSTD_isError(stored) != 0) return;
    if (magic_of(rest) != PLAIT_EVENTS_SKIPPED_MAGIC) {
      const unsigned long long piece = ZSTD_getFrameContentSize(rest.data(), rest.size());
      // All pieces but the last one are whole. The two error values are larger than a piece.
      if (piece == 0 || piece > kPiece || size_ % kPiece != 0 || size_ + piece > most) return;
      frames_.push_back(rest.first(stored));
      size_ += piece;
    }
    rest = rest.subspan(stored);
  }
}

std::span<const std::byte> EventBytes::view(std::uint64_t offset, std::uint64_t bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  if (!compressed_) return mapped_.bytes().subspan(static_cast<std::size_t>(offset), length);
  if (bytes > kPiece) return {};
  const auto first = static_cast<std::size_t>(offset / kPiece);
  const auto last = static_cast<std::size_t>((offset + bytes - 1) / kPiece);
  if ((first < first_ || last >= first_ + held_) && !expand(first, last)) return {};
  return std::span(expanded_).subspan(static_cast<std::size_t>(offset - first_ * kPiece), length);
}

/// Expands these pieces, one or two. The first one may be there already, as the second one.
bool EventBytes::expand(std::size_t first, std::size_t last) {
  expanded_.resize(2 * kPiece);
  const bool has_first = first >= first_ && first < first_ + held_;
  if (has_first && first > first_) {
    std::memcpy(expanded_.data(), expanded_.data() + kPiece, kPiece);
  }
  first_ = first;
  held_ = has_first ? 1 : 0;
  for (; first_ + held_ <= last; ++held_) {
    const std::span<const std::byte> frame = frames_[first_ + held_];
    const std::uint64_t before = (first_ + held_) * kPiece;
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, size_ - before));
    std::byte* const to = expanded_.data() + held_ * kPiece;
    if (ZSTD_decompress(to, piece, frame.data(), frame.size()) != piece) return false;
  }
  return true;
}

void EventBytes::release() {
  expanded_ = {};
  held_ = 0;
}

}  // namespace plait::trace
