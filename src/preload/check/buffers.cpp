// SPDX-License-Identifier: BSD-3-Clause
// Checksums of buffers in flight, on request (PLAIT_OPTIONS=check_buffers).
#include "preload/check/buffers.hpp"

#include <string.h>
#include <sys/mman.h>

#include "preload/calls/functions.hpp"
#include "preload/check/log.hpp"

namespace plait::preload {
namespace {

uint64_t sum_of(const void* begin, uint64_t bytes) {
  const auto* at = static_cast<const unsigned char*>(begin);
  uint64_t hash = 0x9ae16a3b2f90404fu ^ bytes;
  for (; bytes >= 8; bytes -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  for (; bytes; --bytes, ++at) hash = (hash ^ *at) * 0x9e3779b97f4a7c15u;
  return hash;
}

// The library itself gathers the bytes of a type with gaps.
bool packed_sum(const Buffer& buffer, uint64_t* sum) {
  int bytes = 0, position = 0;
  const MPI_Comm world = world_comm();
  const int count = static_cast<int>(buffer.count);
  if (buffer.count > INT32_MAX ||
      call_real<kFunction_Pack_size>(count, buffer.type, world, &bytes) != MPI_SUCCESS ||
      bytes <= 0)
    return false;
  void* room = map_pages(static_cast<uint64_t>(bytes));
  if (!room) return false;
  const bool packed = call_real<kFunction_Pack>(buffer.begin, count, buffer.type, room, bytes,
                                                &position, world) == MPI_SUCCESS;
  if (packed) *sum = sum_of(room, static_cast<uint64_t>(position));
  munmap(room, static_cast<uint64_t>(bytes));
  return packed;
}

bool sum(const Buffer& buffer, uint64_t* into) {
  if (!buffer.bytes) return packed_sum(buffer, into);
  *into = sum_of(buffer.begin, buffer.bytes);
  return true;
}

}  // namespace

bool checks_buffers() {
  return check_file && check_file->with_buffers != 0;
}

Buffer buffer_of(const void* begin, MPI_Count count, Word datatype, bool sends) {
  Buffer buffer = {};
  const auto type = as<MPI_Datatype>(datatype);
  if (!checks_buffers() || count <= 0 || !begin || begin == MPI_IN_PLACE || type == no_type())
    return buffer;
  MPI_Count size = 0;
  MPI_Aint lower = 0, extent = 0;
  if (call_real<kFunction_Type_size_x>(type, &size) != MPI_SUCCESS || size <= 0 ||
      call_real<kFunction_Type_get_extent>(type, &lower, &extent) != MPI_SUCCESS)
    return buffer;
  buffer.begin = begin;
  buffer.count = count;
  buffer.sends = sends;
  if (lower == 0 && extent == size) {
    buffer.bytes = static_cast<uint64_t>(size) * static_cast<uint64_t>(count);
  } else if (sends) {
    // The program may free the type while the operation is in flight.
    buffer.duplicate = call_real<kFunction_Type_dup>(type, &buffer.type) == MPI_SUCCESS;
    if (!buffer.duplicate) return Buffer{};
  }
  if (sends) buffer.summed = sum(buffer, &buffer.sum);
  return buffer;
}

void sum_again(Buffer& buffer) {
  if (buffer.begin && buffer.sends) buffer.summed = sum(buffer, &buffer.sum);
}

bool has_changed(const Buffer& buffer) {
  uint64_t now = 0;
  return buffer.summed && sum(buffer, &now) && now != buffer.sum;
}

void release(Buffer& buffer) {
  if (buffer.duplicate) call_real<kFunction_Type_free>(&buffer.type);
  buffer = Buffer{};
}

bool overlap(const Buffer& one, const Buffer& other) {
  if (!one.bytes || !other.bytes || (one.sends && other.sends)) return false;
  const auto* a = static_cast<const char*>(one.begin);
  const auto* b = static_cast<const char*>(other.begin);
  return a < b + other.bytes && b < a + one.bytes;
}

}  // namespace plait::preload
