// SPDX-License-Identifier: BSD-3-Clause
// Packed messages of a transpose by MPI_Ialltoallv.
#include <algorithm>

#include "solve/transpose/messages.hpp"

namespace plait::solve {
namespace {

/// Counts and offsets of one side of a collective call, as MPI needs them.
struct Arguments {
  std::vector<int> counts, offsets;
};

class Alltoallv final : public TransposeMessages {
public:
  explicit Alltoallv(const TransposeRoutes& routes)
      : routes_(routes),
        element_(element_type(routes.element_bytes)),
        large_(routes.sets.size(), 0),
        requests_(routes.sets.size(), MPI_REQUEST_NULL),
        without_counts_(make_point_to_point(routes)) {
    for (std::size_t set = 0; set < large_.size(); ++set) {
      const PackedMessages& messages = routes.sets[set];
      const bool fits = fits_counts(messages.send_elements, messages.send_offset) &&
                        fits_counts(messages.receive_elements, messages.receive_offset);
      large_[set] = fits ? 0 : 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, large_.data(), static_cast<int>(large_.size()), MPI_INT, MPI_MAX,
                  routes.comm);
    for (std::size_t set = 0; set < large_.size(); ++set) {
      const PackedMessages& messages = routes.sets[set];
      if (large_[set] != 0) {
        sends_.emplace_back();
        receives_.emplace_back();
      } else {
        sends_.push_back(arguments(messages.send_elements, messages.send_offset));
        receives_.push_back(arguments(messages.receive_elements, messages.receive_offset));
      }
    }
  }

  void send(std::size_t set) override {
    if (large_[set] != 0) return without_counts_->send(set);
    const PackedMessages& messages = routes_.sets[set];
    const auto bytes = static_cast<std::int64_t>(routes_.element_bytes);
    const Arguments& s = sends_[set];
    const Arguments& r = receives_[set];
    MPI_Ialltoallv(routes_.send_buffer + messages.send_offset[0] * bytes, s.counts.data(),
                   s.offsets.data(), element_.get(),
                   routes_.receive_buffer + messages.receive_offset[0] * bytes, r.counts.data(),
                   r.offsets.data(), element_.get(), routes_.comm, &requests_[set]);
  }

  bool test(std::size_t set) override {
    if (large_[set] != 0) return without_counts_->test(set);
    int done = 0;
    MPI_Test(&requests_[set], &done, MPI_STATUS_IGNORE);
    return done != 0;
  }

  void wait(std::size_t set) override {
    if (large_[set] != 0) return without_counts_->wait(set);
    MPI_Wait(&requests_[set], MPI_STATUS_IGNORE);
  }

private:
  /// True if ints can express a set. Offsets count from the set's first message.
  [[nodiscard]] bool fits_counts(const std::vector<std::int64_t>& elements,
                                 const std::vector<std::int64_t>& offset) const {
    return offset.back() - offset[0] <= routes_.largest_count &&
           std::ranges::all_of(elements,
                               [&](std::int64_t count) { return count <= routes_.largest_count; });
  }

  static Arguments arguments(const std::vector<std::int64_t>& elements,
                             const std::vector<std::int64_t>& offset) {
    Arguments result;
    for (std::size_t rank = 0; rank < elements.size(); ++rank) {
      result.counts.push_back(static_cast<int>(elements[rank]));
      result.offsets.push_back(static_cast<int>(offset[rank] - offset[0]));
    }
    return result;
  }

  const TransposeRoutes& routes_;
  OwnedType element_;
  std::vector<int> large_;  ///< sets that ints cannot express on some rank
  std::vector<Arguments> sends_, receives_;
  std::vector<MPI_Request> requests_;
  std::unique_ptr<TransposeMessages> without_counts_;
};

}  // namespace

std::unique_ptr<TransposeMessages> make_alltoallv(const TransposeRoutes& routes) {
  return std::make_unique<Alltoallv>(routes);
}

}  // namespace plait::solve
