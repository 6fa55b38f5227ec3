// SPDX-License-Identifier: BSD-3-Clause
// The reference transpose for verify mode: plain bytes between scratch arrays, element by element,
// compared bit by bit. It shares the blocks of ranks with what it checks, but neither segments, nor
// copies, nor transports.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "plait/environment.hpp"
#include "solve/transpose/state.hpp"
#include "text/counted.hpp"

namespace plait {
namespace solve {
namespace {

/// The positions along each axis, in a rank's array, of kept indices.
class Positions {
public:
  Positions(const TransposeGeometry& geometry, Side side, int rank) {
    const TransposeShape& shape = geometry.shape();
    const Cut& cut = side == Side::from ? shape.from : shape.to;
    const bool all = (side == Side::to) == shape.expands;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<IndexRange> kept = shape.kept[axis];
      if (kept.empty()) kept.push_back({0, shape.extents[axis]});
      const bool is_cut = cut.axis == static_cast<int>(axis);
      const std::int64_t offset = is_cut ? geometry.own(side, rank).first : 0;
      for (const IndexRange& range : kept) {
        for (std::int64_t i = range.first; i < range.last; ++i) {
          const auto number = static_cast<std::int64_t>(of_[axis].size());
          of_[axis].push_back((all ? i : number) - offset);
        }
      }
    }
  }

