// SPDX-License-Identifier: BSD-3-Clause
// Chooses the rows of each rank and sends them.
#include "system_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <numeric>
#include <system_error>
#include <utility>

#include "matrix_market.hpp"
#include "node_memory.hpp"
#include "plait/sparse_matrix.hpp"

namespace plait::cg {
namespace {

/// Rows of each rank, in the order of the file.
std::vector<int> contiguous_counts(const SymmetricMatrix& matrix, PartitionKind kind, int ranks) {
  std::vector<int> counts;
  int first = 0;
  for (int rank = 1; rank <= ranks; ++rank) {
    int end = static_cast<int>(std::int64_t{matrix.size()} * rank / ranks);
    if (kind == PartitionKind::entries) {
      const double share = static_cast<double>(matrix.starts.back()) * rank / ranks;
      const auto place = std::lower_bound(matrix.starts.begin() + first, matrix.starts.end(),
                                          static_cast<std::int64_t>(share));
      end = rank == ranks ? matrix.size() : static_cast<int>(place - matrix.starts.begin());
    }
    counts.push_back(end - first);
    first = end;
  }
  return counts;
}

/// What rank 0 has before it sends the parts.
struct Whole {
  SymmetricMatrix matrix;
  std::vector<double> rhs;
  std::vector<int> counts;
  std::vector<int> order;   ///< the original row of each new one
  std::vector<int> places;  ///< the new row of each original one
};

Whole read_whole(const SystemOptions& options, int ranks) {
  Whole whole;
  whole.matrix = read_matrix_market(options.matrix);
  const SymmetricMatrix& matrix = whole.matrix;
  const auto size = static_cast<std::size_t>(matrix.size());
  whole.rhs = options.rhs.empty() ? std::vector<double>(size, 1.0)
                                  : read_vector(options.rhs, matrix.size());
  whole.order.resize(size);
  std::iota(whole.order.begin(), whole.order.end(), 0);
  if (options.partition == PartitionKind::graph) {
    const std::vector<int> part =
        partition_rows({matrix.starts, matrix.columns, matrix.values}, ranks);
    whole.counts.assign(static_cast<std::size_t>(ranks), 0);
    for (const int one : part) ++whole.counts[static_cast<std::size_t>(one)];
    std::stable_sort(whole.order.begin(), whole.order.end(), [&](int a, int b) {
      return part[static_cast<std::size_t>(a)] < part[static_cast<std::size_t>(b)];
    });
  } else {
    whole.counts = contiguous_counts(matrix, options.partition, ranks);
  }
  whole.places.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    whole.places[static_cast<std::size_t>(whole.order[i])] = static_cast<int>(i);
  }
  return whole;
}

/// The rows from `first` on in the new order.
SystemRows part_of(const Whole& whole, int first, int count) {
  SystemRows part;
  std::vector<std::pair<int, double>> row;
  for (int i = first; i < first + count; ++i) {
    const auto original = static_cast<std::size_t>(whole.order[static_cast<std::size_t>(i)]);
    row.clear();
    for (auto k = static_cast<std::size_t>(whole.matrix.starts[original]);
         k < static_cast<std::size_t>(whole.matrix.starts[original + 1]); ++k) {
      row.emplace_back(whole.places[static_cast<std::size_t>(whole.matrix.columns[k])],
                       whole.matrix.values[k]);
    }
    std::sort(row.begin(), row.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : row) {
      part.columns.push_back(column);
      part.values.push_back(value);
    }
    part.starts.push_back(static_cast<std::int64_t>(part.columns.size()));
    part.rhs.push_back(whole.rhs[original]);
  }
  return part;
}

template <class Element>
void send(MPI_Comm comm, const std::vector<Element>& from, MPI_Datatype type, int rank) {
  MPI_Send(from.data(), static_cast<int>(from.size()), type, rank, 0, comm);
}

template <class Element>
void receive(MPI_Comm comm, std::vector<Element>& to, MPI_Datatype type) {
  MPI_Status status;
  MPI_Probe(0, 0, comm, &status);
  int count = 0;
  MPI_Get_count(&status, type, &count);
  to.resize(static_cast<std::size_t>(count));
  MPI_Recv(to.data(), count, type, 0, 0, comm, MPI_STATUS_IGNORE);
}

}  // namespace

SystemRows read_system(MPI_Comm comm, const SystemOptions& options) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  // While it reads, rank 0 has the text, the entries and the rows: a few times the file.
  constexpr double kTimesTheFile = 5;
  std::error_code missing;
  const auto bytes = rank == 0 ? std::filesystem::file_size(options.matrix, missing) : 0;
  check_node_memory(comm, options.matrix, missing ? 0 : kTimesTheFile * static_cast<double>(bytes),
                    "use nodes with more memory");
  Whole whole;
  agreed(comm, options.matrix, [&] {
    if (rank != 0) return;
    whole = read_whole(options, ranks);
    if (whole.matrix.starts.back() > std::numeric_limits<int>::max()) {
      throw Error(options.matrix, "more than 2^31 entries", "use a smaller matrix");
    }
  });
  SystemRows own;
  if (rank == 0) {
    int first = 0;
    for (int to = 0; to < ranks; ++to) {
      const int count = whole.counts[static_cast<std::size_t>(to)];
      SystemRows part = part_of(whole, first, count);
      first += count;
      if (to == 0) {
        own = std::move(part);
        continue;
      }
      send(comm, part.starts, MPI_INT64_T, to);
      send(comm, part.columns, MPI_INT64_T, to);
      send(comm, part.values, MPI_DOUBLE, to);
      send(comm, part.rhs, MPI_DOUBLE, to);
    }
    own.counts = std::move(whole.counts);
    own.order = std::move(whole.order);
  } else {
    receive(comm, own.starts, MPI_INT64_T);
    receive(comm, own.columns, MPI_INT64_T);
    receive(comm, own.values, MPI_DOUBLE);
    receive(comm, own.rhs, MPI_DOUBLE);
    own.counts.resize(static_cast<std::size_t>(ranks));
  }
  MPI_Bcast(own.counts.data(), ranks, MPI_INT, 0, comm);
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
