// SPDX-License-Identifier: BSD-3-Clause
// Reads the file in parts, one per rank, and sends each row to the rank that has it.
#include "system_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>

#include "matrix_market.hpp"
#include "matrix_rows.hpp"
#include "node_memory.hpp"
#include "plait/sparse_matrix.hpp"

namespace plait::cg {
namespace {

/// A communicator, and the input for errors.
struct Team {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, ranks = 1;
  std::string input;

  /// @throws CollectiveError if any rank has more elements than MPI can count
  void check_count(std::int64_t elements) const {
    agreed(comm, input, [&] {
      if (elements > std::numeric_limits<int>::max()) {
        throw Error(input, "more than 2^31 entries per rank", "use more ranks");
      }
    });
  }
};

MatrixHead read_head(const Team& team) {
  MatrixHead head;
  agreed(team.comm, team.input, [&] {
    if (team.rank == 0) head = read_matrix_head(team.input);
  });
  MPI_Bcast(&head, sizeof head, MPI_BYTE, 0, team.comm);
  return head;
}

/// Entries of both triangles, if none is left out.
double stored_entries(const MatrixHead& head) {
  return (head.symmetric ? 2.0 : 1.0) * static_cast<double>(head.entries);
}

void check_memory(const Team& team, const SystemOptions& options, const MatrixHead& head) {
  // While entries travel, a rank has them twice; in the end, as rows and in the stored block.
  constexpr double kEntryBytes = 60, kRowBytes = 100;
  double own = (kEntryBytes * stored_entries(head) + kRowBytes * head.size) /
               static_cast<double>(team.ranks);
  if (team.rank == 0) {
    own += 4.0 * sizeof(double) * head.size;  // b, x and the order of the rows
    if (options.partition == PartitionKind::graph) own += 3 * sizeof(int) * stored_entries(head);
  }
  check_node_memory(team.comm, team.input, own, "use nodes with more memory");
}

/// The entries in this rank's part of the file. Errors name the line in the file.
std::vector<MatrixEntry> read_part(const Team& team, const MatrixHead& head) {
  EntryPart part;
  std::exception_ptr failure;
  try {
    part = read_entries(team.input, head, team.rank, team.ranks);
  } catch (...) {
    failure = std::current_exception();
  }
  std::int64_t before = 0;
  MPI_Exscan(&part.lines, &before, 1, MPI_INT64_T, MPI_SUM, team.comm);
  if (team.rank == 0) before = 0;
  agreed(team.comm, team.input, [&] {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const LineError& wrong) {
      throw wrong.in(team.input, head.lines + before);
    }
  });
  auto entries = static_cast<std::int64_t>(part.entries.size());
  MPI_Allreduce(MPI_IN_PLACE, &entries, 1, MPI_INT64_T, MPI_SUM, team.comm);
  agreed(team.comm, team.input, [&] { check_number_of_entries(team.input, head, entries); });
  return std::move(part.entries);
}

/// Sends entries to ranks. `each_of(entry, send)` calls send(rank, entry) once or more.
template <class EachOf>
std::vector<MatrixEntry> exchange(const Team& team, std::vector<MatrixEntry> entries,
                                  const EachOf& each_of) {
  const auto ranks = static_cast<std::size_t>(team.ranks);
  std::vector<std::int64_t> wanted(ranks, 0);
  for (const MatrixEntry& entry : entries) {
    each_of(entry, [&](std::size_t rank, const MatrixEntry&) { ++wanted[rank]; });
  }
  team.check_count(std::accumulate(wanted.begin(), wanted.end(), std::int64_t{0}));
  std::vector<std::int64_t> coming(ranks, 0);
  MPI_Alltoall(wanted.data(), 1, MPI_INT64_T, coming.data(), 1, MPI_INT64_T, team.comm);
  team.check_count(std::accumulate(coming.begin(), coming.end(), std::int64_t{0}));

  const std::vector<int> sends(wanted.begin(), wanted.end()),
      receives(coming.begin(), coming.end());
  std::vector<int> send_first(ranks, 0), receive_first(ranks, 0);
  std::partial_sum(sends.begin(), sends.end() - 1, send_first.begin() + 1);
  std::partial_sum(receives.begin(), receives.end() - 1, receive_first.begin() + 1);
  std::vector<MatrixEntry> out, in;
  agreed(team.comm, team.input, [&] {
    out.resize(static_cast<std::size_t>(send_first.back()) +
               static_cast<std::size_t>(sends.back()));
    std::vector<int> next = send_first;
    for (const MatrixEntry& entry : entries) {
      each_of(entry, [&](std::size_t rank, const MatrixEntry& one) {
        out[static_cast<std::size_t>(next[rank]++)] = one;
      });
    }
    entries = {};
    in.resize(static_cast<std::size_t>(receive_first.back()) +
              static_cast<std::size_t>(receives.back()));
  });
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(MatrixEntry), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Alltoallv(out.data(), sends.data(), send_first.data(), type, in.data(), receives.data(),
                receive_first.data(), type, team.comm);
  MPI_Type_free(&type);
  return in;
}

/// The first row of each rank, then the number of rows.
using RowStarts = std::vector<int>;

std::size_t rank_of(const RowStarts& starts, int row) {
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), row) -
                                  starts.begin()) -
         1;
}

