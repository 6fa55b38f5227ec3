// SPDX-License-Identifier: BSD-3-Clause
// All measured figures of a machine as one list, with names: for checks, merging and comparison.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/measured.hpp"

namespace plait::machine {

/// What a figure is, and how its neighbours vary.
enum class FigureKind {
  stream,
  jacobi,
  peak,
  hardware_threads,
  hardware_threads_peak,
  openmp,
  bare_line,
  bare_memcpy,
  bare_pingping,
  bare_multi_pair,
  pingpong,
  off_cache,
  pingping,
  multi_pair,
  multi_pair_pingping,
  send_overhead,
  receive_overhead,
  back_to_back,
  all_to_all,
  collective,
  mpi_init
};

/// A figure in a list of figures.
template <class Value>
struct BasicFigure {
  FigureKind kind = FigureKind::stream;
  std::string series;       ///< the same for figures that differ only in count or bytes
  std::string name;         ///< unique: "shared L3: ping-pong of 8 B", "P(2), ordinary stores"
  int count = 1;            ///< cores, threads, pairs or ranks
  std::uint64_t bytes = 0;  ///< of the message
  Value* value = nullptr;
  std::size_t path = 0;  ///< index in Measured::paths, for figures of a path

  /// True if more is better (GB/s, MLUP/s, GFLOP/s); false for times.
  [[nodiscard]] bool is_rate() const;
  /// "GB/s", "MLUP/s", "GFLOP/s" or "us".
  [[nodiscard]] const char* unit() const;
};

using Figure = BasicFigure<const Statistic>;
using MutableFigure = BasicFigure<Statistic>;

/// True for figures that depend on the MPI.
bool is_of_mpi(FigureKind kind);
/// True for figures of several nodes. @param path  BasicFigure::path
bool is_between_nodes(const Measured& measured, FigureKind kind, std::size_t path);

/// All figures in the order of the file, except those of overlap, of mixed messages and of single
/// pairs. They point into `measured`.
std::vector<Figure> figures_of(const Measured& measured);
std::vector<MutableFigure> figures_of(Measured& measured);

/// Sets the bandwidths of curves from their times, after times have changed.
void update_bandwidths(Measured& measured);

}  // namespace plait::machine
