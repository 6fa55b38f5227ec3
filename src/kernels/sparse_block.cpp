// SPDX-License-Identifier: BSD-3-Clause
// Chooses the storage of a sparse matrix, fills it, and runs products with a team of threads.
#include "plait/sparse_block.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <utility>

#include "kernels/cache_sizes.hpp"
#include "kernels/sparse_tiles.hpp"
#include "kernels/untouched.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

using detail::Band;
using detail::Entries;
using detail::TileShape;
using detail::Untouched;

constexpr std::array kKernelNames{"automatic", "crs", "split", "sell"};

void check_option(const char* name, int value, int least, int most) {
  if (value == 0 || (value >= least && value <= most)) return;
  throw Error(std::string("sparse matrix: ") + name + " " + std::to_string(value), "out of range",
              "use 0 or a number from " + std::to_string(least) + " to " + std::to_string(most));
}

void check_rows(int columns, const SparseRows<int>& rows) {
  const auto count = static_cast<std::int64_t>(rows.columns.size());
  if (rows.starts.empty() || rows.starts.front() != 0 || rows.starts.back() != count ||
      static_cast<std::int64_t>(rows.values.size()) != count ||
      rows.starts.size() - 1 > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error("sparse matrix", "the starts of its rows do not fit its entries",
                "give one start per row, and the number of entries");
  }
  for (std::size_t row = 0; row + 1 < rows.starts.size(); ++row) {
    std::int64_t before = -1;
    if (rows.starts[row] > rows.starts[row + 1]) {
      throw Error("sparse matrix", "row " + std::to_string(row) + " ends before it starts",
                  "give starts in ascending order");
    }
    for (std::int64_t k = rows.starts[row]; k < rows.starts[row + 1]; ++k) {
      const int column = rows.columns[static_cast<std::size_t>(k)];
      if (column <= before || column >= columns) {
        throw Error("sparse matrix",
                    "column " + std::to_string(column) + " of row " + std::to_string(row) +
                        " is out of order or out of range",
                    "give columns in ascending order, each once");
      }
      before = column;
    }
  }
}

/// Columns whose elements of x fill most of the first-level cache, which they share with entries
/// and y. Twice as many, and so on, until a row has a few entries in a block, as each block reads
/// and writes y once more.
int choose_block_columns(int columns, const SparseRows<int>& rows) {
  constexpr double kFew = 4;
  const auto count = static_cast<double>(std::max<std::size_t>(rows.starts.size() - 1, 1));
  const double density = static_cast<double>(rows.columns.size()) / count / std::max(columns, 1);
  constexpr double kShare = 0.625;
  const double elements =
      kShare * static_cast<double>(detail::cache_sizes().first_bytes) / sizeof(double);
  int width = std::max(512, static_cast<int>(elements));
  while (width < detail::kMostTileRows && width < columns && width * density < kFew) width *= 2;
  return std::min(width, detail::kMostTileRows);
}

/// Enough bands for an even share of each thread, but long enough that a part of x is used often:
/// each band reads all of x, and has rows that are left over from groups. A quarter of the
/// second-level cache is for y.
int choose_band_rows(int rows, int threads) {
  constexpr int kLeast = 256, kPerThread = 3;
  const auto fit = static_cast<int>(detail::cache_sizes().private_bytes / 4 / sizeof(double));
  return std::clamp(rows / (threads * kPerThread), kLeast,
                    std::clamp(fit, kLeast, detail::kMostTileRows));
}

}  // namespace

std::string to_string(SparseKernel kernel) {
  return kKernelNames[static_cast<std::size_t>(kernel)];
}

SparseKernel parse_sparse_kernel(const std::string& text) {
  for (std::size_t i = 0; i < kKernelNames.size(); ++i) {
    if (text == kKernelNames[i]) return static_cast<SparseKernel>(i);
  }
  throw Error("sparse kernel " + text, "invalid value", "use automatic, crs, split or sell");
}