RowStarts even_starts(int size, int ranks) {
  RowStarts starts;
  for (int rank = 0; rank <= ranks; ++rank) {
    starts.push_back(static_cast<int>(std::int64_t{size} * rank / ranks));
  }
  return starts;
}

/// Rows with about equal numbers of entries.
RowStarts starts_by_entries(const Team& team, const MatrixRows& rows, int size) {
  const std::int64_t own = rows.starts.back();
  std::int64_t before = 0, all = 0;
  MPI_Exscan(&own, &before, 1, MPI_INT64_T, MPI_SUM, team.comm);
  if (team.rank == 0) before = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, team.comm);
  RowStarts starts(static_cast<std::size_t>(team.ranks) + 1, size);
  starts.front() = 0;
  for (int rank = 1; rank < team.ranks; ++rank) {
    const auto share = static_cast<std::int64_t>(static_cast<double>(all) * rank / team.ranks);
    // The first row before which there are so many entries, if it is one of this rank.
    const auto place = std::lower_bound(rows.starts.begin(), rows.starts.end() - 1, share - before);
    if (place != rows.starts.end() - 1) {
      starts[static_cast<std::size_t>(rank)] =
          rows.first + static_cast<int>(place - rows.starts.begin());
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, starts.data(), team.ranks, MPI_INT, MPI_MIN, team.comm);
  return starts;
}

/// Where rows go.
struct Distribution {
  RowStarts starts;
  std::vector<int> places;  ///< the new row of each original one; empty: the same
  std::vector<int> order;   ///< on rank 0: the original row of each new one

  [[nodiscard]] int place_of(int row) const {
    return places.empty() ? row : places[static_cast<std::size_t>(row)];
  }
};

/// All rows' columns on rank 0.
MatrixRows gather_pattern(const Team& team, const MatrixRows& rows, int size) {
  const auto ranks = static_cast<std::size_t>(team.ranks);
  const RowStarts starts = even_starts(size, team.ranks);
  std::vector<int> lengths, counts(ranks), first(ranks, 0);
  for (int row = 0; row < rows.count(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    lengths.push_back(static_cast<int>(rows.starts[at + 1] - rows.starts[at]));
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) counts[rank] = starts[rank + 1] - starts[rank];
  MatrixRows all;
  std::vector<int> all_lengths(team.rank == 0 ? static_cast<std::size_t>(size) : 0);
  MPI_Gatherv(lengths.data(), rows.count(), MPI_INT, all_lengths.data(), counts.data(),
              starts.data(), MPI_INT, 0, team.comm);
  for (const int length : all_lengths) all.starts.push_back(all.starts.back() + length);
  team.check_count(all.starts.back());
  const auto own = static_cast<int>(rows.columns.size());
  MPI_Gather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, team.comm);
  if (team.rank == 0) std::partial_sum(counts.begin(), counts.end() - 1, first.begin() + 1);
  all.columns.resize(static_cast<std::size_t>(all.starts.back()));
  MPI_Gatherv(rows.columns.data(), own, MPI_INT, all.columns.data(), counts.data(), first.data(),
              MPI_INT, 0, team.comm);
  return all;
}

/// Few entries between ranks: chosen on rank 0, which needs the pattern of the whole matrix.
Distribution distribute_by_graph(const Team& team, const MatrixRows& rows, int size) {
  Distribution to;
  to.starts.assign(static_cast<std::size_t>(team.ranks) + 1, 0);
  to.places.resize(static_cast<std::size_t>(size));
  const MatrixRows pattern = gather_pattern(team, rows, size);
  agreed(team.comm, team.input, [&] {
    if (team.rank != 0) return;
    const std::vector<int> part = partition_rows({pattern.starts, pattern.columns, {}}, team.ranks);
    for (const int one : part) ++to.starts[static_cast<std::size_t>(one) + 1];
    std::partial_sum(to.starts.begin(), to.starts.end(), to.starts.begin());
    to.order.resize(part.size());
    std::iota(to.order.begin(), to.order.end(), 0);
    std::stable_sort(to.order.begin(), to.order.end(), [&](int a, int b) {
      return part[static_cast<std::size_t>(a)] < part[static_cast<std::size_t>(b)];
    });
    for (std::size_t i = 0; i < part.size(); ++i) {
      to.places[static_cast<std::size_t>(to.order[i])] = static_cast<int>(i);
    }
  });
  MPI_Bcast(to.starts.data(), team.ranks + 1, MPI_INT, 0, team.comm);
  MPI_Bcast(to.places.data(), size, MPI_INT, 0, team.comm);
  return to;
}

Distribution distribute(const Team& team, PartitionKind kind, const MatrixRows& rows, int size) {
  if (kind == PartitionKind::graph) return distribute_by_graph(team, rows, size);
  Distribution to;
  to.starts = kind == PartitionKind::rows ? even_starts(size, team.ranks)
                                          : starts_by_entries(team, rows, size);
  if (team.rank == 0) {
    to.order.resize(static_cast<std::size_t>(size));
    std::iota(to.order.begin(), to.order.end(), 0);
  }
  return to;
}

