// SPDX-License-Identifier: BSD-3-Clause
// Measures exchanges of messages between pairs of ranks.
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "plait/environment.hpp"
#include "plait/grains.hpp"

namespace plait {
namespace {

constexpr int kSmallest = 1024;  // bytes
constexpr int kTag = 0;

/// Seconds of one exchange of `bytes` in both directions: the mean of a few in a row, as one alone
/// seems short to the rank that begins it last. The best of two such rows counts.
double exchange_s(MPI_Comm comm, int partner, std::vector<char>& out, std::vector<char>& in,
                  int bytes) {
  constexpr int kRows = 2, kTurns = 3;
  const auto exchange = [&] {
    MPI_Sendrecv(out.data(), bytes, MPI_BYTE, partner, kTag, in.data(), bytes, MPI_BYTE, partner,
                 kTag, comm, MPI_STATUS_IGNORE);
  };
  exchange();
  double best_s = std::numeric_limits<double>::max();
  for (int row = 0; row < kRows; ++row) {
    const double begin = MPI_Wtime();
    for (int turn = 0; turn < kTurns; ++turn) exchange();
    best_s = std::min(best_s, (MPI_Wtime() - begin) / kTurns);
  }
  return best_s;
}

}  // namespace

std::vector<ExchangeSpeed> measure_exchange(MPI_Comm comm, int partner) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const bool alone = partner == MPI_PROC_NULL || partner == rank;
  std::optional<Error> wrong;
  if (!alone && (partner < 0 || partner >= ranks)) {
    wrong.emplace("partner " + std::to_string(partner), "not a rank",
                  "give one from 0 to " + std::to_string(ranks - 1) + ", or MPI_PROC_NULL");
  }
  agree_on_error(comm, wrong ? &*wrong : nullptr);

  std::array<double, kExchangeSizes> seconds{};
  if (!alone) {
    const auto largest = static_cast<std::size_t>(kSmallest) << (kExchangeSizes - 1);
    std::vector<char> out(largest), in(largest);
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      seconds[i] = exchange_s(comm, partner, out, in, kSmallest << i);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), kExchangeSizes, MPI_DOUBLE, MPI_MAX, comm);
  std::vector<ExchangeSpeed> speeds;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double bytes = kSmallest << i;
    speeds.push_back({bytes, seconds[i] > 0 ? bytes / seconds[i] : 0});
  }
  return speeds;
}

}  // namespace plait
