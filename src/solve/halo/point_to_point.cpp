// SPDX-License-Identifier: BSD-3-Clause
// Halo messages by MPI_Irecv and MPI_Isend.
#include <vector>

#include "solve/halo/transport.hpp"

namespace plait::solve {
namespace {

constexpr int tag = 0;  // on the halo's own communicator, one message per pair and direction

class PointToPoint final : public HaloTransport {
public:
  PointToPoint(MPI_Comm comm, MessageEnds& ends)
      : comm_(comm), ends_(ends), requests_(2 * ends.size(), MPI_REQUEST_NULL) {}

  void begin(std::span<const FieldView> fields) override {
    set_ = ends_.select(fields);
    sent_ = false;
    done_ = false;
    const std::vector<MessageEnd>& ends = ends_.set(set_).receive;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      MPI_Irecv(ends[i].address, ends[i].count, ends[i].type, ends_.peer(i), tag, comm_,
                &requests_[i]);
    }
  }

  void send() override {
    const std::vector<MessageEnd>& ends = ends_.set(set_).send;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      MPI_Isend(ends[i].address, ends[i].count, ends[i].type, ends_.peer(i), tag, comm_,
                &requests_[ends.size() + i]);
    }
    sent_ = true;
  }

  bool test() override {
    if (done_) return true;
    int all = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
    done_ = all != 0 && sent_;
    return done_;
  }

  void wait() override {
    if (done_) return;
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    done_ = true;
  }

private:
  MPI_Comm comm_;
  MessageEnds& ends_;
  std::vector<MPI_Request> requests_;  ///< receives, then sends
  std::size_t set_ = 0;
  bool sent_ = false;
  bool done_ = true;
};

}  // namespace

std::unique_ptr<HaloTransport> make_point_to_point(MPI_Comm comm, MessageEnds& ends) {
  return std::make_unique<PointToPoint>(comm, ends);
}

}  // namespace plait::solve
