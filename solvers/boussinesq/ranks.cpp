// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an MPI communicator that share a flow, in slabs or pencils.
#include "ranks.hpp"

#include <algorithm>
#include <utility>

#include "plait/environment.hpp"

namespace plait::boussinesq {
namespace {

bool pencils_fit(const Grid& grid, int along_y, int along_z) {
  return along_y <= grid.modes_x() && along_y <= grid.points[1] && along_z <= grid.modes_y() &&
         along_z <= grid.planes();
}

}  // namespace

std::string fitting_pencils(const Grid& grid, int ranks) {
  for (int along_z = ranks; along_z >= 1; --along_z) {
    if (ranks % along_z != 0 || !pencils_fit(grid, ranks / along_z, along_z)) continue;
    return std::to_string(ranks / along_z) + "x" + std::to_string(along_z);
  }
  return "";
}

Ranks::Ranks(MPI_Comm comm, const Grid& grid, const RankOptions& options, const PlaneInputs& inputs,
             int outputs)
    : grid_(grid), pencils_(options.pencils), inputs_(inputs), outputs_(outputs), transform_(grid) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  check_fit();
  MPI_Comm_dup(comm, &comm_);
  if (pencils_[0] == 0) {
    make_slabs(options);
  } else {
    make_pencils(options);
  }
  std::vector<Transpose*> transposes;
  for (const auto& transpose : transposes_) transposes.push_back(transpose.get());
  stepper_ = std::make_unique<TransposeStepper>(transposes, options.schedule, comm_);
  find_blocks();
}

Ranks::~Ranks() {
  stepper_.reset();
  transposes_.clear();
  for (MPI_Comm* comm : {&along_y_, &along_z_, &comm_}) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  }
}

void Ranks::check_fit() const {
  const std::string fitting = fitting_pencils(grid_, size_);
  const std::string use_pencils = fitting.empty() ? "" : ", or --pencils " + fitting;
  if (pencils_[0] == 0) {
    const int planes = grid_.planes(), modes = grid_.modes_y(), most = std::min(planes, modes);
    if (size_ <= most) return;
    throw CollectiveError(
        std::to_string(size_) + " ranks",
        "slabs of " + std::to_string(planes) + " planes and " + std::to_string(modes) +
            " modes along y fit at most " + std::to_string(most) + " ranks",
        "use at most " + std::to_string(most) + " ranks with more --threads" + use_pencils);
  }
  const std::string given =
      "--pencils " + std::to_string(pencils_[0]) + "x" + std::to_string(pencils_[1]);
  if (pencils_[0] * pencils_[1] != size_) {
    throw CollectiveError(given, "not the " + std::to_string(size_) + " ranks of the program",
                          fitting.empty() ? "use fewer ranks" : "use --pencils " + fitting);
  }
  if (!pencils_fit(grid_, pencils_[0], pencils_[1])) {
    throw CollectiveError(
        given,
        "at most " + std::to_string(std::min(grid_.modes_x(), grid_.points[1])) + "x" +
            std::to_string(std::min(grid_.modes_y(), grid_.planes())) + " fit this grid",
        fitting.empty() ? "use fewer ranks with more --threads" : "use --pencils " + fitting);
  }
}

Ranks::Both Ranks::make_both(MPI_Comm comm, const TransposeShape& there, int fields_back,
                             const RankOptions& options) {
  TransposeShape back = reversed(there);
  back.fields = fields_back;
  Transpose::Options made;
  made.chunks = options.chunks;
  made.chunk_axis = 2;
  made.transport = options.transport;
  made.wait = options.schedule.wait;
  made.in_source_memory = true;
  Both both;
  // The one with more fields has the buffers of both.
  const auto make_other = [&](const Transpose& first, const TransposeShape& shape) {
    made.buffers_of = &first;
    return std::make_unique<Transpose>(comm, shape, made);
  };
  if (there.fields >= fields_back) {
    both.there = std::make_unique<Transpose>(comm, there, made);
    both.back = make_other(*both.there, back);
  } else {
    both.back = std::make_unique<Transpose>(comm, back, made);
    both.there = make_other(*both.back, there);
  }
  return both;
}

void Ranks::make_slabs(const RankOptions& options) {
  const TransposeShape shape{{grid_.modes_x(), grid_.modes_y(), grid_.planes()},
                             {1},
                             {2},
                             sizeof(Complex),
                             inputs_.fields};
  Both both = make_both(comm_, shape, outputs_, options);
  transposes_.push_back(std::move(both.there));
  transposes_.push_back(std::move(both.back));
  const TransposeArray& modes = transposes_[0]->source();
  block_ = {{0, grid_.modes_x()}, modes.own, grid_.planes()};
  planes_.allocate(std::max(inputs_.fields, outputs_), *transposes_[1]);
}

