// SPDX-License-Identifier: BSD-3-Clause
// Packed messages of a transpose by MPI_Irecv and MPI_Isend.
#include "solve/transpose/messages.hpp"

namespace plait::solve {
namespace {

class PointToPoint final : public TransposeMessages {
public:
  explicit PointToPoint(const TransposeRoutes& routes)
      : routes_(routes), element_(element_type(routes.element_bytes)), sets_(routes.sets.size()) {
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      // Every rank begins with another partner, so that no rank is the first of all.
      for (int distance = 1; distance < routes.size; ++distance) {
        const int from = (routes.rank + routes.size - distance) % routes.size;
        const int to = (routes.rank + distance) % routes.size;
        add(sets_[set].receives, from, routes.sets[set].receive_elements);
        add(sets_[set].sends, to, routes.sets[set].send_elements);
      }
      sets_[set].requests.resize(sets_[set].receives.size() + sets_[set].sends.size(),
                                 MPI_REQUEST_NULL);
    }
  }

  void send(std::size_t set) override {
    Set& messages = sets_[set];
    const int tag = static_cast<int>(set);
    MPI_Request* request = messages.requests.data();
    for (const Message& message : messages.receives) {
      MPI_Irecv(routes_.incoming(set, static_cast<std::size_t>(message.peer)), message.count,
                type_of(message), message.peer, tag, routes_.comm, request++);
    }
    for (const Message& message : messages.sends) {
      MPI_Isend(routes_.outgoing(set, static_cast<std::size_t>(message.peer)), message.count,
                type_of(message), message.peer, tag, routes_.comm, request++);
    }
  }

  bool test(std::size_t set) override {
    std::vector<MPI_Request>& requests = sets_[set].requests;
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }

  void wait(std::size_t set) override {
    std::vector<MPI_Request>& requests = sets_[set].requests;
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

private:
  struct Message {
    int peer = 0;
    int count = 0;
    OwnedType run;  ///< of all elements if a count cannot say their number
  };
  struct Set {
    std::vector<Message> receives, sends;
    std::vector<MPI_Request> requests;  ///< receives, then sends
  };

  void add(std::vector<Message>& messages, int peer,
           const std::vector<std::int64_t>& elements) const {
    const std::int64_t count = elements[static_cast<std::size_t>(peer)];
    if (count == 0) return;
    if (count <= routes_.largest_count) {
      messages.push_back({peer, static_cast<int>(count), OwnedType()});
    } else {
      messages.push_back({peer, 1, run_type(count, routes_.element_bytes, routes_.largest_count)});
    }
  }

  [[nodiscard]] MPI_Datatype type_of(const Message& message) const {
    return message.run.get() == MPI_DATATYPE_NULL ? element_.get() : message.run.get();
  }

  const TransposeRoutes& routes_;
  OwnedType element_;
  std::vector<Set> sets_;
};

}  // namespace

std::unique_ptr<TransposeMessages> make_point_to_point(const TransposeRoutes& routes) {
  return std::make_unique<PointToPoint>(routes);
}

}  // namespace plait::solve
