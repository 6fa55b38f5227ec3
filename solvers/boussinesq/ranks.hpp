// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an MPI communicator that share a flow, in slabs or pencils, on the library's
// transposes.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "plait/transpose.hpp"
#include "plait/transpose_stepper.hpp"
#include "processes.hpp"

namespace plait::boussinesq {

struct RankOptions {
  /// Ranks along y and z in physical space; {0, 0}: slabs of z.
  std::array<int, 2> pencils{0, 0};
  Schedule schedule;
  TransposeTransport transport = TransposeTransport::automatic;
  int chunks = 4;
};

/// Modes are cut along ky (slabs), or along kx and ky (pencils); planes of points along z, or along
/// y and z. Only the modes kept travel.
class Ranks : public Processes {
public:
  /// Collective over `comm`.
  /// @param inputs   how the fields of at_points() become the kernel's input
  /// @param outputs  the number of its results
  /// @throws CollectiveError if there are more ranks than planes or modes, or the schedule or the
  ///         transport cannot be used
  Ranks(MPI_Comm comm, const Grid& grid, const RankOptions& options, const PlaneInputs& inputs,
        int outputs);
  ~Ranks() override;

  [[nodiscard]] const Block& block() const override { return block_; }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void at_points(std::span<const Complex* const> fields, std::span<Complex* const> results,
                 const RowKernel& kernel) override;
  Complex* field_memory(int field) override;
  [[nodiscard]] double waited_s() const override { return stepper_->waited_s(); }
  void maximum(std::span<double> values) override;
  void sum(std::span<std::int64_t> values) override;
  void gather(const Complex* array, int plane, const IndexRange& x, Complex* all) override;
  void broadcast(std::span<double> values) override;
  void agree(const Error* error) override;

  /// Transforms this rank's planes, without transposes, by all threads; in slabs only.
  void transform_planes(const RowKernel& kernel);

  [[nodiscard]] const TransposeStepper& stepper() const { return *stepper_; }
  [[nodiscard]] std::string transport() const;
  /// Bytes that this rank sends in a call of at_points(), and to other nodes.
  [[nodiscard]] std::int64_t sent_bytes() const;
  [[nodiscard]] std::int64_t cross_node_bytes() const;
  /// Bytes of this rank for planes of points, and for messages, without arrays in windows.
  [[nodiscard]] std::int64_t plane_bytes() const;
  [[nodiscard]] std::int64_t message_bytes() const;

private:
  /// Arrays of equal shape.
  struct Arrays {
    std::vector<std::vector<Complex>> own;
    std::vector<Complex*> memory;
    std::int64_t bytes = 0;
    /// The first ones in the source memory of a transpose, as many as it has fields.
    void allocate(int count, Transpose& source);
    template <class Pointer>
    [[nodiscard]] std::vector<Pointer> pointers(int count) const {
      return {memory.begin(), memory.begin() + count};
    }
  };
  void check_fit() const;
  void make_slabs(const RankOptions& options);
  void make_pencils(const RankOptions& options);
  /// Two transposes that take each other back.
  struct Both {
    std::unique_ptr<Transpose> there, back;
  };
  /// @param fields_back  of the transpose back, whose shape is otherwise the reversed one
  static Both make_both(MPI_Comm comm, const TransposeShape& there, int fields_back,
                        const RankOptions& options);
  void find_blocks();

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm along_y_ = MPI_COMM_NULL;  ///< pencils: ranks of the same planes
  MPI_Comm along_z_ = MPI_COMM_NULL;  ///< pencils: ranks of the same kx
  int rank_ = 0, size_ = 1;
  Grid grid_;
  std::array<int, 2> pencils_{0, 0};
  PlaneInputs inputs_;
  int outputs_;
  PlaneTransform transform_;
  Block block_;
  std::vector<Block> blocks_;                           ///< of all ranks
  std::vector<std::unique_ptr<Transpose>> transposes_;  ///< in the order of a step
  std::unique_ptr<TransposeStepper> stepper_;
  Arrays planes_;        ///< slabs: modes of planes; pencils: rows of points along y
  Arrays rows_;          ///< pencils: modes along y of planes
  Arrays there_, back_;  ///< pencils: points along y, for some of kx
};

/// "2x4" for a number of ranks that does not fit in slabs, or empty if pencils do not fit either.
std::string fitting_pencils(const Grid& grid, int ranks);

}  // namespace plait::boussinesq
