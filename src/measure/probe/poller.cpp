// SPDX-License-Identifier: BSD-3-Clause
// A communicating thread: tests a message until it completes while the main thread computes.
#include "poller.hpp"

#include <sys/prctl.h>
#include <time.h>

#include "measure/affinity.hpp"

namespace plait::measure {

Poller::Poller(const MpiLibrary& mpi, const std::vector<int>& pus)
    : mpi_(mpi), thread_([this, pus] {
        bind_this_thread(pus);
        poll();
      }) {}

Poller::~Poller() {
  state_ = State::end;
  state_.notify_all();
  thread_.join();
}

void Poller::take(MPI_Request request) {
  request_ = request;
  state_ = State::at_work;
  state_.notify_all();
}

void Poller::give_back() {
  state_.wait(State::at_work);
  state_ = State::idle;
}

void Poller::poll() {
  // Sleep precisely: the default timer slack is 50 us.
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  while (true) {
    const State state = state_.load();
    if (state == State::end) return;
    if (state != State::at_work) {
      state_.wait(state);
      continue;
    }
    int done = 0;
    mpi_.test(&request_, &done, mpi_.no_status);
    if (done != 0) {
      state_ = State::done;
      state_.notify_all();
    } else {
      const timespec pause{0, 20'000};
      ::nanosleep(&pause, nullptr);
    }
  }
}

}  // namespace plait::measure
