// SPDX-License-Identifier: BSD-3-Clause
// Reads GAP events; see event_format.h.
#include "trace/gap_reader.hpp"

namespace plait::trace {

OperationKind operation_kind(std::uint32_t kind) {
  if (kind == PLAIT_EVENT_COLLECTIVE || kind == PLAIT_EVENT_ICOLLECTIVE) {
    return OperationKind::collective;
  }
  return kind == PLAIT_EVENT_RECV || kind == PLAIT_EVENT_IRECV || kind == PLAIT_EVENT_MPROBE
             ? OperationKind::receive
             : OperationKind::send;
}

void GapReader::read(EventNames& words, Gap gap, bool counts) {
  std::uint32_t pairs = counts ? words.one() : 0;
  const std::uint32_t back = counts ? words.one() : 0;
  if (back == 0) {
    gaps_.push_back({static_cast<std::uint32_t>(rank_.operations.size()), gap.begin});
    if (rank_.streams.size() == 1 && gap.end > gap.begin) rank_.gaps.push_back(gap);
  }
  for (; pairs > 0; --pairs) {
    const std::uint32_t shape = words.one();
    add(shape, words.one(), back == 0 ? 1 : back);
  }
}

void GapReader::read_receive(EventNames& words) {
  const std::uint32_t shape = words.one();
  const int source = words.number();
  const int tag = words.number();
  LeftOutOperations* receive = add(shape, 1, words.one());
  if (receive == nullptr) return;
  receive->tag = tag;
  const std::uint32_t comm = trace_.shapes[receive->shape].comm;
  if (comm == kNone || source < 0) return;
  const std::vector<int>& peers = trace_.comms[comm].peers_of(rank_.world_rank);
  if (static_cast<std::size_t>(source) < peers.size()) {
    receive->partner = peers[static_cast<std::size_t>(source)];
  }
}

LeftOutOperations* GapReader::add(std::uint32_t shape, std::uint64_t count, std::uint32_t back) {
  if (shape >= merged_.size()) throw Unreadable{"the shape of a gap is not defined"};
  // A ring may have overwritten the gap.
  if (back == 0 || back > gaps_.size()) return nullptr;
  const Place& gap = gaps_[gaps_.size() - back];
  const plait_shape& of = shapes_[shape];
  LeftOutOperations& out = rank_.left_out_operations.emplace_back();
  out.kind = operation_kind(of.kind);
  out.shape = merged_[shape].index;
  out.stream = static_cast<std::uint32_t>(rank_.streams.size() - 1);
  out.before = gap.before;
  out.at = gap.at;
  out.count = count;
  out.tag = of.tag;
  return &out;
}

}  // namespace plait::trace
