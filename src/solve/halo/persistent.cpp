// SPDX-License-Identifier: BSD-3-Clause
// Halo messages by persistent requests.
#include <array>
#include <vector>

#include "solve/halo/transport.hpp"

namespace plait::solve {
namespace {

constexpr int tag = 0;  // on the halo's own communicator, one message per pair and direction

class Persistent final : public HaloTransport {
public:
  Persistent(MPI_Comm comm, MessageEnds& ends) : comm_(comm), ends_(ends) {}

  ~Persistent() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0) return;
    for (Prepared& prepared : prepared_) release(prepared);
  }

  void begin(std::span<const FieldView> fields) override {
    const std::size_t set = ends_.select(fields);
    now_ = &prepared_[set];
    if (now_->number != ends_.set(set).number) {
      release(*now_);
      prepare(ends_.set(set), *now_);
    }
    sent_ = false;
    done_ = false;
    start(0);
  }

  void send() override {
    start(ends_.size());
    sent_ = true;
  }

  bool test() override {
    if (done_) return true;
    int all = 0;
    MPI_Testall(2 * messages(), now_->requests.data(), &all, MPI_STATUSES_IGNORE);
    done_ = all != 0 && sent_;
    return done_;
  }

  void wait() override {
    if (done_) return;
    MPI_Waitall(2 * messages(), now_->requests.data(), MPI_STATUSES_IGNORE);
    done_ = true;
  }

private:
  /// The requests for one set of ends: receives, then sends.
  struct Prepared {
    std::uint64_t number = 0;
    std::vector<MPI_Request> requests;
  };

  void start(std::size_t first) {
    if (messages() > 0) MPI_Startall(messages(), now_->requests.data() + first);
  }

  [[nodiscard]] int messages() const { return static_cast<int>(ends_.size()); }

  void prepare(const MessageEnds::Set& set, Prepared& prepared) {
    prepared.number = set.number;
    prepared.requests.assign(2 * ends_.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const MessageEnd& in = set.receive[i];
      const MessageEnd& out = set.send[i];
      MPI_Recv_init(in.address, in.count, in.type, ends_.peer(i), tag, comm_,
                    &prepared.requests[i]);
      MPI_Send_init(out.address, out.count, out.type, ends_.peer(i), tag, comm_,
                    &prepared.requests[ends_.size() + i]);
    }
  }

  static void release(Prepared& prepared) {
    for (MPI_Request& request : prepared.requests) MPI_Request_free(&request);
    prepared.requests.clear();
  }

  MPI_Comm comm_;
  MessageEnds& ends_;
  std::array<Prepared, MessageEnds::kept> prepared_;
  Prepared* now_ = prepared_.data();
  bool sent_ = false;
  bool done_ = true;
};

}  // namespace

std::unique_ptr<HaloTransport> make_persistent(MPI_Comm comm, MessageEnds& ends) {
  return std::make_unique<Persistent>(comm, ends);
}

}  // namespace plait::solve
