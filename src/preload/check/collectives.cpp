// SPDX-License-Identifier: BSD-3-Clause
// The data that a process sends in a collective call, and the data that it expects.
#include "preload/check/collectives.hpp"

#include <string.h>

#include "preload/calls/operations.hpp"
#include "preload/calls/traffic.hpp"
#include "preload/check/types.hpp"
#include "preload/handle_map.hpp"

namespace plait::preload {
namespace {

HandleMap known_counts;  // hash of a list to its place in COUNTS, as most calls repeat a list

uint64_t hash_list(const uint64_t* list, uint64_t count) {
  uint64_t hash = count + 1;
  for (uint64_t i = 0; i < count; ++i) {
    hash = (hash ^ list[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 31;
  }
  return hash;
}

/// Appends a list to COUNTS, unless an equal one is there already.
class List {
public:
  explicit List(uint64_t length)
      : length_(length),
        values_(static_cast<uint64_t*>(check_append(PLAIT_CHECK_COUNTS, length))) {}
  [[nodiscard]] bool has_room() const { return values_ != nullptr; }
  void set(uint64_t i, uint64_t value) { values_[i] = value; }
  [[nodiscard]] uint64_t keep() const {
    const uint64_t hash = hash_list(values_, length_);
    const uint32_t known = known_counts.find(hash);
    if (known != HandleMap::kAbsent) return known;
    const uint32_t index = check_count(PLAIT_CHECK_COUNTS);
    check_publish(PLAIT_CHECK_COUNTS, length_);
    known_counts.set(hash, index);
    return index;
  }

private:
  uint64_t length_;
  uint64_t* values_;
};

uint64_t count_at(const void* counts, bool large, uint64_t i) {
  const MPI_Count count =
      large ? static_cast<const MPI_Count*>(counts)[i] : static_cast<const int*>(counts)[i];
  return count > 0 ? static_cast<uint64_t>(count) : 0;
}

uint64_t keep_counts(const void* counts, const MPI_Datatype* types, bool large, uint64_t partners) {
  if (!partners) return 0;
  // The types come first, because learning one may append to the file.
  for (uint64_t i = 0; types && i < partners; ++i)
    if (count_at(counts, large, i)) check_type(word_of(types[i]));
  List list(types ? 2 * partners : partners);
  if (!list.has_room()) return 0;
  for (uint64_t i = 0; i < partners; ++i) {
    const uint64_t count = count_at(counts, large, i);
    list.set(i, count);
    if (types) list.set(partners + i, count ? check_type(word_of(types[i])) : 0);
  }
  return list.keep();
}

struct Roles {
  bool sends, receives;
};

// Has this process no part in the data? Its other arguments then have no meaning.
bool is_idle(const Traits& traits, const CommInfo& info, int root) {
  return traits.rooted && info.remote_size && root == MPI_PROC_NULL;
}

Roles roles_of(const Traits& traits, const CommInfo& info, int root, bool rooted) {
  if (traits.shape == Shape::neighbor) return {false, false};
  if (!rooted) return {true, true};
  const bool is_root = info.remote_size ? root == MPI_ROOT : root == info.my_rank;
  if (traits.shape == Shape::gather) return {!is_root || !info.remote_size, is_root};
  if (traits.shape == Shape::scatter) return {is_root, !is_root || !info.remote_size};
  return {true, true};
}

}  // namespace

void describe_collective(const Checker& checker, const Traits& traits, plait_check_op* op) {
  const Arguments& given = checker.given;
  if (!given.sendbuf && !given.recvbuf && !given.datatype && !given.sendtype && !given.recvtype &&
      !given.sendtypes && !given.buffer)
    return;
  const CommInfo& info = info_of(checker.comm);
  const auto partners = static_cast<uint64_t>(info.peers());
  if (traits.rooted) op->peer = kept_rank(given.root);
  if (is_idle(traits, info, given.root)) return;
  const auto [sends, receives] = roles_of(traits, info, given.root, traits.rooted);
  const bool in_place = given.sendbuf == MPI_IN_PLACE;
  if (in_place) op->flags |= PLAIT_CHECK_IN_PLACE;
  if (given.op) op->operation = operation_of(given.op);
  if (traits.shape == Shape::neighbor) return;
  if (sends && !in_place && (given.sendtype || given.sendtypes)) {
    op->flags |= PLAIT_CHECK_SENDS;
    op->type = given.sendtype ? check_type(given.sendtype) : 0;
    op->count = given.sendcount > 0 ? static_cast<uint64_t>(given.sendcount) : 0;
    op->of = static_cast<uint32_t>(partners);
    if (given.sendcounts)
      op->counts = keep_counts(given.sendcounts, given.sendtypes, given.large, partners);
  }
  if (receives && given.recvbuf != MPI_IN_PLACE && (given.recvtype || given.recvtypes)) {
    op->flags |= PLAIT_CHECK_RECEIVES;
    op->type_received = given.recvtype ? check_type(given.recvtype) : 0;
    op->count_received = given.recvcount > 0 ? static_cast<uint64_t>(given.recvcount) : 0;
    op->of_received = static_cast<uint32_t>(partners);
    if (given.recvcounts)
      op->counts_received = keep_counts(given.recvcounts, given.recvtypes, given.large, partners);
  }
  if (!given.datatype) return;
  // Bcast and reductions: one type for both directions.
  op->flags |= PLAIT_CHECK_SENDS;
  op->type = check_type(given.datatype);
  const MPI_Count count = given.count > 0 ? given.count : given.recvcount;
  op->count = count > 0 ? static_cast<uint64_t>(count) : 0;
  if (given.recvcounts) {
    op->of_received = static_cast<uint32_t>(info.size);
    op->counts_received =
        keep_counts(given.recvcounts, nullptr, given.large, static_cast<uint64_t>(info.size));
  }
}

}  // namespace plait::preload
