// SPDX-License-Identifier: BSD-3-Clause
// The processes that share a flow, as the numerics see them: transforms, reductions, gathering.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grid.hpp"
#include "plait/error.hpp"
#include "plane_transform.hpp"

namespace plait::boussinesq {

/// An error that all processes throw alike.
class CommonError : public Error {
public:
  using Error::Error;
  explicit CommonError(const Error& error) : Error(error) {}
};

class Processes {
public:
  Processes() = default;
  virtual ~Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// The modes of this process.
  [[nodiscard]] virtual const Block& block() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// Transforms fields to the kernel's input (PlaneInputs) at points, calls the kernel on all rows,
  /// and transforms its results back. Arrays are those of block(). A result may be a field, which
  /// it overwrites. Without a kernel, only moves the modes. Collective.
  virtual void at_points(std::span<const Complex* const> fields, std::span<Complex* const> results,
                         const RowKernel& kernel) = 0;
  /// Memory for a field of at_points(), for a flow at a time, which saves copies; nullptr: none.
  /// Valid as long as the processes.
  virtual Complex* field_memory(int /*field*/) { return nullptr; }
  /// Seconds for which at_points() has waited for messages so far. Local.
  [[nodiscard]] virtual double waited_s() const { return 0; }
  /// The largest of each value. Collective.
  virtual void maximum(std::span<double> values) = 0;
  /// The sum of each value. Collective.
  virtual void sum(std::span<std::int64_t> values) = 0;
  /// Some columns of a plane on process 0, with rows of x.count(), modes_y() of them. Collective.
  virtual void gather(const Complex* array, int plane, const IndexRange& x, Complex* all) = 0;
  /// Values of process 0 on all. Collective.
  virtual void broadcast(std::span<double> values) = 0;
  /// Throws a CommonError on all processes if one has an error. Collective.
  virtual void agree(const Error* error) = 0;
};

/// Transforms whole planes of modes, with rows of modes_x(), to points and back; see
/// Processes::at_points.
/// @param planes       of the arrays
/// @param first_plane  global number of the arrays' first plane
/// @param inputs       from `fields` to what the kernel gets
/// @param progress     is called many times, if it is not empty
void slabs_at_points(const PlaneTransform& transform, const Grid& grid, const IndexRange& planes,
                     std::int64_t first_plane, const PlaneInputs& inputs,
                     std::span<const Complex* const> fields, std::span<Complex* const> results,
                     const RowKernel& kernel, const std::function<void()>& progress = {});

/// A single process, with threads.
class OneProcess : public Processes {
public:
  OneProcess(const Grid& grid, const PlaneInputs& inputs);
  [[nodiscard]] const Block& block() const override { return block_; }
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  void at_points(std::span<const Complex* const> fields, std::span<Complex* const> results,
                 const RowKernel& kernel) override;
  void maximum(std::span<double> /*values*/) override {}
  void sum(std::span<std::int64_t> /*values*/) override {}
  void gather(const Complex* array, int plane, const IndexRange& x, Complex* all) override;
  void broadcast(std::span<double> /*values*/) override {}
  void agree(const Error* error) override;

private:
  Grid grid_;
  PlaneInputs inputs_;
  Block block_;
  PlaneTransform transform_;
};

}  // namespace plait::boussinesq
