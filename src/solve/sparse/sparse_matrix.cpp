// SPDX-License-Identifier: BSD-3-Clause
// Splits the rows of a rank into its own columns and the halo, and multiplies under a schedule.
#include "plait/sparse_matrix.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "plait/environment.hpp"
#include "plait/grains.hpp"
#include "solve/sparse/sparse_halo.hpp"

namespace plait {
namespace {

/// Rows of this rank whose columns are numbered from 0: those of its own elements, or of the halo.
struct NumberedRows {
  std::vector<std::int64_t> starts{0};
  std::vector<int> columns;
  std::vector<double> values;

  [[nodiscard]] SparseRows<int> view() const { return {starts, columns, values}; }
};

void check_schedule(const Schedule& schedule, int threads) {
  const ScheduleKind kind = schedule.kind;
  if (kind != ScheduleKind::blocking && kind != ScheduleKind::nonblocking &&
      kind != ScheduleKind::comm_thread && kind != ScheduleKind::automatic) {
    throw Error("schedule " + to_string(kind), "not for a sparse matrix",
                "use blocking, nonblocking, comm_thread or automatic");
  }
  const bool team_communicates =
      kind == ScheduleKind::comm_thread || kind == ScheduleKind::automatic;
  if (threads > 1 && team_communicates && granted_thread_level() < ThreadLevel::funneled) {
    throw Error("schedule " + to_string(kind), "MPI does not grant MPI_THREAD_FUNNELED",
                "request it from MPI_Init_thread, or use blocking");
  }
}

void check_rows(const SparseRows<std::int64_t>& rows, std::int64_t size) {
  const auto count = static_cast<std::int64_t>(rows.columns.size());
  if (rows.starts.front() != 0 || rows.starts.back() != count ||
      !std::is_sorted(rows.starts.begin(), rows.starts.end()) ||
      static_cast<std::int64_t>(rows.values.size()) != count) {
    throw Error("sparse matrix", "the starts of its rows do not fit its entries",
                "give one start per row, and the number of entries");
  }
  for (const std::int64_t column : rows.columns) {
    if (column >= 0 && column < size) continue;
    throw Error(
        "sparse matrix",
        "column " + std::to_string(column) + " of a matrix with " + std::to_string(size) + " rows",
        "give a square matrix");
  }
}

}  // namespace

struct SparseMatrix::State {
  /// Measures what automatic may choose: each a few times by turns, the best time counts.
  struct Trial {
    static constexpr std::array kKinds{ScheduleKind::blocking, ScheduleKind::nonblocking,
                                       ScheduleKind::comm_thread};
    static constexpr int kTurns = 3;
    std::array<double, kKinds.size()> best_s{};
    int products = 0;

    Trial() { best_s.fill(std::numeric_limits<double>::max()); }
    [[nodiscard]] ScheduleKind next() const {
      return kKinds[static_cast<std::size_t>(products) % kKinds.size()];
    }
    [[nodiscard]] bool ends() const { return products == kTurns * static_cast<int>(kKinds.size()); }
    void add(double seconds) {
      double& best = best_s[static_cast<std::size_t>(products++) % kKinds.size()];
      best = std::min(best, seconds);
    }
  };

  MPI_Comm comm = MPI_COMM_NULL;
  Schedule schedule;
  std::vector<std::int64_t> starts;  ///< first row of each rank, then the number of rows
  std::int64_t first = 0;
  int rows = 0;
  std::vector<double> diagonal;
  std::optional<SparseBlock> own, beside;  ///< columns of this rank and of the halo
  solve::SparseHalo halo;
  std::optional<GrainBlock> grains;
  std::optional<Trial> trial;
  const double* x = nullptr;  ///< of the current product
  double* y = nullptr;

  void distribute(int rows_here);
  void split(const SparseRows<std::int64_t>& from, const SparseOptions& options);
  void make_grains(int threads);
  void run(ScheduleKind kind);
  void choose();
};

void SparseMatrix::State::distribute(int rows_here) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks));
  const std::int64_t count = rows_here;
  MPI_Allgather(&count, 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, comm);
  starts.assign(1, 0);
  for (const std::int64_t one : counts) starts.push_back(starts.back() + one);
  first = starts[static_cast<std::size_t>(rank)];
  rows = rows_here;
}

/// @throws Error if the rows are not those of a matrix. Collective: the halo is made even then.
void SparseMatrix::State::split(const SparseRows<std::int64_t>& from,
                                const SparseOptions& options) {
  std::vector<std::int64_t> needed;
  std::optional<Error> wrong;
  const auto is_own = [this](std::int64_t column) {
    return column >= first && column < first + rows;
  };
  try {
    check_rows(from, starts.back());
    std::copy_if(from.columns.begin(), from.columns.end(), std::back_inserter(needed),
                 [&](std::int64_t column) { return !is_own(column); });
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  } catch (const Error& error) {
    wrong.emplace(error);
  }
  agree_on_error(comm, wrong ? &*wrong : nullptr);
  halo = solve::SparseHalo(comm, starts, needed);

  NumberedRows inside, outside;
  diagonal.assign(static_cast<std::size_t>(rows), 0);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    for (auto k = static_cast<std::size_t>(from.starts[row]);
         k < static_cast<std::size_t>(from.starts[row + 1]); ++k) {
      const std::int64_t column = from.columns[k];
      if (column == first + static_cast<std::int64_t>(row)) diagonal[row] = from.values[k];
      NumberedRows& part = is_own(column) ? inside : outside;
      part.columns.push_back(
          is_own(column) ? static_cast<int>(column - first)
                         : static_cast<int>(std::lower_bound(needed.begin(), needed.end(), column) -
                                            needed.begin()));
      part.values.push_back(from.values[k]);
    }
    inside.starts.push_back(static_cast<std::int64_t>(inside.columns.size()));
    outside.starts.push_back(static_cast<std::int64_t>(outside.columns.size()));
  }
  own.emplace(rows, inside.view(), options);
  // The same bands, so that each can follow its own part.
  SparseOptions same = options;
  same.band_rows = 65536;
  same.block_columns = 0;
  same.cuts.clear();
  for (int band = 0; band < own->bands(); ++band) same.cuts.push_back(own->first_row(band));
  beside.emplace(halo.size(), outside.view(), same);
}

