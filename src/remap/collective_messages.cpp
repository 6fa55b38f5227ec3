// SPDX-License-Identifier: BSD-3-Clause
// The messages of collective operations, which only the MPI library sees.
#include "remap/collective_messages.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "trace/collective_name.hpp"

namespace plait::remap {
namespace {

/// From which size of the result on the blocks of an Allgather pass through a ring
/// (MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE of MPICH).
constexpr double kLongAllgather = 512 * 1024;

/// The calls of one process, whose members are numbered from 0.
class Calls {
public:
  Calls(const trace::Communicator& comm, const trace::CollectiveEntry& calls, const SendTo& send)
      : comm_(comm),
        send_(send),
        size_(static_cast<int>(comm.members.size())),
        me_(comm.my_rank),
        root_(calls.root),
        count_(static_cast<double>(calls.count)),
        bytes_(static_cast<double>(calls.bytes)) {}

  [[nodiscard]] bool valid() const { return size_ > 1 && me_ >= 0 && me_ < size_; }

  void barrier() const {
    for (int step = 1; step < size_; step *= 2) to((me_ + step) % size_, 0);
  }

  void bcast() const {
    if (!has_root()) return;
    const int place = from_root();
    const int below = place == 0 ? size_ : place & -place;
    for (int step = 1; step < below && place + step < size_; step *= 2) {
      to((place + step + root_) % size_, bytes_);
    }
  }

  void reduce() const {
    if (!has_root() || me_ == root_) return;
    const int place = from_root();
    to((place - (place & -place) + root_) % size_, bytes_);
  }

  /// The members beyond a power of 2 are pairs 0, 1; 2, 3; ... of which the second takes part.
  void allreduce() const {
    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(size_)));
    const int pairs = size_ - power;
    if (me_ < 2 * pairs && me_ % 2 == 0) return to(me_ + 1, bytes_);
    const int place = me_ < 2 * pairs ? me_ / 2 : me_ - pairs;
    for (int step = 1; step < power; step *= 2) {
      const int partner = place ^ step;
      to(partner < pairs ? 2 * partner + 1 : partner + pairs, bytes_);
    }
    if (me_ < 2 * pairs) to(me_ - 1, bytes_);
  }

  void scan() const {
    for (int step = 1; me_ + step < size_; step *= 2) to(me_ + step, bytes_);
  }

  void allgather() const {
    if (bytes_ * size_ >= kLongAllgather * count_) {
      send_(comm_.members[static_cast<std::size_t>((me_ + 1) % size_)], count_ * (size_ - 1),
            bytes_ * (size_ - 1));
      return;
    }
    for (int step = 1; step < size_; step *= 2) {
      to((me_ + size_ - step) % size_, bytes_ * std::min(step, size_ - step));
    }
  }

  void to_each() const {
    for (int other = 0; other < size_; ++other) {
      if (other != me_) to(other, bytes_);
    }
  }

  void scatter() const {
    if (me_ == root_) to_each();
  }

  void gather() const {
    if (has_root() && me_ != root_) to(root_, bytes_);
  }

private:
  [[nodiscard]] bool has_root() const { return root_ >= 0 && root_ < size_; }
  /// The number of this process in a tree whose root is 0.
  [[nodiscard]] int from_root() const { return (me_ + size_ - root_) % size_; }
  /// A message in each call.
  void to(int member, double bytes) const {
    send_(comm_.members[static_cast<std::size_t>(member)], count_, bytes);
  }

  const trace::Communicator& comm_;
  const SendTo& send_;
  int size_, me_, root_;
  double count_, bytes_;
};

}  // namespace

void collective_messages(const trace::Communicator& comm, const trace::CollectiveEntry& calls,
                         const SendTo& send) {
  using Algorithm = void (Calls::*)() const;
  static const std::map<std::string, Algorithm, std::less<>> kAlgorithms{
      {"Barrier", &Calls::barrier},
      {"Bcast", &Calls::bcast},
      {"Reduce", &Calls::reduce},
      {"Allreduce", &Calls::allreduce},
      {"Scan", &Calls::scan},
      {"Exscan", &Calls::scan},
      {"Allgather", &Calls::allgather},
      {"Allgatherv", &Calls::allgather},
      {"Alltoall", &Calls::to_each},
      {"Reduce_scatter", &Calls::to_each},
      {"Reduce_scatter_block", &Calls::to_each},
      {"Scatter", &Calls::scatter},
      {"Gather", &Calls::gather},
      {"Gatherv", &Calls::gather}};
  const Calls process(comm, calls, send);
  if (!process.valid() || !comm.remote_members.empty()) return;
  const auto found = kAlgorithms.find(trace::blocking_name(calls.function));
  if (found != kAlgorithms.end()) (process.*found->second)();
}

}  // namespace plait::remap
