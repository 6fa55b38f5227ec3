// SPDX-License-Identifier: BSD-3-Clause
// Halo messages by a neighbourhood collective. A pair of ranks has one edge in each direction even
// if it shares several sides, because libraries order several edges between two ranks differently.
#include <array>
#include <vector>

#include "solve/halo/transport.hpp"

namespace plait::solve {
namespace {

class Neighborhood final : public HaloTransport {
public:
  Neighborhood(MPI_Comm comm, MessageEnds& ends) : ends_(ends) {
    std::vector<int> ranks;
    for (std::size_t i = 0; i < ends.size(); ++i) ranks.push_back(ends.peer(i));
    const int degree = static_cast<int>(ranks.size());
    ranks.push_back(MPI_PROC_NULL);  // so that data() is not null on a rank without neighbours
    MPI_Dist_graph_create_adjacent(comm, degree, ranks.data(), MPI_UNWEIGHTED, degree, ranks.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
  }

  ~Neighborhood() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&graph_);
  }

  void begin(std::span<const FieldView> fields) override {
    const std::size_t set = ends_.select(fields);
    now_ = &arguments_[set];
    if (now_->number != ends_.set(set).number) prepare(ends_.set(set), *now_);
    sent_ = false;
    done_ = false;
  }

  void send() override {
    MPI_Ineighbor_alltoallw(MPI_BOTTOM, now_->send.counts.data(), now_->send.addresses.data(),
                            now_->send.types.data(), MPI_BOTTOM, now_->receive.counts.data(),
                            now_->receive.addresses.data(), now_->receive.types.data(), graph_,
                            &request_);
    sent_ = true;
  }

  bool test() override {
    if (done_ || !sent_) return done_;
    int flag = 0;
    MPI_Test(&request_, &flag, MPI_STATUS_IGNORE);
    done_ = flag != 0;
    return done_;
  }

  void wait() override {
    if (done_) return;
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    done_ = true;
  }

private:
  /// Arguments for one side of the call. Has one element more than there are edges, so that data()
  /// is never null.
  struct Side {
    std::vector<int> counts;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Datatype> types;
  };
  /// Arguments for one set of ends.
  struct Arguments {
    std::uint64_t number = 0;
    Side send;
    Side receive;
  };

  static void fill(const std::vector<MessageEnd>& ends, Side& side) {
    side.counts.assign(ends.size() + 1, 0);
    side.addresses.assign(ends.size() + 1, 0);
    side.types.assign(ends.size() + 1, MPI_BYTE);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      side.counts[i] = ends[i].count;
      side.types[i] = ends[i].type;
      MPI_Get_address(ends[i].address, &side.addresses[i]);
    }
  }
  static void prepare(const MessageEnds::Set& set, Arguments& arguments) {
    arguments.number = set.number;
    fill(set.send, arguments.send);
    fill(set.receive, arguments.receive);
  }

  MessageEnds& ends_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::array<Arguments, MessageEnds::kept> arguments_;
  Arguments* now_ = arguments_.data();
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool sent_ = false;
  bool done_ = true;
};

}  // namespace

std::unique_ptr<HaloTransport> make_neighborhood(MPI_Comm comm, MessageEnds& ends) {
  return std::make_unique<Neighborhood>(comm, ends);
}

}  // namespace plait::solve
