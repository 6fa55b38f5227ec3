// SPDX-License-Identifier: BSD-3-Clause
// Finds out who needs which elements, and exchanges them.
#include "solve/sparse/sparse_halo.hpp"

#include <algorithm>
#include <cstddef>

namespace plait::solve {
namespace {

constexpr int kTag = 7301;

}  // namespace

SparseHalo::SparseHalo(MPI_Comm comm, const std::vector<std::int64_t>& starts,
                       const std::vector<std::int64_t>& needed)
    : comm_(comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::size_t ranks = starts.size() - 1;
  std::vector<int> wanted(ranks, 0), asked(ranks, 0), first_wanted(ranks, 0), first_asked(ranks, 0);
  std::size_t owner = 0;
  for (const std::int64_t element : needed) {
    while (element >= starts[owner + 1]) ++owner;
    ++wanted[owner];
  }
  MPI_Alltoall(wanted.data(), 1, MPI_INT, asked.data(), 1, MPI_INT, comm);
  int receive = 0, send = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    first_wanted[r] = receive;
    first_asked[r] = send;
    if (wanted[r] > 0) receives_.push_back({static_cast<int>(r), receive, wanted[r]});
    if (asked[r] > 0) sends_.push_back({static_cast<int>(r), send, asked[r]});
    receive += wanted[r];
    send += asked[r];
  }
  std::vector<std::int64_t> elements(static_cast<std::size_t>(send));
  MPI_Alltoallv(needed.data(), wanted.data(), first_wanted.data(), MPI_INT64_T, elements.data(),
                asked.data(), first_asked.data(), MPI_INT64_T, comm);
  const std::int64_t own = starts[static_cast<std::size_t>(rank)];
  elements_.resize(elements.size());
  std::transform(elements.begin(), elements.end(), elements_.begin(),
                 [own](std::int64_t element) { return static_cast<int>(element - own); });
  packed_.resize(elements.size());
  received_.resize(static_cast<std::size_t>(receive));
}

void SparseHalo::pack(int number, const double* x) {
  const Message& message = sends_[static_cast<std::size_t>(number)];
  const auto first = static_cast<std::size_t>(message.first);
  for (std::size_t i = first; i < first + static_cast<std::size_t>(message.count); ++i) {
    packed_[i] = x[elements_[i]];
  }
}

void SparseHalo::begin_receiving(std::vector<MPI_Request>& requests) {
  for (const Message& message : receives_) {
    MPI_Irecv(received_.data() + message.first, message.count, MPI_DOUBLE, message.rank, kTag,
              comm_, &requests.emplace_back());
  }
}

void SparseHalo::begin_sending(int number, std::vector<MPI_Request>& requests) {
  const Message& message = sends_[static_cast<std::size_t>(number)];
  MPI_Isend(packed_.data() + message.first, message.count, MPI_DOUBLE, message.rank, kTag, comm_,
            &requests.emplace_back());
}

}  // namespace plait::solve