std::vector<MatrixEntry> entries_of(const MatrixRows& rows) {
  std::vector<MatrixEntry> entries;
  entries.reserve(rows.columns.size());
  for (int row = 0; row < rows.count(); ++row) {
    for (auto k = static_cast<std::size_t>(rows.starts[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(rows.starts[static_cast<std::size_t>(row) + 1]); ++k) {
      entries.push_back({rows.first + row, rows.columns[k], rows.values[k]});
    }
  }
  return entries;
}

/// An equal number of rows on each rank, in the order of the file, after all checks.
MatrixRows read_rows(const Team& team, const MatrixHead& head) {
  const RowStarts starts = even_starts(head.size, team.ranks);
  const int first = starts[static_cast<std::size_t>(team.rank)];
  const int count = starts[static_cast<std::size_t>(team.rank) + 1] - first;
  const auto to_row = [&](const MatrixEntry& entry, const auto& send) {
    send(rank_of(starts, entry.row), entry);
  };
  const auto to_column = [&](const MatrixEntry& entry, const auto& send) {
    send(rank_of(starts, entry.column), MatrixEntry{entry.column, entry.row, entry.value});
  };
  const auto to_both = [&](const MatrixEntry& entry, const auto& send) {
    to_row(entry, send);
    if (entry.row != entry.column) to_column(entry, send);
  };
  std::vector<MatrixEntry> entries = head.symmetric ? exchange(team, read_part(team, head), to_both)
                                                    : exchange(team, read_part(team, head), to_row);
  MatrixRows rows;
  agreed(team.comm, team.input, [&] {
    rows = rows_of(entries, first, count);
    check_rows(team.input, rows);
  });
  if (head.symmetric) return rows;
  const std::vector<MatrixEntry> transposed = exchange(team, std::move(entries), to_column);
  agreed(team.comm, team.input,
         [&] { check_symmetry(team.input, rows, rows_of(transposed, first, count)); });
  return rows;
}

/// The elements of this rank; rank 0 reads them all.
std::vector<double> read_rhs(const Team& team, const std::string& path, const Distribution& to,
                             const std::vector<int>& counts) {
  const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(team.rank)]);
  std::vector<double> rhs(own, 1.0);
  if (path.empty()) return rhs;
  std::vector<double> all;
  agreed(team.comm, path, [&] {
    if (team.rank != 0) return;
    const std::vector<double> original = read_vector(path, to.starts.back());
    all.resize(original.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = original[static_cast<std::size_t>(to.order[i])];
    }
  });
  MPI_Scatterv(all.data(), counts.data(), to.starts.data(), MPI_DOUBLE, rhs.data(),
               static_cast<int>(own), MPI_DOUBLE, 0, team.comm);
  return rhs;
}

}  // namespace

SystemRows read_system(MPI_Comm comm, const SystemOptions& options) {
  Team team{comm, 0, 1, options.matrix};
  MPI_Comm_rank(comm, &team.rank);
  MPI_Comm_size(comm, &team.ranks);
  const MatrixHead head = read_head(team);
  check_memory(team, options, head);
  MatrixRows rows = read_rows(team, head);
  Distribution to = distribute(team, options.partition, rows, head.size);

  std::vector<MatrixEntry> entries;
  agreed(comm, team.input, [&] { entries = entries_of(rows); });
  rows = {};
  entries = exchange(team, std::move(entries), [&](const MatrixEntry& entry, const auto& send) {
    const int row = to.place_of(entry.row);
    send(rank_of(to.starts, row), MatrixEntry{row, to.place_of(entry.column), entry.value});
  });
  SystemRows own;
  for (int rank = 0; rank < team.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    own.counts.push_back(to.starts[at + 1] - to.starts[at]);
  }
  const auto at = static_cast<std::size_t>(team.rank);
  agreed(comm, team.input, [&] {
    rows = rows_of(entries, to.starts[at], own.counts[at]);
    entries = {};
    own.starts = std::move(rows.starts);
    own.columns.assign(rows.columns.begin(), rows.columns.end());
    own.values = std::move(rows.values);
  });
  own.rhs = read_rhs(team, options.rhs, to, own.counts);
  own.order = std::move(to.order);
  return own;
}

std::vector<double> gather(MPI_Comm comm, const SystemRows& rows, const std::vector<double>& own) {
  std::vector<int> first(rows.counts.size(), 0);
  std::partial_sum(rows.counts.begin(), rows.counts.end() - 1, first.begin() + 1);
  std::vector<double> all(rows.order.size()), original(rows.order.size());
  MPI_Gatherv(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, all.data(), rows.counts.data(),
              first.data(), MPI_DOUBLE, 0, comm);
  for (std::size_t i = 0; i < all.size(); ++i) {
    original[static_cast<std::size_t>(rows.order[i])] = all[i];
  }
  return original;
}

}  // namespace plait::cg