void Ranks::make_pencils(const RankOptions& options) {
  const int y = rank_ % pencils_[0], z = rank_ / pencils_[0];
  MPI_Comm_split(comm_, z, y, &along_y_);
  MPI_Comm_split(comm_, y, z, &along_z_);
  // As even as possible, the larger ones first: the blocks that transposes have by default.
  const auto part = [](std::int64_t extent, int parts, int which) {
    const std::int64_t less = extent / parts, more = extent % parts;
    const std::int64_t first = which * less + std::min<std::int64_t>(which, more);
    return IndexRange{first, first + less + (which < more ? 1 : 0)};
  };
  const IndexRange own_x = part(grid_.modes_x(), pencils_[0], y);
  const IndexRange own_z = part(grid_.planes(), pencils_[1], z);
  const auto in_rows = static_cast<int>(inputs_.along_y.size());
  const TransposeShape planes{
      {own_x.count(), grid_.modes_y(), grid_.planes()}, {1}, {2}, sizeof(Complex), inputs_.fields};
  const TransposeShape rows{
      {grid_.modes_x(), grid_.points[1], own_z.count()}, {0}, {1}, sizeof(Complex), in_rows};
  Both of_planes = make_both(along_z_, planes, outputs_, options);
  Both of_rows = make_both(along_y_, rows, outputs_, options);
  for (auto* next : {&of_planes.there, &of_rows.there, &of_rows.back, &of_planes.back}) {
    transposes_.push_back(std::move(*next));
  }
  block_ = {own_x, transposes_[0]->source().own, grid_.planes()};
  rows_.allocate(std::max(inputs_.fields, outputs_), *transposes_[3]);
  there_.allocate(in_rows, *transposes_[1]);
  planes_.allocate(std::max(in_rows, outputs_), *transposes_[2]);
  back_.own.resize(static_cast<std::size_t>(outputs_));
  for (auto& array : back_.own) {
    array.resize(static_cast<std::size_t>(transposes_[2]->destination().elements));
    back_.memory.push_back(array.data());
    back_.bytes += transposes_[2]->destination().elements * std::int64_t{sizeof(Complex)};
  }
}

void Ranks::find_blocks() {
  blocks_.resize(static_cast<std::size_t>(size_));
  static_assert(std::is_trivially_copyable_v<Block>);
  MPI_Allgather(&block_, sizeof(Block), MPI_BYTE, blocks_.data(), sizeof(Block), MPI_BYTE, comm_);
}

void Ranks::at_points(std::span<const Complex* const> fields, std::span<Complex* const> results,
                      const RowKernel& kernel) {
  const std::vector<const void*> from(fields.begin(), fields.end());
  const std::vector<void*> to(results.begin(), results.end());
  const std::int64_t first_plane = transposes_[0]->destination().own.first;
  const TransposeStepper::Work none;
  const auto progress = [this] { stepper_->progress(); };
  const RowKernel own_kernel = [&](const RowGroup& group, Lanes* const* in, Lanes* const* out) {
    progress();
    kernel(group, in, out);
  };
  if (pencils_[0] == 0) {
    const auto in = planes_.pointers<const Complex*>(inputs_.fields);
    const auto out = planes_.pointers<Complex*>(outputs_);
    const TransposeArrays arrays[] = {{from, planes_.pointers<void*>(inputs_.fields)},
                                      {planes_.pointers<const void*>(outputs_), to}};
    const auto at_planes = [&](const IndexRange& planes) {
      slabs_at_points(transform_, grid_, planes, first_plane, inputs_, in, out, own_kernel,
                      progress);
    };
    const TransposeStepper::Work works[] = {none, kernel ? TransposeStepper::Work(at_planes) : none,
                                            none};
    stepper_->step(arrays, works);
    return;
  }
  const std::int64_t columns = block_.x.count();
  const std::int64_t modes = columns * grid_.modes_y(), points = columns * grid_.points[1];
  const IndexRange own_y = transposes_[1]->destination().own;
  const std::int64_t row_points = own_y.count() * grid_.modes_x();
  const auto along_y = [&](const IndexRange& planes) {
    for (auto z = planes.first; z < planes.last; ++z) {
      for (std::size_t f = 0; f < inputs_.along_y.size(); ++f) {
        const auto& [of, differentiated] = inputs_.along_y[f];
        transform_.along_y_to_points(rows_.memory[static_cast<std::size_t>(of)] + z * modes,
                                     there_.memory[f] + z * points, columns, differentiated);
        progress();
      }
    }
  };
  const auto in_rows = [&](const IndexRange& planes) {
    for (auto z = planes.first; z < planes.last; ++z) {
      std::vector<RowInput> in;
      for (const auto& [of, differentiated] : inputs_.along_x) {
        in.push_back(
            {planes_.memory[static_cast<std::size_t>(of)] + z * row_points, differentiated});
      }
      std::vector<Complex*> out = planes_.pointers<Complex*>(outputs_);
      for (Complex*& array : out) array += z * row_points;
      transform_.rows(static_cast<int>(first_plane + z), static_cast<int>(own_y.first),
                      own_y.count(), in, out, own_kernel);
    }
  };
  const auto back_along_y = [&](const IndexRange& planes) {
    for (auto z = planes.first; z < planes.last; ++z) {
      for (std::size_t f = 0; f < static_cast<std::size_t>(outputs_); ++f) {
        transform_.along_y_to_modes(back_.memory[f] + z * points, rows_.memory[f] + z * modes,
                                    columns);
        progress();
      }
    }
  };
  const auto of_rows = static_cast<int>(inputs_.along_y.size());
  const TransposeArrays arrays[] = {
      {from, rows_.pointers<void*>(inputs_.fields)},
      {there_.pointers<const void*>(of_rows), planes_.pointers<void*>(of_rows)},
      {planes_.pointers<const void*>(outputs_), back_.pointers<void*>(outputs_)},
      {rows_.pointers<const void*>(outputs_), to}};
  const TransposeStepper::Work works[] = {none, along_y, in_rows, back_along_y, none};
  const std::vector<TransposeStepper::Work> no_works(std::size(works));
  stepper_->step(arrays, kernel ? std::span<const TransposeStepper::Work>(works) : no_works);
}

