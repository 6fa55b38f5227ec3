// SPDX-License-Identifier: BSD-3-Clause
// Builds traces for tests: each rank has a clock that computation and calls advance.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace plait::trace {

/// Builds a trace call by call. Times are in seconds, ranks are world ranks, and communicator 0 is
/// the world.
class MadeTrace {
public:
  /// @param ranks_per_node  0: all on one node
  explicit MadeTrace(int ranks, int ranks_per_node = 0);

  void compute(int rank, double seconds);  ///< advances the rank's clock
  double now(int rank) const;
  /// The rank waited for a CPU in the computation before its next call, and in that call.
  void wait_for_cpu(int rank, double before, double inside = 0);

  /// Sets the call site of the following calls; each name is one site (a frame's module).
  void from(const std::string& site);

  void send(int rank, int to, std::uint64_t bytes, double seconds, int tag = 0,
            const char* function = "MPI_Send");
  void receive(int rank, int source, std::uint64_t bytes, double seconds, int tag = 0,
               bool wildcard = false, const char* function = "MPI_Recv");
  void send_receive(int rank, int to, std::uint64_t bytes, int source, std::uint64_t capacity,
                    double seconds, int tag = 0);
  /// Returns the request's number among the rank's operations.
  std::uint32_t isend(int rank, int to, std::uint64_t bytes, double seconds, int tag = 0);
  std::uint32_t ireceive(int rank, int source, std::uint64_t bytes, double seconds, int tag = 0,
                         bool wildcard = false);
  void wait(int rank, const std::vector<std::uint32_t>& requests, double seconds,
            const char* function = "MPI_Waitall");
  void poll(int rank, double seconds, const char* function = "MPI_Test");  ///< finds nothing
  void other(int rank, const char* function, double seconds);  ///< a call that moves nothing
  void collective(int rank, const char* function, std::uint64_t bytes, double seconds,
                  int root = -1, std::uint32_t comm = 0);
  std::uint32_t comm(std::vector<int> members, std::vector<int> remote_members = {},
                     std::vector<std::vector<int>> sources = {});
  /// MPI_Win_post, MPI_Win_start, MPI_Win_complete, MPI_Win_wait; `partners` of the first two.
  void epoch(int rank, const char* function, double seconds, std::uint32_t window,
             std::vector<int> partners = {});
  /// A call of passive target synchronization. `target`: a rank of the window, or -1 for all.
  void lock(int rank, const char* function, double seconds, std::uint32_t window, int target,
            std::uint32_t flags = 0);
  void put(int rank, double seconds, std::uint32_t window, int target, std::uint64_t bytes);
  /// The following calls and computation of the rank are those of a thread; 0: of its main thread.
  /// Each thread has its own clock, which begins at 0.
  void on_thread(int rank, std::uint32_t stream);
  /// An OpenMP region (parallel), or the thread's part in one (work), from that time until now.
  void openmp(int rank, EventKind kind, double begin);
  /// A user region from that time until now.
  void region(int rank, const std::string& name, double begin);

  /// Returns the matched trace and leaves this object empty.
  Trace take();

private:
  Stream& stream_of(int rank);
  Event& call(int rank, EventKind kind, const char* function, double seconds, int peer, int tag,
              std::uint32_t comm, std::uint32_t flags);
  std::uint32_t start(int rank, Event& event, OperationKind kind, std::uint64_t bytes, int partner,
                      int tag, bool wildcard);
  void keep_epoch(int rank, std::vector<int> partners);
  std::uint32_t function(const char* name, bool collective);
  std::uint32_t shape(const Shape& of);

  Trace trace_;
  std::vector<std::int64_t> clock_;    ///< of the current thread of each rank
  std::vector<std::uint32_t> stream_;  ///< the current thread of each rank
  std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t> other_clocks_;
  std::uint32_t site_ = 0;
  std::map<std::string, std::uint32_t> functions_, sites_, regions_;
  using ShapeKey = std::array<std::uint32_t, 7>;
  std::map<ShapeKey, std::uint32_t> shapes_;
};

}  // namespace plait::trace
