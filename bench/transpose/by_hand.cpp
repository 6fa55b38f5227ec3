// SPDX-License-Identifier: BSD-3-Clause
// The transpose that programs write by hand: pack, MPI_Alltoallv, unpack.
#include <cstring>

#include "contender.hpp"

namespace plait::bench {
namespace {

class ByHand {
public:
  ByHand(Slabs& slabs, const Transpose& plan)
      : slabs_(slabs),
        nx_(plan.source().extents[0]),
        planes_(plan.source().extents[2]),
        rows_(plan.destination().extents[1]) {
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const auto gather = [this](std::int64_t own) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
      MPI_Allgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
      return all;
    };
    all_rows_ = gather(rows_);
    all_planes_ = gather(planes_);
    int sent = 0, received = 0;
    for (std::size_t rank = 0; rank < all_rows_.size(); ++rank) {
      send_counts_.push_back(static_cast<int>(2 * nx_ * all_rows_[rank] * planes_));
      receive_counts_.push_back(static_cast<int>(2 * nx_ * rows_ * all_planes_[rank]));
      send_offsets_.push_back(sent);
      receive_offsets_.push_back(received);
      sent += send_counts_.back();
      received += receive_counts_.back();
    }
    out_.resize(static_cast<std::size_t>(sent) / 2);
    in_.resize(static_cast<std::size_t>(received) / 2);
  }

  void operator()() {
    Complex* out = out_.data();
    std::int64_t row = 0;
    const std::int64_t ny = slabs_.shape.extents[1];
    for (const std::int64_t rows : all_rows_) {
      for (std::int64_t z = 0; z < planes_; ++z) {
        const auto count = static_cast<std::size_t>(nx_ * rows);
        std::memcpy(static_cast<void*>(out), slabs_.from.data() + nx_ * (row + ny * z),
                    count * sizeof(Complex));
        out += count;
      }
      row += rows;
    }
    MPI_Alltoallv(out_.data(), send_counts_.data(), send_offsets_.data(), MPI_DOUBLE, in_.data(),
                  receive_counts_.data(), receive_offsets_.data(), MPI_DOUBLE, MPI_COMM_WORLD);
    // The planes of a rank follow each other in the slab: the copy is what a program needs that
    // computes in another array than it receives into.
    std::memcpy(static_cast<void*>(slabs_.to.data()), in_.data(), in_.size() * sizeof(Complex));
  }

private:
  Slabs& slabs_;
  std::int64_t nx_, planes_, rows_;
  int size_ = 1;
  std::vector<std::int64_t> all_rows_, all_planes_;
  std::vector<int> send_counts_, receive_counts_, send_offsets_, receive_offsets_;
  std::vector<Complex> out_, in_;
};

}  // namespace

Contender packed_by_hand(Slabs& slabs, const Transpose& plan) {
  const auto transpose = std::make_shared<ByHand>(slabs, plan);
  return {"packed", [transpose] { (*transpose)(); }};
}

}  // namespace plait::bench
