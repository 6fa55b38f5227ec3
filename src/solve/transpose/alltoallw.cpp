// SPDX-License-Identifier: BSD-3-Clause
// Elements of a transpose by MPI_Ialltoallw on the arrays, without packing.
#include "solve/transpose/messages.hpp"

namespace plait::solve {
namespace {

class Alltoallw final : public TransposeMessages {
public:
  Alltoallw(const TransposeRoutes& routes, const TransposeGeometry& geometry,
            const std::vector<std::byte*>& memory, const Long3& from_strides,
            const Long3& to_strides)
      : routes_(routes), memory_(memory), zeros_(static_cast<std::size_t>(routes.size), 0) {
    const int chunks = geometry.chunks();
    for (int set = 0; set <= chunks; ++set) {
      const int chunk = set < chunks ? set : whole_transpose;
      Arguments arguments;
      for (int peer = 0; peer < routes.size; ++peer) {
        add(arguments.send, geometry, Side::from, geometry.box(routes.rank, peer, chunk), peer,
            from_strides);
        add(arguments.receive, geometry, Side::to, geometry.box(peer, routes.rank, chunk), peer,
            to_strides);
      }
      arguments.requests.resize(static_cast<std::size_t>(routes.fields), MPI_REQUEST_NULL);
      sets_.push_back(std::move(arguments));
    }
  }

  void send(std::size_t set) override {
    Arguments& arguments = sets_[set];
    const auto fields = static_cast<std::size_t>(routes_.fields);
    for (std::size_t f = 0; f < fields; ++f) {
      MPI_Ialltoallw(memory_[f], arguments.send.counts.data(), zeros_.data(),
                     arguments.send.types.data(), memory_[fields + f],
                     arguments.receive.counts.data(), zeros_.data(), arguments.receive.types.data(),
                     routes_.comm, &arguments.requests[f]);
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
  struct Types {
    std::vector<int> counts;
    std::vector<OwnedType> owned;
    std::vector<MPI_Datatype> types;
  };
  struct Arguments {
    Types send, receive;
    std::vector<MPI_Request> requests;  ///< of each field
  };

  /// Adds what goes to or comes from one rank: nothing for this rank, which copies its own part.
  void add(Types& types, const TransposeGeometry& geometry, Side side, const KeptBox& box, int peer,
           const Long3& strides) const {
    const bool travels = peer != routes_.rank && box.elements() > 0;
    types.counts.push_back(travels ? 1 : 0);
    if (!travels) {
      types.types.push_back(MPI_BYTE);
      return;
    }
    std::array<std::vector<Segment>, 3> segments;
    for (int axis = 0; axis < 3; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      segments[d] = geometry.segments(side, routes_.rank, axis, box.range[d]);
    }
    types.owned.push_back(box_type(segments, strides, geometry.shape().to.order,
                                   routes_.element_bytes, routes_.largest_count));
    types.types.push_back(types.owned.back().get());
  }

  const TransposeRoutes& routes_;
  const std::vector<std::byte*>& memory_;
  std::vector<int> zeros_;
  std::vector<Arguments> sets_;
};

}  // namespace

std::unique_ptr<TransposeMessages> make_alltoallw(const TransposeRoutes& routes,
                                                  const TransposeGeometry& geometry,
                                                  const std::vector<std::byte*>& memory,
                                                  const Long3& from_strides,
                                                  const Long3& to_strides) {
  return std::make_unique<Alltoallw>(routes, geometry, memory, from_strides, to_strides);
}

}  // namespace plait::solve
