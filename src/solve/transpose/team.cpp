// SPDX-License-Identifier: BSD-3-Clause
// A step of transposes by a team of threads: each schedule's division of the work.
#include "solve/transpose/team.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#include "solve/schedules/patience.hpp"
#include "solve/transpose/in_flight.hpp"

namespace plait::solve {
namespace {

/// Adds the time until its destructor to what threads that compute have waited.
class Waiting {
public:
  /// @param threads  that are timed
  Waiting(const StepOfTransposes& step, int threads)
      : waited_s_(step.waited_s), threads_(threads) {}
  ~Waiting() {
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start_;
    waited_s_.fetch_add(waited.count() / threads_, std::memory_order_relaxed);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

private:
  std::atomic<double>& waited_s_;
  int threads_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Computes share `part` of `parts` in as few pieces as possible.
void compute(const StepOfTransposes& step, std::size_t stage, int chunk, int part, int parts) {
  step.pipeline.compute(
      step, stage, chunk, part, parts,
      [](const IndexRange& planes, const TransposeStepper::Work& work) { work(planes); });
}

/// The part of sending that the whole team does. The planes must be complete.
void send(const StepOfTransposes& step, std::size_t number, int chunk, const Member& me) {
  Transpose& transpose = step.pipeline.transpose(number);
  transpose.pack(chunk, me.id, me.size);
  me.barrier();
  if (me.leads()) transpose.send(chunk);
  transpose.copy_own(chunk, me.id, me.size);
}

/// Waits for a chunk and unpacks it. Afterwards all threads may use its planes.
void receive(const StepOfTransposes& step, std::size_t number, int chunk, const Member& me) {
  Transpose& transpose = step.pipeline.transpose(number);
  if (me.leads()) {
    const Waiting waiting(step, 1);  // the others wait as long
    ChunkArrival arrival(transpose, chunk);
    step.waiter.wait(arrival);
  }
  me.barrier();
  transpose.unpack(chunk, me.id, me.size);
  me.barrier();
  if (me.leads()) transpose.acknowledge(chunk);
  if (!step.pipeline.verifies()) return;
  if (me.leads()) step.pipeline.keep(number, chunk);
  me.barrier();
}

/// Waits until the sources of a chunk may be changed.
void release(const StepOfTransposes& step, std::size_t number, int chunk) {
  ChunkRelease release(step.pipeline.transpose(number), chunk);
  step.waiter.wait(release);
}

/// The same for all chunks of all transposes.
void release_all(const StepOfTransposes& step) {
  for (std::size_t number = 0; number < step.pipeline.count(); ++number) {
    for (int chunk = 0; chunk < step.pipeline.chunks(); ++chunk) release(step, number, chunk);
  }
}

/// Calls use(stage, chunk) in the order of a pipeline: every stage handles a chunk two turns after
/// the stage before it. While one chunk is computed, another one may then wait for the other ranks'
/// answers and a third one be on the network.
template <class Use>
void in_turns(const TransposePipeline& pipeline, Use&& use) {
  constexpr int turns_between_stages = 2;
  const auto stages = static_cast<int>(pipeline.count()) + 1;
  const int turns = pipeline.chunks() + turns_between_stages * (stages - 1);
  for (int turn = 0; turn < turns; ++turn) {
    for (int stage = 0; stage < stages; ++stage) {
      const int chunk = turn - turns_between_stages * stage;
      if (chunk >= 0 && chunk < pipeline.chunks()) use(static_cast<std::size_t>(stage), chunk);
    }
  }
}

/// The messages that the calling thread, which leads a team, tests while it computes.
class TestedMessages {
public:
  explicit TestedMessages(const TransposePipeline& pipeline) : pipeline_(pipeline) {
    of_thread = this;
  }
  ~TestedMessages() { of_thread = nullptr; }
  TestedMessages(const TestedMessages&) = delete;
  TestedMessages& operator=(const TestedMessages&) = delete;

  void add(std::size_t number, int chunk) { under_way_.emplace_back(number, chunk); }
  void remove(std::size_t number, int chunk) { std::erase(under_way_, std::pair(number, chunk)); }
  void test() {
    for (const auto& [number, chunk] : under_way_) pipeline_.transpose(number).test(chunk);
    tested_ = std::chrono::steady_clock::now();
  }
  /// Unless they were tested a moment ago: work asks as often as it likes.
  void test_if_due() {
    if (std::chrono::steady_clock::now() - tested_ >= between_tests) test();
  }
  [[nodiscard]] bool belongs_to(const TransposePipeline& pipeline) const {
    return &pipeline == &pipeline_;
  }

  static thread_local TestedMessages* of_thread;

private:
  static constexpr std::chrono::microseconds between_tests{100};
  const TransposePipeline& pipeline_;
  std::vector<std::pair<std::size_t, int>> under_way_;
  std::chrono::steady_clock::time_point tested_ = std::chrono::steady_clock::now();
};

thread_local TestedMessages* TestedMessages::of_thread = nullptr;

/// One thread of a team whose threads all compute and pack.
void overlap(const StepOfTransposes& step, bool polls, const Member& me) {
  const TransposePipeline& pipeline = step.pipeline;
  std::optional<TestedMessages> tested;
  if (polls && me.leads()) tested.emplace(pipeline);
  in_turns(pipeline, [&](std::size_t stage, int chunk) {
    if (stage > 0) {
      receive(step, stage - 1, chunk, me);
      if (tested) tested->remove(stage - 1, chunk);
    }
    if (tested) {
      pipeline.compute(step, stage, chunk, me.id, me.size,
                       [&](const IndexRange& planes, const TransposeStepper::Work& work) {
                         for (std::int64_t plane = planes.first; plane < planes.last; ++plane) {
                           work({plane, plane + 1});
                           tested->test();
                         }
                       });
    } else {
      compute(step, stage, chunk, me.id, me.size);
    }
    if (stage == pipeline.count()) return;
    me.barrier();
    send(step, stage, chunk, me);
    if (tested) tested->add(stage, chunk);
  });
  if (me.leads()) release_all(step);
}

/// What the communicating thread and those that compute know of each other.
class Flags {
public:
  explicit Flags(const TransposePipeline& pipeline)
      : chunks_(static_cast<std::size_t>(pipeline.chunks())),
        computed_((pipeline.count() + 1) * chunks_),
        arrived_(pipeline.count() * chunks_) {}

  /// Says how many threads compute. Until then nothing counts as computed.
  void set_computing(int threads) { computing_.store(threads, std::memory_order_release); }
  void add_computed(std::size_t stage, int chunk) {
    computed_[at(stage, chunk)].fetch_add(1, std::memory_order_acq_rel);
  }
  [[nodiscard]] bool is_computed(std::size_t stage, int chunk) const {
    const int threads = computing_.load(std::memory_order_acquire);
    return threads > 0 && computed_[at(stage, chunk)].load(std::memory_order_acquire) == threads;
  }
  void set_arrived(std::size_t number, int chunk) {
    arrived_[at(number, chunk)].store(true, std::memory_order_release);
  }
  [[nodiscard]] bool has_arrived(std::size_t number, int chunk) const {
    return arrived_[at(number, chunk)].load(std::memory_order_acquire);
  }

private:
  [[nodiscard]] std::size_t at(std::size_t row, int chunk) const {
    return row * chunks_ + static_cast<std::size_t>(chunk);
  }
  std::size_t chunks_;
  std::atomic<int> computing_{0};
  std::vector<std::atomic<int>> computed_;
  std::vector<std::atomic<bool>> arrived_;
};

/// The communicating thread: sends what is computed, and unpacks what arrives, in any order of
/// transposes but in the order of chunks.
class Mover final : public InFlight {
public:
  Mover(const StepOfTransposes& step, Flags& flags)
      : step_(step),
        flags_(flags),
        sent_(step.pipeline.count(), 0),
        arrived_(step.pipeline.count(), 0) {}

  void run() {
    while (arrived_.back() < step_.pipeline.chunks()) step_.waiter.wait(*this);
    release_all(step_);
  }

  /// True if something was to be done.
  bool test() override {
    bool progressed = false;
    for (std::size_t number = sent_.size(); number-- > 0;) {
      Transpose& transpose = step_.pipeline.transpose(number);
      const int next = sent_[number];
      if (next < step_.pipeline.chunks() && flags_.is_computed(number, next)) {
        transpose.pack(next, 0, 1);
        step_.waiter.make_way();
        transpose.send(next);
        transpose.copy_own(next, 0, 1);
        ++sent_[number];
        progressed = true;
      }
      const int due = arrived_[number];
      if (due < sent_[number] && transpose.test(due)) {
        transpose.unpack(due, 0, 1);
        transpose.acknowledge(due);
        step_.pipeline.keep(number, due);
        flags_.set_arrived(number, due);
        ++arrived_[number];
        progressed = true;
      }
    }
    return progressed;
  }

private:
  const StepOfTransposes& step_;
  Flags& flags_;
  std::vector<int> sent_, arrived_;  ///< number of chunks of each transpose
};

/// A thread that computes: all stages of its share of every chunk.
void compute_all(const StepOfTransposes& step, Flags& flags, int part, int parts) {
  Patience patience(step.wait);
  in_turns(step.pipeline, [&](std::size_t stage, int chunk) {
    patience.begin_again();
    if (stage > 0 && !flags.has_arrived(stage - 1, chunk)) {
      const Waiting waiting(step, parts);
      while (!flags.has_arrived(stage - 1, chunk)) patience.wait_once();
    }
    compute(step, stage, chunk, part, parts);
    flags.add_computed(stage, chunk);
  });
}

}  // namespace

void run_transposes_blocking(const StepOfTransposes& step) {
  const TransposePipeline& pipeline = step.pipeline;
  with_team(step.threads, [&](const Member& me) {
    for (std::size_t stage = 0; stage <= pipeline.count(); ++stage) {
      compute(step, stage, Transpose::whole, me.id, me.size);
      if (stage == pipeline.count()) return;
      me.barrier();
      send(step, stage, Transpose::whole, me);
      receive(step, stage, Transpose::whole, me);
      if (me.leads()) release(step, stage, Transpose::whole);
    }
  });
}

void run_transposes_overlapped(const StepOfTransposes& step, bool polls) {
  with_team(step.threads, [&](const Member& me) { overlap(step, polls, me); });
}

void test_messages_of_step(const TransposePipeline& pipeline) {
  TestedMessages* tested = TestedMessages::of_thread;
  if (tested != nullptr && tested->belongs_to(pipeline)) tested->test_if_due();
}

void run_transposes_by_comm_thread(const StepOfTransposes& step) {
  Flags flags(step.pipeline);
  with_team(step.threads, [&](const Member& me) {
    if (me.size == 1) {  // OpenMP may grant fewer threads than requested
      overlap(step, true, me);
    } else if (me.leads()) {
      flags.set_computing(me.size - 1);
      Mover(step, flags).run();
    } else {
      compute_all(step, flags, me.id - 1, me.size - 1);
    }
  });
}

void run_transposes_beside_team(const StepOfTransposes& step, HelperThread& helper) {
  Flags flags(step.pipeline);
  const std::function<void()> move = [&] { Mover(step, flags).run(); };
  helper.start(move);
  with_team(step.threads, [&](const Member& me) {
    if (me.leads()) flags.set_computing(me.size);
    compute_all(step, flags, me.id, me.size);
  });
  helper.finish();
}

}  // namespace plait::solve