  /// Calls use(offset) for the elements of a box in an array with these strides.
  template <class Use>
  void each(const KeptBox& box, const Long3& strides, Use&& use) const {
    for (std::int64_t z = box.range[2].first; z < box.range[2].last; ++z) {
      for (std::int64_t y = box.range[1].first; y < box.range[1].last; ++y) {
        for (std::int64_t x = box.range[0].first; x < box.range[0].last; ++x) {
          use(at(0, x) * strides[0] + at(1, y) * strides[1] + at(2, z) * strides[2]);
        }
      }
    }
  }

private:
  [[nodiscard]] std::int64_t at(std::size_t axis, std::int64_t kept) const {
    return of_[axis][static_cast<std::size_t>(kept)];
  }
  std::array<std::vector<std::int64_t>, 3> of_;
};

/// Messages of any length, in pieces whose length MPI can say.
template <class Post>
void in_pieces(std::size_t bytes, Post&& post) {
  constexpr std::size_t most = std::size_t{1} << 30U;
  for (std::size_t done = 0; done < bytes; done += most) {
    post(done, static_cast<int>(std::min(most, bytes - done)));
  }
}

}  // namespace

std::int64_t unlike_plain_transpose(const TransposeGeometry& geometry, MPI_Comm comm, int rank,
                                    const Long3& from_strides, const Long3& to_strides,
                                    std::span<const void* const> from,
                                    std::span<const void* const> to) {
  const std::size_t bytes = geometry.shape().element_bytes;
  const auto ranks = static_cast<std::size_t>(geometry.ranks());
  const Positions source(geometry, Side::from, rank);
  const Positions target(geometry, Side::to, rank);
  const Long3 extents = geometry.extents(Side::to, rank);
  std::int64_t unlike = 0;
  for (std::size_t f = 0; f < from.size(); ++f) {
    std::vector<std::vector<std::byte>> out(ranks), in(ranks);
    std::vector<MPI_Request> requests;
    const auto* field = static_cast<const std::byte*>(from[f]);
    for (int peer = 0; peer < geometry.ranks(); ++peer) {
      const KeptBox sent = geometry.box(rank, peer, whole_transpose);
      auto& message = out[static_cast<std::size_t>(peer)];
      message.reserve(static_cast<std::size_t>(sent.elements()) * bytes);
      source.each(sent, from_strides, [&](std::int64_t place) {
        const std::byte* element = field + place * static_cast<std::int64_t>(bytes);
        message.insert(message.end(), element, element + bytes);
      });
      auto& answer = in[static_cast<std::size_t>(peer)];
      const KeptBox received = geometry.box(peer, rank, whole_transpose);
      answer.resize(static_cast<std::size_t>(received.elements()) * bytes);
      in_pieces(answer.size(), [&](std::size_t begin, int length) {
        MPI_Irecv(answer.data() + begin, length, MPI_BYTE, peer, 0, comm, &requests.emplace_back());
      });
      in_pieces(message.size(), [&](std::size_t begin, int length) {
        MPI_Isend(message.data() + begin, length, MPI_BYTE, peer, 0, comm,
                  &requests.emplace_back());
      });
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

    // What no element reaches must be zero.
    const std::vector<std::byte> zeros(bytes);
    const auto* result = static_cast<const std::byte*>(to[f]);
    std::vector<std::int64_t> reached;
    for (int peer = 0; peer < geometry.ranks(); ++peer) {
      const std::byte* right = in[static_cast<std::size_t>(peer)].data();
      target.each(geometry.box(peer, rank, whole_transpose), to_strides, [&](std::int64_t place) {
        const std::byte* element = result + place * static_cast<std::int64_t>(bytes);
        if (std::memcmp(element, right, bytes) != 0) ++unlike;
        right += bytes;
        reached.push_back(place);
      });
    }
    std::ranges::sort(reached);
    for (std::int64_t z = 0; z < extents[2]; ++z) {
      for (std::int64_t y = 0; y < extents[1]; ++y) {
        for (std::int64_t x = 0; x < extents[0]; ++x) {
          const std::int64_t place = x * to_strides[0] + y * to_strides[1] + z * to_strides[2];
          if (std::ranges::binary_search(reached, place)) continue;
          const std::byte* element = result + place * static_cast<std::int64_t>(bytes);
          if (std::memcmp(element, zeros.data(), bytes) != 0) ++unlike;
        }
      }
    }
  }
  return unlike;
}

}  // namespace solve

void Transpose::Plan::keep(int chunk) {
  if (!verifies) return;
  const auto fields = static_cast<std::size_t>(geometry.shape().fields);
  kept.resize(fields);
  const auto axis = static_cast<std::size_t>(geometry.chunk_axis());
  std::vector<IndexRange> planes = geometry.planes(solve::Side::to, rank, chunk);
  if (chunk <= 0) {  // with planes that nothing reaches
    std::int64_t end = 0;
    for (const IndexRange& range : geometry.planes(solve::Side::to, rank, whole)) {
      planes.push_back({end, range.first});
      end = range.last;
    }
    planes.push_back({end, destination.extents[axis]});
  }
  for (std::size_t f = 0; f < fields; ++f) {
    copy_planes(destination, planes, memory[fields + f], kept[f]);
  }
  kept_chunks += chunk == whole ? options.chunks : 1;
}

void Transpose::Plan::keep_sources(int chunk) {
  if (!verifies) return;
  kept_sources.resize(overwritten.size());
  const std::vector<IndexRange> planes = geometry.planes(solve::Side::from, rank, chunk);
  for (std::size_t f = 0; f < overwritten.size(); ++f) {
    if (overwritten[f]) copy_planes(source, planes, memory[f], kept_sources[f]);
  }
}

void Transpose::Plan::copy_planes(const TransposeArray& array,
                                  const std::vector<IndexRange>& planes, std::byte* from,
                                  std::vector<std::byte>& to) const {
  const auto bytes = static_cast<std::int64_t>(geometry.shape().element_bytes);
  const auto axis = static_cast<std::size_t>(geometry.chunk_axis());
  solve::StridedCopies copies;
  for (const IndexRange& range : planes) {
    Long3 count = array.extents;
    count[axis] = range.count();
    solve::StridedEnd end{0, range.first * array.strides[axis] * bytes, array.strides};
    for (std::int64_t& stride : end.stride) stride *= bytes;
    solve::StridedEnd copy = end;
    copy.memory = 1;
    copies.add(end, copy, count, static_cast<std::size_t>(bytes));
  }
  to.resize(static_cast<std::size_t>(array.elements * bytes));
  const std::array<std::byte*, 2> ends{from, to.data()};
  copies.run(ends, 0, 1);
}

void Transpose::Plan::verify_kept(const std::string& how) {
  if (!verifies || kept_chunks < options.chunks) return;
  kept_chunks = 0;
  ++verified;
  std::vector<const void*> from, to;
  for (std::size_t f = 0; f < kept.size(); ++f) {
    from.push_back(overwritten[f] ? kept_sources[f].data() : memory[f]);
    to.push_back(kept[f].data());
  }
  const std::int64_t unlike = solve::unlike_plain_transpose(
      geometry, verify_comm, rank, source.strides, destination.strides, from, to);
  std::unique_ptr<Error> error;
  if (unlike > 0) {
    error = std::make_unique<Error>(
        "transpose " + std::to_string(verified) + how,
        counted(unlike, "element differs", "elements differ") + " from a blocking transpose",
        "check that nothing changes the sources before the transpose is complete");
  }
  agree_on_error(verify_comm, error.get());
}

}  // namespace plait
