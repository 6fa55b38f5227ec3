// SPDX-License-Identifier: BSD-3-Clause
// Address, count and datatype of each end of a halo's messages, as MPI needs them.
#include "solve/halo/ends.hpp"

namespace plait::solve {
namespace {

/// The datatype of a box of a field, beginning at the box's first cell. Rows and planes may have
/// any padding, so it is a vector of vectors, not a subarray. It consists of bytes, so that the
/// other side may send or receive plain bytes.
MPI_Datatype box_type(const FieldView& view, const Box& box) {
  const auto bytes = static_cast<MPI_Aint>(view.element_bytes);
  const int row_bytes = static_cast<int>(box.extent(0) * bytes);
  MPI_Datatype plane = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(box.extent(1), row_bytes, view.stride_y * bytes, MPI_BYTE, &plane);
  MPI_Type_create_hvector(box.extent(2), 1, view.stride_z * bytes, plane, &type);
  MPI_Type_free(&plane);
  return type;
}

}  // namespace

MessageEnds::MessageEnds(const HaloShape& shape, std::span<const FieldView> layout,
                         const std::vector<HaloMessage>& messages,
                         std::span<std::byte* const> outgoing, std::span<std::byte* const> incoming,
                         const std::vector<std::size_t>& mine, bool packed)
    : shape_(shape),
      messages_(messages),
      outgoing_(outgoing),
      incoming_(incoming),
      mine_(mine),
      packed_(packed) {
  for (Set& set : sets_) {
    set.origins.assign(layout.size(), nullptr);
    set.send.resize(mine.size());
    set.receive.resize(mine.size());
  }
}

MessageEnds::~MessageEnds() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  for (Set& set : sets_) release(set);
}

std::size_t MessageEnds::select(std::span<const FieldView> fields) {
  const auto fits = [&](const Set& set) {
    if (set.number == 0) return false;
    if (packed_) return true;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (fields[f].origin != set.origins[f]) return false;
    }
    return true;
  };
  for (std::size_t s = 0; s < kept; ++s) {
    if (fits(sets_[s])) return s;
  }
  newest_ = (newest_ + 1) % kept;
  release(sets_[newest_]);
  describe(fields, sets_[newest_]);
  sets_[newest_].number = ++made_;
  return newest_;
}

void MessageEnds::describe(std::span<const FieldView> fields, Set& set) const {
  for (std::size_t f = 0; f < fields.size(); ++f) set.origins[f] = fields[f].origin;
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    const std::size_t m = mine_[i];
    if (packed_) {
      const int bytes = static_cast<int>(messages_[m].bytes);
      set.send[i] = {outgoing_[m], bytes, MPI_BYTE};
      set.receive[i] = {incoming_[m], bytes, MPI_BYTE};
    } else {
      const HaloPeer& peer = messages_[m].peer;
      set.send[i] = {fields[0].origin, 1, region_type(fields, peer.send, false)};
      set.receive[i] = {fields[0].origin, 1, region_type(fields, peer.receive, true)};
    }
  }
}

void MessageEnds::release(Set& set) const {
  if (set.number == 0 || packed_) return;
  for (std::size_t i = 0; i < mine_.size(); ++i) {
    MPI_Type_free(&set.send[i].type);
    MPI_Type_free(&set.receive[i].type);
  }
  set.number = 0;
}

MPI_Datatype MessageEnds::region_type(std::span<const FieldView> fields,
                                      std::span<const Int3> directions, bool ghosts) const {
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> addresses;
  MPI_Aint base = 0;
  MPI_Get_address(fields[0].origin, &base);
  for (const Int3& direction : directions) {
    const Box box = ghosts ? ghost_box(shape_, direction) : send_box(shape_, direction);
    for (const FieldView& view : fields) {
      types.push_back(box_type(view, box));
      MPI_Aint& address = addresses.emplace_back();
      MPI_Get_address(view.at(box.first[0], box.first[1], box.first[2]), &address);
      address = MPI_Aint_diff(address, base);
    }
  }
  const std::vector<int> once(types.size(), 1);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(static_cast<int>(types.size()), once.data(), addresses.data(),
                         types.data(), &type);
  MPI_Type_commit(&type);
  for (MPI_Datatype& part : types) MPI_Type_free(&part);
  return type;
}

}  // namespace plait::solve
