// SPDX-License-Identifier: BSD-3-Clause
// Independent pieces of work on the cores that there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace plait {

/// The number of CPUs on which this process may run; at least 1.
unsigned usable_cpus();

/// Calls `work` for 0 to count - 1, in any order and on several threads. The calls must be
/// independent of each other.
/// @param threads  at most; 0: as many as there are usable CPUs
/// @throws what the call with the lowest index threw of those that did
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work,
                    unsigned threads = 0);

/// Threads that stay for several rounds of work.
class Crew {
public:
  /// @param threads  the calling one included; there may be fewer, where the system allows no more
  explicit Crew(unsigned threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// As the function above, with these threads. By the thread that made them.
  void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

private:
  class Round;
  struct Shared;
  void start(Round* round);

  std::unique_ptr<Shared> shared_;
  std::vector<std::thread> others_;
};

/// The indices from `first` to `last` - 1.
struct IndexRange {
  std::size_t first = 0, last = 0;
};

/// The number of the range that has an index, of ranges that follow each other; some may be empty.
std::size_t range_of(const std::vector<IndexRange>& ranges, std::size_t index);

/// Divides the indices from 0 to count - 1 into ranges of about equal length, a few for each
/// thread: some may take longer than others.
/// @param threads  see for_each_index()
std::vector<IndexRange> ranges_of(std::size_t count, unsigned threads = 0);

/// Ranks that one process has together when several share the ranks of a job: sums over so many
/// ranks are rounded alike, whatever the number of processes.
inline constexpr std::uint32_t kRanksTogether = 64;

/// Divides the indices from 0 to count - 1 among processes, each a multiple of `together`.
/// @returns the range of one of them; it may be empty
IndexRange share_of(std::size_t count, std::size_t together, std::size_t processes,
                    std::size_t process);

}  // namespace plait
