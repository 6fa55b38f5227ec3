// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a group as regular runs: a communicator of 100 000 ranks takes a few bytes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>

namespace plait::trace {

/// A list of ranks, in order, as runs with a constant stride. Most communicators have one run.
/// Irregular ones take more memory than a vector, by a constant factor.
class RankGroup {
public:
  struct Run {
    std::size_t begin = 0;  ///< index of its first rank in the group
    int first = 0;
    std::int64_t stride = 1;
    bool operator==(const Run&) const = default;
  };

  class Iterator {
  public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int*;
    using reference = int;

    Iterator() = default;
    Iterator(const RankGroup* group, std::size_t at) : group_(group), at_(at) {}
    int operator*() const { return (*group_)[at_]; }
    int operator[](difference_type by) const { return *(*this + by); }
    Iterator& operator+=(difference_type by) {
      at_ += static_cast<std::size_t>(by);
      return *this;
    }
    Iterator& operator-=(difference_type by) { return *this += -by; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    Iterator operator--(int) {
      const Iterator before = *this;
      --*this;
      return before;
    }
    friend Iterator operator+(Iterator at, difference_type by) { return at += by; }
    friend Iterator operator+(difference_type by, Iterator at) { return at += by; }
    friend Iterator operator-(Iterator at, difference_type by) { return at -= by; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.at_ - b.at_);
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    std::strong_ordering operator<=>(const Iterator& other) const { return at_ <=> other.at_; }

  private:
    const RankGroup* group_ = nullptr;
    std::size_t at_ = 0;
  };

  RankGroup() = default;
  RankGroup(std::initializer_list<int> ranks) : RankGroup(std::span<const int>(ranks)) {}
  explicit RankGroup(std::span<const int> ranks) {
    for (const int rank : ranks) push_back(rank);
  }

  /// The ranks first, first + stride, ...: `count` of them, all of which are in the range of int.
  void append(int first, std::size_t count, std::int64_t stride);
  void push_back(int rank) { append(rank, 1, 1); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Takes time with the logarithm of the number of runs.
  [[nodiscard]] int operator[](std::size_t index) const;
  [[nodiscard]] int front() const { return runs_.front().first; }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size_}; }

  [[nodiscard]] std::span<const Run> runs() const { return runs_; }
  /// The number of ranks in a run.
  [[nodiscard]] std::size_t length(const Run& run) const;
  [[nodiscard]] std::vector<int> to_vector() const { return {begin(), end()}; }

  /// True if both have the same ranks in the same order.
  bool operator==(const RankGroup& other) const = default;

private:
  std::vector<Run> runs_;
  std::size_t size_ = 0;
};

}  // namespace plait::trace
