// SPDX-License-Identifier: BSD-3-Clause
// One transpose with its arrays, and the expected value of each element.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "plait/transpose.hpp"

namespace plait::test {

/// The value of a global element of a field; the byte is different for neighbours.
inline std::byte value_of(const Long3& element, int field, std::size_t byte) {
  const std::int64_t number = element[0] + 31 * element[1] + 1009 * element[2] + 7 * field +
                              13 * static_cast<std::int64_t>(byte);
  return static_cast<std::byte>(1 + number % 251);
}

/// For each axis, the index among all of an index of a side's array.
class GlobalIndices {
public:
  GlobalIndices(const TransposeShape& shape, const TransposeArray& array, bool all) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<std::int64_t> indices;
      for (std::int64_t i = 0; i < shape.extents[axis]; ++i) {
        const bool kept = shape.kept[axis].empty() ||
                          std::ranges::any_of(shape.kept[axis], [i](const IndexRange& range) {
                            return i >= range.first && i < range.last;
                          });
        if (all || kept) indices.push_back(i);
        if (kept) kept_[axis].push_back(i);
      }
      const bool cut = array.axis == static_cast<int>(axis);
      const auto first = static_cast<std::ptrdiff_t>(cut ? array.own.first : 0);
      of_[axis].assign(indices.begin() + first, indices.begin() + first + array.extents[axis]);
    }
  }

  [[nodiscard]] Long3 at(const Long3& local) const {
    Long3 result{};
    for (std::size_t d = 0; d < 3; ++d) result[d] = of_[d][static_cast<std::size_t>(local[d])];
    return result;
  }
  [[nodiscard]] bool kept(const Long3& global) const {
    bool all = true;
    for (std::size_t d = 0; d < 3; ++d) all &= std::ranges::binary_search(kept_[d], global[d]);
    return all;
  }

private:
  std::array<std::vector<std::int64_t>, 3> of_, kept_;
};

template <class Use>
void each_element(const TransposeArray& array, Use&& use) {
  for (std::int64_t z = 0; z < array.extents[2]; ++z) {
    for (std::int64_t y = 0; y < array.extents[1]; ++y) {
      for (std::int64_t x = 0; x < array.extents[0]; ++x) {
        use(Long3{x, y, z}, x * array.strides[0] + y * array.strides[1] + z * array.strides[2]);
      }
    }
  }
}

/// The arrays of one transpose on this rank.
class TransposeCase {
public:
  explicit TransposeCase(Transpose& plan, bool in_source_memory = false)
      : plan_(plan), bytes_(plan.shape().element_bytes) {
    const auto size = [&](const TransposeArray& array) {
      return std::max<std::size_t>(1, static_cast<std::size_t>(array.elements) * bytes_);
    };
    for (int field = 0; field < plan.shape().fields; ++field) {
      sources_.emplace_back(size(plan.source()));
      targets_.emplace_back(size(plan.destination()));
    }
    for (int field = 0; field < plan.shape().fields; ++field) {
      const auto f = static_cast<std::size_t>(field);
      from_.push_back(in_source_memory ? plan.source_memory(field) : sources_[f].data());
      to_.push_back(targets_[f].data());
    }
    reset();
  }

  /// Sets the sources, and destinations to a value that no element has.
  void reset() {
    const GlobalIndices indices(plan_.shape(), plan_.source(), !plan_.shape().expands);
    for (std::size_t f = 0; f < from_.size(); ++f) {
      std::ranges::fill(targets_[f], std::byte{255});
      each_element(plan_.source(), [&](const Long3& local, std::int64_t place) {
        for (std::size_t b = 0; b < bytes_; ++b) {
          static_cast<std::byte*>(from_[f])[at(place) + b] =
              value_of(indices.at(local), static_cast<int>(f), b);
        }
      });
    }
  }

  /// Number of destination bytes that are wrong.
  /// @param changed  is added to those that came
  /// @param zeros    value of those that nothing reaches
  [[nodiscard]] int wrong(int changed = 0, int zeros = 0) const {
    const GlobalIndices indices(plan_.shape(), plan_.destination(), plan_.shape().expands);
    int count = 0;
    for (std::size_t f = 0; f < to_.size(); ++f) {
      each_element(plan_.destination(), [&](const Long3& local, std::int64_t place) {
        const Long3 global = indices.at(local);
        for (std::size_t b = 0; b < bytes_; ++b) {
          const int right = static_cast<int>(value_of(global, static_cast<int>(f), b));
          const int expected = indices.kept(global) ? (right + changed) % 256 : zeros;
          if (static_cast<int>(targets_[f][at(place) + b]) != expected) ++count;
        }
      });
    }
    return count;
  }

  /// Adds 1 to each byte of some planes along the chunk axis, as a transform would change them.
  void change(bool destination, const IndexRange& planes) {
    const TransposeArray& array = destination ? plan_.destination() : plan_.source();
    const auto axis = static_cast<std::size_t>(plan_.chunk_axis());
    for (std::size_t f = 0; f < to_.size(); ++f) {
      auto* memory = static_cast<std::byte*>(destination ? to_[f] : from_[f]);
      each_element(array, [&](const Long3& local, std::int64_t place) {
        if (local[axis] < planes.first || local[axis] >= planes.last) return;
        for (std::size_t b = 0; b < bytes_; ++b) {
          std::byte& byte = memory[at(place) + b];
          byte = static_cast<std::byte>(static_cast<int>(byte) + 1);
        }
      });
    }
  }

  [[nodiscard]] std::span<const void* const> from() const { return from_view(); }
  [[nodiscard]] std::span<void* const> to() const { return to_; }
  /// One byte of the first destination.
  [[nodiscard]] std::byte& some_byte() { return targets_[0][0]; }

private:
  [[nodiscard]] std::span<const void* const> from_view() const {
    return {const_cast<const void* const*>(from_.data()), from_.size()};
  }
  [[nodiscard]] std::size_t at(std::int64_t place) const {
    return static_cast<std::size_t>(place) * bytes_;
  }

  Transpose& plan_;
  std::size_t bytes_;
  std::vector<std::vector<std::byte>> sources_, targets_;
  std::vector<void*> from_, to_;
};

}  // namespace plait::test
