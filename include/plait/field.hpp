// SPDX-License-Identifier: BSD-3-Clause
// A rank's three-dimensional array with ghost layers, and the view of it that halos use.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "plait/box.hpp"

namespace plait {

/// The layout of an array with ghosts, which may be the program's own.
/// Element (i, j, k) is i + j * stride_y + k * stride_z elements after `origin`.
struct FieldView {
  void* origin = nullptr;         ///< own cell (0, 0, 0)
  std::size_t element_bytes = 0;  ///< bytes of one element
  Int3 own{};                     ///< own cells along x, y, z
  int ghost = 0;                  ///< ghost layers on each of the six sides
  std::ptrdiff_t stride_y = 0;    ///< in elements
  std::ptrdiff_t stride_z = 0;    ///< in elements

  [[nodiscard]] std::byte* at(int i, int j, int k) const {
    return static_cast<std::byte*>(origin) +
           (i + j * stride_y + k * stride_z) * static_cast<std::ptrdiff_t>(element_bytes);
  }
};

/// The kind of memory pages of a field.
enum class Pages {
  automatic,  ///< transparent huge pages if the field is large enough to benefit
  normal,
  huge,
};

namespace detail {

/// Layout and memory of a field. The memory is zero. Each page is first touched by the thread that
/// will update it: rows, counted along y, then z, are distributed evenly over the threads of a
/// team, as in the schedules.
struct FieldMemory {
  struct Free {
    std::size_t bytes = 0;
    bool mapped = false;  ///< allocated by mmap(), otherwise on the heap
    void operator()(void* begin) const;
  };
  std::unique_ptr<void, Free> memory;
  FieldView view;
};

/// @throws Error if the extents are not positive or memory is short. Local.
FieldMemory allocate_field(const Int3& own, int ghost, std::size_t element_bytes, Pages pages);

}  // namespace detail

/// A local array of own cells and ghosts, initially zero. Rows (along x) are contiguous. Own cell 0
/// of each row starts a cache line if sizeof(T) permits that without waste. Rows, planes and the
/// starts of fields are padded so that data used together by a sweep do not share cache sets.
/// Movable, not copyable; swapping two fields swaps their memory.
template <class T>
class Field {
  static_assert(std::is_trivially_copyable_v<T>, "ghosts are moved as bytes");

public:
  using value_type = T;

  /// @param own    own cells along x, y, z, each >= 1
  /// @param ghost  ghost layers on each side, >= 0
  /// Local. @throws Error on invalid extents or if memory is short.
  Field(const Int3& own, int ghost, Pages pages = Pages::automatic)
      : data_(detail::allocate_field(own, ghost, sizeof(T), pages)) {}
  /// A field for this rank's box of a grid (CartesianGrid). Local.
  template <class Grid>
  requires requires(const Grid& grid) {
    { grid.own_cells() } -> std::convertible_to<Int3>;
  }
  Field(const Grid& grid, int ghost, Pages pages = Pages::automatic)
      : Field(Int3{grid.own_cells()}, ghost, pages) {}

  /// Element (i, j, k); each index in [-ghost, own + ghost), not checked.
  [[nodiscard]] T& operator()(int i, int j, int k) { return row(j, k)[i]; }
  [[nodiscard]] const T& operator()(int i, int j, int k) const { return row(j, k)[i]; }
  /// row(j, k)[i] is element (i, j, k).
  [[nodiscard]] T* row(int j, int k) { return origin() + offset(j, k); }
  [[nodiscard]] const T* row(int j, int k) const { return origin() + offset(j, k); }

  [[nodiscard]] const Int3& own_cells() const { return data_.view.own; }
  [[nodiscard]] Box own() const { return {{0, 0, 0}, data_.view.own}; }
  [[nodiscard]] Box with_ghosts() const { return grown(own(), ghost()); }
  [[nodiscard]] int ghost() const { return data_.view.ghost; }
  [[nodiscard]] std::ptrdiff_t stride_y() const { return data_.view.stride_y; }
  [[nodiscard]] std::ptrdiff_t stride_z() const { return data_.view.stride_z; }
  /// Bytes of memory, including padding.
  [[nodiscard]] std::size_t bytes() const { return data_.memory.get_deleter().bytes; }

  [[nodiscard]] const FieldView& view() const { return data_.view; }
  operator const FieldView&() const { return data_.view; }  // NOLINT: implicit by design

private:
  [[nodiscard]] T* origin() const { return static_cast<T*>(data_.view.origin); }
  [[nodiscard]] std::ptrdiff_t offset(int j, int k) const {
    return j * data_.view.stride_y + k * data_.view.stride_z;
  }

  detail::FieldMemory data_;
};

}  // namespace plait
