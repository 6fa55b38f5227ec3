// SPDX-License-Identifier: BSD-3-Clause
// Plans the messages of a broadcast as steps, and runs them with non-blocking calls.
#include "panel_broadcast.hpp"

#include <algorithm>

namespace plait::lu {
namespace {

std::vector<int> sequence(int first, int last) {
  std::vector<int> numbers;
  for (int i = first; i < last; ++i) numbers.push_back(i);
  return numbers;
}

}  // namespace

PanelBroadcast::PanelBroadcast(MPI_Comm comm, BroadcastKind kind) : comm_(comm), kind_(kind) {
  MPI_Comm_size(comm, &size_);
  MPI_Comm_rank(comm, &me_);
}

/// Ranks are relative to the root, which is 0.
void PanelBroadcast::start(double* data, std::size_t count, int root) {
  data_ = data;
  count_ = count;
  root_ = root;
  steps_.clear();
  step_ = 0;
  if (size_ == 1) return;
  const int me = (me_ - root + size_) % size_;
  // With "modified", the next rank, which factors the next panel, receives first and forwards
  // nothing.
  const bool modified = kind_ == BroadcastKind::ring_modified ||
                        kind_ == BroadcastKind::two_rings_modified ||
                        kind_ == BroadcastKind::long_modified;
  const int first = modified ? 2 : 1;
  if (modified) plan_tree(me, 0, {1});
  const int middle = first + (size_ - first + 1) / 2;
  switch (kind_) {
    case BroadcastKind::ring:
    case BroadcastKind::ring_modified:
      plan_tree(me, 0, sequence(first, size_));
      break;
    case BroadcastKind::two_rings:
    case BroadcastKind::two_rings_modified:
      plan_tree(me, 0, sequence(first, middle));
      plan_tree(me, 0, sequence(middle, size_));
      break;
    case BroadcastKind::long_:
    case BroadcastKind::long_modified: {
      std::vector<int> members = sequence(first, size_);
      members.insert(members.begin(), 0);
      plan_long(members);
      break;
    }
  }
  if (!steps_.empty()) begin_step();
}

/// The whole message goes from `from` along the chain.
void PanelBroadcast::plan_tree(int me, int from, const std::vector<int>& chain) {
  const Part all{0, count_};
  int before = from;
  for (const int next : chain) {
    if (me == before) add(before == from ? 0 : 1, {true, rank_of(next), all});
    if (me == next) add(0, {false, rank_of(before), all});
    before = next;
  }
}

/// The root, members[0], sends each member a part; then the parts travel round the ring.
void PanelBroadcast::plan_long(const std::vector<int>& members) {
  const auto n = members.size();
  const auto me = static_cast<std::size_t>(
      std::find(members.begin(), members.end(), (me_ - root_ + size_) % size_) - members.begin());
  if (me == n || n == 1) return;
  const auto part = [&](std::size_t i) {
    const std::size_t from = count_ * i / n;
    return Part{from, count_ * (i + 1) / n - from};
  };
  for (std::size_t i = 1; i < n; ++i) {
    if (me == 0) add(0, {true, rank_of(members[i]), part(i)});
    if (me == i) add(0, {false, rank_of(members[0]), part(i)});
  }
  for (std::size_t step = 1; step < n; ++step) {
    const std::size_t out = (me + n + 1 - step) % n;
    const std::size_t in = (me + n - step) % n;
    // The root has all parts already.
    const std::size_t next = (me + 1) % n;
    if (next != 0) add(step, {true, rank_of(members[next]), part(out)});
    if (me != 0) add(step, {false, rank_of(members[(me + n - 1) % n]), part(in)});
  }
}

void PanelBroadcast::add(std::size_t step, const Action& action) {
  if (steps_.size() <= step) steps_.resize(step + 1);
  steps_[step].push_back(action);
}

void PanelBroadcast::begin_step() {
  for (const Action& action : steps_[step_]) {
    double* data = data_ + action.part.first;
    const int count = static_cast<int>(action.part.count);
    requests_.emplace_back();
    if (action.send)
      MPI_Isend(data, count, MPI_DOUBLE, action.peer, 0, comm_, &requests_.back());
    else
      MPI_Irecv(data, count, MPI_DOUBLE, action.peer, 0, comm_, &requests_.back());
  }
}

bool PanelBroadcast::progress() {
  while (step_ < steps_.size()) {
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    if (done == 0) return false;
    requests_.clear();
    if (++step_ < steps_.size()) begin_step();
  }
  return true;
}

void PanelBroadcast::wait() {
  while (step_ < steps_.size()) {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    if (++step_ < steps_.size()) begin_step();
  }
}

}  // namespace plait::lu
