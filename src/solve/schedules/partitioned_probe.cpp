// SPDX-License-Identifier: BSD-3-Clause
// Finds out safely whether MPI-4 partitioned communication works with this MPI library: libraries
// that are known to hang are refused by name, others are probed with a time limit.
#include <time.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "plait/environment.hpp"
#include "solve/schedules/partitioned.hpp"

namespace plait::solve {
namespace {

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

/// The name and version of the library, from the beginning of the text.
std::string first_line(std::string text) {
  text.erase(std::min(text.find('\n'), text.size()));
  text.erase(std::min(text.find(','), text.size()));
  return text;
}

#if MPI_VERSION >= 4

constexpr int partitions = 2;
constexpr int numbers_per_partition = 16;
constexpr int turns = 3;
constexpr std::chrono::seconds time_limit{5};

using Message = std::array<int, partitions * numbers_per_partition>;

/// A ring: every rank sends to both sides and receives from both, a few times, as halos do. Tests
/// each request separately and sleeps between tests.
class Probe {
public:
  explicit Probe(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    for (std::size_t side = 0; side < 2; ++side) {
      // Messages towards side 0 have tag 0: the partner receives them from its side 1.
      MPI_Psend_init(out_[side].data(), partitions, numbers_per_partition, MPI_INT, partner(side),
                     static_cast<int>(side), comm, MPI_INFO_NULL, &requests_[side]);
      MPI_Precv_init(in_[side].data(), partitions, numbers_per_partition, MPI_INT, partner(side),
                     static_cast<int>(1 - side), comm, MPI_INFO_NULL, &requests_[2 + side]);
    }
  }

  /// True if all messages arrived in time with the right contents.
  bool run() {
    const auto end = std::chrono::steady_clock::now() + time_limit;
    for (int turn = 0; turn < turns; ++turn) {
      for (std::size_t side = 0; side < 2; ++side) {
        out_[side].fill(rank_ + 1000 * turn + 1'000'000 * static_cast<int>(side));
        in_[side].fill(-1);
      }
      for (MPI_Request& request : requests_) MPI_Start(&request);
      for (std::size_t side = 0; side < 2; ++side) {
        for (int part = 0; part < partitions; ++part) MPI_Pready(part, requests_[side]);
      }
      for (MPI_Request& request : requests_) {
        if (!completes(request, end)) return false;
      }
      for (std::size_t side = 0; side < 2; ++side) {
        Message expected;
        expected.fill(partner(side) + 1000 * turn + 1'000'000 * static_cast<int>(1 - side));
        if (in_[side] != expected) return false;
      }
    }
    // Requests that hang cannot be freed.
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
    return true;
  }

private:
  [[nodiscard]] int partner(std::size_t side) const {
    return (rank_ + (side == 0 ? size_ - 1 : 1)) % size_;
  }

  static bool completes(MPI_Request& request, std::chrono::steady_clock::time_point end) {
    for (;;) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
      if (std::chrono::steady_clock::now() > end) return false;
      const timespec pause{0, 50'000};
      nanosleep(&pause, nullptr);
    }
  }

  int rank_ = 0;
  int size_ = 1;
  std::array<Message, 2> out_{};
  std::array<Message, 2> in_{};
  std::array<MPI_Request, 4> requests_{};  ///< two sends, two receives
};

/// The fault that any rank has found; the same text on all ranks, empty if there is none.
std::string probed_fault(MPI_Comm grid) {
  int size = 1;
  MPI_Comm_size(grid, &size);
  if (size == 1) return "";  // a single rank sends no message
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(grid, &comm);
  // Never freed after a failure: requests that hang may still use the memory.
  auto* probe = new Probe(comm);  // NOLINT(cppcoreguidelines-owning-memory)
  int failed = probe->run() ? 0 : 1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm, &request);
  wait_politely(request);
  if (failed != 0) return "failed a test: messages between two partners were wrong or late";
  delete probe;  // NOLINT(cppcoreguidelines-owning-memory)
  MPI_Comm_free(&comm);
  return "";
}

#endif

}  // namespace

std::string known_partitioned_fault(const std::string& library) {
  int major = 0;
  int minor = 0;
  int release = 0;
  if (std::sscanf(library.c_str(), "Open MPI v%d.%d.%d", &major, &minor, &release) == 3 &&
      major == 5 && minor == 0 && release <= 11) {
    return "hangs with more than one partner (Open MPI issue 12969)";
  }
  return "";
}

void require_partitioned(MPI_Comm comm) {
  const std::string library = library_version();
  std::string fault = known_partitioned_fault(library);
#if MPI_VERSION >= 4
  if (fault.empty()) fault = probed_fault(comm);
#else
  (void)comm;
  fault = "implements MPI " + std::to_string(MPI_VERSION) + "." + std::to_string(MPI_SUBVERSION) +
          ", but partitioned communication needs MPI 4.0";
#endif
  if (fault.empty()) return;
  throw CollectiveError("schedule partitioned", first_line(library) + " " + fault,
                        "use another schedule");
}

}  // namespace plait::solve