struct SparseBlock::State {
  SparseKernel kernel = SparseKernel::automatic;
  int rows = 0, columns = 0, threads = 1;
  TileShape shape;
  std::vector<Band> bands;
  std::vector<int> band_of_thread;  ///< first one of each thread, then the number of bands
  Untouched<double> values;
  Untouched<std::uint16_t> columns2;
  Untouched<std::uint32_t> columns4;
  std::int64_t entries = 0;

  template <class Index>
  [[nodiscard]] Entries<Index> entries_of() const {
    if constexpr (sizeof(Index) == sizeof(std::uint16_t)) {
      return {values.data(), columns2.data()};
    } else {
      return {values.data(), columns4.data()};
    }
  }

  /// Calls `body` for each band of one thread. Bands are dealt by their entries.
  template <class Body>
  void each_band_of(int thread, const Body& body) const {
    const auto of = static_cast<std::size_t>(thread);
    for (int band = band_of_thread[of]; band < band_of_thread[of + 1]; ++band) body(band);
  }

  /// Calls `body` for each band in the thread whose band it is.
  template <class Body>
  void each_band(const Body& body) const {
#pragma omp parallel num_threads(threads)
    {
      const int team = omp_get_num_threads(), thread = omp_get_thread_num();
      for (int share = thread; share < threads; share += team) each_band_of(share, body);
    }
  }

  void make_bands(const SparseRows<int>& from, const SparseOptions& options);
  void deal_bands();
  void fill(const SparseRows<int>& from);
  [[nodiscard]] bool mostly_in_lanes() const;
  void add_band(int band, const double* x, double* y) const;
};

/// Bands end at the cuts, and before they get too many entries for an even distribution.
void SparseBlock::State::make_bands(const SparseRows<int>& from, const SparseOptions& options) {
  const int most_rows = options.band_rows > 0 ? options.band_rows : choose_band_rows(rows, threads);
  const std::int64_t most_entries =
      options.band_rows > 0
          ? entries
          : std::max<std::int64_t>(2 * entries / std::max(rows, 1) * most_rows, 1);
  auto cut = options.cuts.begin();
  for (int row = 0; row < rows;) {
    while (cut != options.cuts.end() && *cut <= row) ++cut;
    const int stop = std::min({cut == options.cuts.end() ? rows : *cut, rows, row + most_rows});
    Band& band = bands.emplace_back();
    band.first_row = row;
    band.first_entry = from.starts[static_cast<std::size_t>(row)];
    for (++row; row < stop; ++row) {
      if (from.starts[static_cast<std::size_t>(row) + 1] - band.first_entry > most_entries) break;
    }
    band.rows = row - band.first_row;
  }
}

void SparseBlock::State::deal_bands() {
  band_of_thread.assign(static_cast<std::size_t>(threads) + 1, 0);
  int band = 0;
  const auto count = static_cast<int>(bands.size());
  for (int thread = 1; thread <= threads; ++thread) {
    const double share = static_cast<double>(entries) * thread / threads;
    while (band < count &&
           static_cast<double>(bands[static_cast<std::size_t>(band)].first_entry) < share) {
      ++band;
    }
    band_of_thread[static_cast<std::size_t>(thread)] = thread == threads ? count : band;
  }
}