/// Messages first, then the own columns beside them, then those of the halo.
void SparseMatrix::State::make_grains(int threads) {
  GrainOptions options;
  options.threads = threads;
  options.wait = schedule.wait;
  options.grains_before = 0;
  grains.emplace("sparse product", options);
  const int neighbors = halo.neighbors();
  const int bands = own->bands();
  const auto pack =
      grains->compute("pack", neighbors, [this](int number) { halo.pack(number, x); });
  const auto receive = grains->begin_communication(
      "receive", 1,
      [this](int, std::vector<MPI_Request>& requests) { halo.begin_receiving(requests); });
  const auto send = grains->begin_communication(
      "send", neighbors, [this](int number, std::vector<MPI_Request>& requests) {
        halo.begin_sending(number, requests);
      });
  grains->after_each(send, pack);
  const auto inside =
      grains->compute("own", bands, [this](int band) { own->multiply_band(band, x, y); });
  const auto outside = grains->compute(
      "halo", bands, [this](int band) { beside->add_band(band, halo.received(), y); });
  grains->after(outside, receive);
  grains->after_each(outside, inside);
}

void SparseMatrix::State::run(ScheduleKind kind) {
  if (kind == ScheduleKind::comm_thread) {
    grains->run();
    return;
  }
  std::vector<MPI_Request> requests;
  halo.begin_receiving(requests);
  for (int number = 0; number < halo.neighbors(); ++number) {
    halo.pack(number, x);
    halo.begin_sending(number, requests);
  }
  const auto wait = [&] {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  };
  if (kind == ScheduleKind::blocking) wait();
  own->multiply(x, y);
  if (kind == ScheduleKind::nonblocking) wait();
  if (halo.size() > 0) beside->add(halo.received(), y);
}

/// The slowest rank counts, so that all ranks choose alike.
void SparseMatrix::State::choose() {
  std::array<double, Trial::kKinds.size()> slowest{};
  MPI_Allreduce(trial->best_s.data(), slowest.data(), static_cast<int>(slowest.size()), MPI_DOUBLE,
                MPI_MAX, comm);
  const auto best = std::min_element(slowest.begin(), slowest.end()) - slowest.begin();
  schedule.kind = Trial::kKinds[static_cast<std::size_t>(best)];
  trial.reset();
}

SparseMatrix::SparseMatrix(MPI_Comm comm, const SparseRows<std::int64_t>& rows,
                           const Schedule& schedule, const SparseOptions& options)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.comm = comm;
  state.schedule = schedule;
  const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  std::optional<Error> wrong;
  int count = 0;
  try {
    check_schedule(schedule, threads);
    if (rows.starts.empty() || rows.starts.size() > std::numeric_limits<int>::max()) {
      throw Error("sparse matrix", "no starts of rows, or more than 2^31", "use more ranks");
    }
    count = static_cast<int>(rows.starts.size()) - 1;
  } catch (const Error& error) {
    wrong.emplace(error);
  }
  agree_on_error(comm, wrong ? &*wrong : nullptr);
  state.distribute(count);
  try {
    state.split(rows, options);
  } catch (const CollectiveError&) {
    throw;
  } catch (const Error& error) {
    wrong.emplace(error);
  } catch (const std::bad_alloc&) {
    wrong.emplace("sparse matrix", "no memory for it", "use more nodes");
  }
  agree_on_error(comm, wrong ? &*wrong : nullptr);
  state.make_grains(threads);
  if (schedule.kind == ScheduleKind::automatic) {
    if (state.starts.size() == 2) {
      state.schedule.kind = ScheduleKind::blocking;
    } else {
      state.trial.emplace();
    }
  }
}

SparseMatrix::~SparseMatrix() = default;

std::int64_t SparseMatrix::size() const {
  return state_->starts.back();
}
std::int64_t SparseMatrix::first_row() const {
  return state_->first;
}
int SparseMatrix::rows() const {
  return state_->rows;
}
std::int64_t SparseMatrix::entries() const {
  return state_->own->entries() + state_->beside->entries();
}
double SparseMatrix::bytes() const {
  return state_->own->bytes() + state_->beside->bytes();
}
int SparseMatrix::halo() const {
  return state_->halo.size();
}
std::vector<double> SparseMatrix::diagonal() const {
  return state_->diagonal;
}
Schedule SparseMatrix::schedule() const {
  return state_->schedule;
}

void SparseMatrix::multiply(const double* x, double* y) {
  State& state = *state_;
  state.x = x;
  state.y = y;
  if (!state.trial) {
    state.run(state.schedule.kind);
    return;
  }
  const double start = MPI_Wtime();
  state.run(state.trial->next());
  state.trial->add(MPI_Wtime() - start);
  if (state.trial->ends()) state.choose();
}

}  // namespace plait