void Ranks::transform_planes(const RowKernel& kernel) {
  const auto in = planes_.pointers<const Complex*>(inputs_.fields);
  const auto out = planes_.pointers<Complex*>(outputs_);
  const IndexRange own = transposes_[0]->destination().own;
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < own.count(); ++z) {
    slabs_at_points(transform_, grid_, {z, z + 1}, own.first, inputs_, in, out, kernel);
  }
}

void Ranks::maximum(std::span<double> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                comm_);
}

void Ranks::sum(std::span<std::int64_t> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM,
                comm_);
}

void Ranks::broadcast(std::span<double> values) {
  MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, comm_);
}

void Ranks::agree(const Error* error) {
  agree_on_error(comm_, error);
}

void Ranks::gather(const Complex* array, int plane, const IndexRange& x, Complex* all) {
  const auto common = [&](const Block& block) {
    return IndexRange{std::max(x.first, block.x.first), std::min(x.last, block.x.last)};
  };
  std::vector<Complex> own;
  const IndexRange mine = common(block_);
  for (std::int64_t j = 0; j < block_.y.count() && mine.count() > 0; ++j) {
    const Complex* row = array + plane * block_.plane() + j * block_.row() - block_.x.first;
    own.insert(own.end(), row + mine.first, row + mine.last);
  }
  std::vector<int> counts, starts;
  int total = 0;
  for (const Block& block : blocks_) {
    starts.push_back(total);
    counts.push_back(static_cast<int>(2 * common(block).count() * block.y.count()));
    total += counts.back();
  }
  std::vector<Complex> received(static_cast<std::size_t>(rank_ == 0 ? total / 2 : 0));
  MPI_Gatherv(own.data(), static_cast<int>(2 * own.size()), MPI_DOUBLE, received.data(),
              counts.data(), starts.data(), MPI_DOUBLE, 0, comm_);
  const Complex* next = received.data();
  for (std::size_t r = 0; rank_ == 0 && r < blocks_.size(); ++r) {
    const IndexRange part = common(blocks_[r]);
    if (part.count() == 0) continue;
    for (auto j = blocks_[r].y.first; j < blocks_[r].y.last; ++j, next += part.count()) {
      std::copy(next, next + part.count(), all + j * x.count() + part.first - x.first);
    }
  }
}

std::string Ranks::transport() const {
  std::string names = to_string(transposes_[0]->transport());
  for (const auto& transpose : transposes_) {
    const std::string name = to_string(transpose->transport());
    if (names.find(name) == std::string::npos) names += "+" + name;
  }
  return names;
}

std::int64_t Ranks::sent_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& transpose : transposes_) bytes += transpose->bytes();
  return bytes;
}

std::int64_t Ranks::cross_node_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& transpose : transposes_) bytes += transpose->cross_node_bytes();
  return bytes;
}

std::int64_t Ranks::message_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& transpose : transposes_) {
    bytes += transpose->buffer_bytes();
    // Its sources are in the window, and are counted as arrays.
    if (transpose->transport() == TransposeTransport::shared_memory) {
      bytes -=
          transpose->source().elements * std::int64_t{sizeof(Complex)} * transpose->shape().fields;
    }
  }
  return std::max<std::int64_t>(bytes, 0);
}

std::int64_t Ranks::plane_bytes() const {
  return planes_.bytes + rows_.bytes + there_.bytes + back_.bytes;
}

Complex* Ranks::field_memory(int field) {
  return static_cast<Complex*>(transposes_[0]->source_memory(field));
}

void Ranks::Arrays::allocate(int count, Transpose& source) {
  const std::int64_t elements = source.source().elements;
  for (int n = 0; n < count; ++n) {
    if (n < source.shape().fields) {
      memory.push_back(static_cast<Complex*>(source.source_memory(n)));
    } else {
      own.emplace_back(static_cast<std::size_t>(elements));
      memory.push_back(own.back().data());
    }
  }
  bytes = count * elements * std::int64_t{sizeof(Complex)};
}

}  // namespace plait::boussinesq