void SparseBlock::State::fill(const SparseRows<int>& from) {
  values = Untouched<double>(entries);
  const bool whole_rows = kernel == SparseKernel::crs;
  if (whole_rows) {
    columns4 = Untouched<std::uint32_t>(entries);
  } else {
    columns2 = Untouched<std::uint16_t>(entries);
  }
  std::exception_ptr failure;
  each_band([&](int number) {
    try {
      Band& band = bands[static_cast<std::size_t>(number)];
      if (whole_rows) {
        detail::fill_band(band, from, shape, entries_of<std::uint32_t>());
      } else {
        detail::fill_band(band, from, shape, entries_of<std::uint16_t>());
      }
    } catch (...) {
#pragma omp critical(plait_sparse_fill)
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

bool SparseBlock::State::mostly_in_lanes() const {
  std::int64_t in_lanes = 0;
  for (const Band& band : bands) {
    for (const auto& group : band.groups) {
      in_lanes +=
          static_cast<std::int64_t>(group.rows / detail::kLanes * detail::kLanes) * group.length;
    }
  }
  return 2 * in_lanes >= entries;
}

void SparseBlock::State::add_band(int band, const double* x, double* y) const {
  const Band& one = bands[static_cast<std::size_t>(band)];
  if (kernel == SparseKernel::crs) {
    detail::add_band(one, entries_of<std::uint32_t>(), x, y);
  } else {
    detail::add_band(one, shape.lanes, entries_of<std::uint16_t>(), x, y);
  }
}

SparseBlock::SparseBlock(int columns, const SparseRows<int>& rows, const SparseOptions& options)
    : state_(std::make_unique<State>()) {
  check_option("block_columns", options.block_columns, 1, detail::kMostTileRows);
  check_option("band_rows", options.band_rows, 1, detail::kMostTileRows);
  check_option("threads", options.threads, 1, std::numeric_limits<int>::max());
  check_rows(columns, rows);
  State& state = *state_;
  state.rows = static_cast<int>(rows.starts.size() - 1);
  state.columns = columns;
  state.entries = static_cast<std::int64_t>(rows.columns.size());
  state.threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  state.kernel = options.kernel;
  const bool choose = options.kernel == SparseKernel::automatic;
  if (choose) state.kernel = SparseKernel::sell;
  if (state.kernel == SparseKernel::crs) {
    state.shape.block_columns = std::max(columns, 1);
  } else {
    state.shape.block_columns =
        options.block_columns > 0 ? options.block_columns : choose_block_columns(columns, rows);
  }
  state.shape.lanes = state.kernel == SparseKernel::sell ? detail::kLanes : 1;
  state.make_bands(rows, options);
  state.deal_bands();
  state.fill(rows);
  if (choose && !state.mostly_in_lanes()) {
    // Sorted rows without partners would only be read out of order.
    state.kernel = SparseKernel::split;
    state.shape.lanes = 1;
    for (Band& band : state.bands) {
      band.tiles.clear();
      band.groups.clear();
      band.row_numbers.clear();
    }
    state.fill(rows);
  }
}

SparseBlock::~SparseBlock() = default;
SparseBlock::SparseBlock(SparseBlock&&) noexcept = default;
SparseBlock& SparseBlock::operator=(SparseBlock&&) noexcept = default;

int SparseBlock::rows() const {
  return state_->rows;
}
int SparseBlock::columns() const {
  return state_->columns;
}
std::int64_t SparseBlock::entries() const {
  return state_->entries;
}
SparseKernel SparseBlock::kernel() const {
  return state_->kernel;
}
int SparseBlock::bands() const {
  return static_cast<int>(state_->bands.size());
}

int SparseBlock::column_blocks() const {
  const int width = state_->shape.block_columns;
  return std::max(1, (state_->columns + width - 1) / width);
}

double SparseBlock::bytes() const {
  const std::size_t index = state_->kernel == SparseKernel::crs ? 4 : 2;
  double bytes = static_cast<double>(state_->entries) * static_cast<double>(sizeof(double) + index);
  for (const Band& band : state_->bands) {
    bytes += static_cast<double>(band.tiles.size() * sizeof(detail::Tile) +
                                 band.groups.size() * sizeof(detail::RowGroup) +
                                 band.row_numbers.size() * sizeof(std::uint16_t));
  }
  return bytes;
}

int SparseBlock::first_row(int band) const {
  if (band == bands()) return state_->rows;
  return state_->bands[static_cast<std::size_t>(band)].first_row;
}

void SparseBlock::add_band(int band, const double* x, double* y) const {
  state_->add_band(band, x, y);
}

void SparseBlock::multiply_band(int band, const double* x, double* y) const {
  std::fill(y + first_row(band), y + first_row(band + 1), 0.0);
  state_->add_band(band, x, y);
}

void SparseBlock::multiply(const double* x, double* y) const {
  state_->each_band([&](int band) { multiply_band(band, x, y); });
}

void SparseBlock::multiply_share(int thread, const double* x, double* y) const {
  state_->each_band_of(thread, [&](int band) { multiply_band(band, x, y); });
}

void SparseBlock::add(const double* x, double* y) const {
  state_->each_band([&](int band) { state_->add_band(band, x, y); });
}

}  // namespace plait
