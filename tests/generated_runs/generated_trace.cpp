// SPDX-License-Identifier: BSD-3-Clause
// Generates traces of many ranks: packed files, as plait run --trace writes.
#include "generated_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "trace/event_source.hpp"
#include "trace/pack.hpp"

namespace plait::generated {
namespace {

constexpr std::uint64_t kInit = 1'000'000;  // ticks of 1 ns, as all times here
constexpr std::uint64_t kCall = 300;
constexpr std::uint64_t kTransfer = 5000, kSlowTransfer = 40 * kTransfer;
constexpr std::uint32_t kBytes = 65'536;
constexpr std::uint64_t kStepsOfChunk = 1024;

enum Function : std::uint32_t { irecv, isend, waitall, allreduce, finalize };

/// When each step of each rank begins and how long it computes.
class Schedule {
public:
  Schedule(const RunShape& shape, std::uint64_t steps) : shape_(shape) {
    for (int rank = 0; rank < shape.ranks; ++rank) {
      mean_.push_back(compute_s(shape, rank) * 1e6);
      neighbours_.push_back(neighbours_of(shape, rank));
    }
    begins_.assign(steps + 1, kInit);
    for (std::uint64_t step = 0; step < steps; ++step) {
      std::uint64_t last = 0;
      for (int rank = 0; rank < shape.ranks; ++rank) last = std::max(last, received(rank, step));
      begins_[step + 1] = last + kTransfer;
    }
  }

  [[nodiscard]] std::uint64_t steps() const { return begins_.size() - 1; }
  [[nodiscard]] const std::vector<int>& neighbours(int rank) const {
    return neighbours_[static_cast<std::size_t>(rank)];
  }
  /// The end of the reduction before the step.
  [[nodiscard]] std::uint64_t begin(std::uint64_t step) const { return begins_[step]; }
  [[nodiscard]] std::uint64_t computed(int rank, std::uint64_t step) const {
    std::uint64_t x = shape_.seed + static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15U +
                      step * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 31U)) * 0x94d049bb133111ebU;
    const double noise = static_cast<double>(x >> 40U) * 0x1p-24 - 0.5;
    return begins_[step] +
           static_cast<std::uint64_t>(mean_[static_cast<std::size_t>(rank)] * (1 + 0.2 * noise));
  }
  /// After all receives and sends were started.
  [[nodiscard]] std::uint64_t started(int rank, std::uint64_t step) const {
    return computed(rank, step) + 2 * kCall * neighbours(rank).size();
  }
  /// The end of Waitall: all messages are there.
  [[nodiscard]] std::uint64_t received(int rank, std::uint64_t step) const {
    std::uint64_t last = started(rank, step) + kCall;
    for (const int from : neighbours(rank)) {
      last = std::max(last, started(from, step) + transfer(from, rank));
    }
    return last;
  }

private:
  [[nodiscard]] std::uint64_t transfer(int from, int to) const {
    const auto between = [&](const int(&ends)[2], int a, int b) {
      return ends[0] >= 0 && ((a == ends[0] && b == ends[1]) || (a == ends[1] && b == ends[0]));
    };
    const int node = shape_.ranks_per_node;
    const bool slow =
        between(shape_.slow_link, from, to) || between(shape_.slow_nodes, from / node, to / node);
    return slow ? kSlowTransfer : kTransfer;
  }

  const RunShape& shape_;
  std::vector<double> mean_;
  std::vector<std::vector<int>> neighbours_;
  std::vector<std::uint64_t> begins_;
};

class RankEvents final : public trace::EventSource {
public:
  RankEvents(const RunShape& shape, const Schedule& schedule, int rank)
      : schedule_(schedule), rank_(rank), partners_(schedule.neighbours(rank)) {
    const std::uint64_t end = schedule.begin(schedule.steps());
    definitions_.world_rank = rank;
    definitions_.world_size = shape.ranks;
    definitions_.pid = 1000 + rank;
    definitions_.host = host_of(shape, rank);
    definitions_.complete = true;
    definitions_.init_end_ticks = kInit;
    definitions_.clock.kind = PLAIT_CLOCK_MONOTONIC_NS;
    definitions_.clock.ticks_per_s = 1e9;
    definitions_.clock.last = {end, static_cast<std::int64_t>(end), static_cast<std::int64_t>(end)};
    definitions_.clock.at_init = {kInit, 0, 1e-7, 1, 0};
    definitions_.clock.at_finalize = {end, 0, 1e-7, 1, 0};
    definitions_.functions = {{"MPI_Irecv", false},
                              {"MPI_Isend", false},
                              {"MPI_Waitall", false},
                              {"MPI_Allreduce", true},
                              {"MPI_Finalize", false}};
    definitions_.sites.resize(1);
    for (std::uint64_t function = 0; function < definitions_.functions.size(); ++function) {
      definitions_.sites.push_back(
          {{{"/nowhere/app", 0x100 + 0x40 * function, 0}, {"/nowhere/app", 0x3000, 0}}});
    }
    definitions_.comms.resize(2);
    trace::Communicator& world = definitions_.comms[1];
    world.name = "MPI_COMM_WORLD";
    world.my_rank = rank;
    world.members.append(0, static_cast<std::size_t>(shape.ranks), 1);
    world.members_hash = 77;
    for (const int partner : partners_) add_shape(PLAIT_EVENT_IRECV, irecv, partner, 0);
    for (const int partner : partners_) add_shape(PLAIT_EVENT_ISEND, isend, partner, 0);
    add_shape(PLAIT_EVENT_COMPLETE, waitall, PLAIT_NO_PEER, PLAIT_ANY_TAG);
    add_shape(PLAIT_EVENT_COLLECTIVE, allreduce, PLAIT_NO_PEER, PLAIT_ANY_TAG);
    add_shape(PLAIT_EVENT_OTHER, finalize, PLAIT_NO_PEER, PLAIT_ANY_TAG);
  }

  [[nodiscard]] std::size_t chunk_count() const override {
    return static_cast<std::size_t>((schedule_.steps() + kStepsOfChunk - 1) / kStepsOfChunk);
  }
  [[nodiscard]] std::uint64_t chunk_events(std::size_t index) const override {
    const std::uint64_t first = index * kStepsOfChunk;
    const std::uint64_t steps = std::min(kStepsOfChunk, schedule_.steps() - first);
    return steps * (requests() + 2) + (index + 1 == chunk_count() ? 1 : 0);
  }
  trace::EventChunk chunk(std::size_t index) override {
    for (auto* column : {&shape_, &gap_, &duration_, &words_}) column->clear();
    const std::uint64_t first = index * kStepsOfChunk;
    const std::uint64_t behind = std::min(schedule_.steps(), first + kStepsOfChunk);
    const std::uint64_t begin = schedule_.begin(first);
    now_ = begin;
    for (std::uint64_t step = first; step < behind; ++step) add_step(step, step == first);
    if (behind == schedule_.steps()) add(requests() + 2, now_ + kCall, now_ + 2 * kCall);
    trace::EventChunk chunk;
    chunk.tid = 1000 + rank_;
    chunk.first_ticks = begin;
    chunk.first_request = 1 + first * requests();
    chunk.shape = shape_;
    chunk.gap = gap_;
    chunk.duration = duration_;
    chunk.words = words_;
    return chunk;
  }

private:
  [[nodiscard]] std::uint32_t requests() const {
    return 2 * static_cast<std::uint32_t>(partners_.size());
  }

  void add_shape(plait_shape_kind kind, Function function, int peer, int tag) {
    plait_shape shape{};
    shape.kind = kind;
    shape.function = function;
    shape.site = function + 1;
    shape.comm = peer >= 0 || function == allreduce ? 1 : 0;
    shape.peer = peer;
    shape.tag = tag;
    shape.extra = function == allreduce ? 8 : 0;
    shapes_.push_back(shape);
  }

  void add(std::uint32_t coded_shape, std::uint64_t begin, std::uint64_t end) {
    shape_.push_back(coded_shape);
    gap_.push_back(static_cast<std::uint32_t>(begin - now_));
    duration_.push_back(static_cast<std::uint32_t>(end - begin));
    now_ = end;
  }

  /// @param first  of its chunk: the bytes of each shape follow
  void add_step(std::uint64_t step, bool first) {
    std::uint64_t at = schedule_.computed(rank_, step);
    for (std::uint32_t request = 0; request < requests(); ++request, at += kCall) {
      add(request | (first ? PLAIT_SHAPE_BYTES : 0), at, at + kCall);
      if (first) words_.push_back(kBytes);
    }
    add(requests(), at, schedule_.received(rank_, step));
    words_.push_back(requests());
    for (std::uint32_t back = requests(); back > 0; --back) words_.push_back(back);
    add((requests() + 1) | (first ? PLAIT_SHAPE_BYTES : 0), now_, schedule_.begin(step + 1));
    if (first) words_.push_back(8);
  }

  const Schedule& schedule_;
  int rank_;
  const std::vector<int>& partners_;
  std::uint64_t now_ = 0;
  std::vector<std::uint32_t> shape_, gap_, duration_, words_;
};

}  // namespace

std::uint64_t write_trace(const RunShape& shape, std::uint64_t events,
                          const std::filesystem::path& run) {
  write_profile(shape, run);
  return write_events(shape, events, run);
}

std::uint64_t write_events(const RunShape& shape, std::uint64_t events,
                           const std::filesystem::path& run) {
  std::filesystem::create_directories(run / "trace");
  std::uint64_t of_step = 0;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    of_step += 2 * neighbours_of(shape, rank).size() + 2;
  }
  const Schedule schedule(shape, (events + of_step - 1) / of_step);
  for_each_index(static_cast<std::size_t>(shape.ranks), [&](std::size_t rank) {
    RankEvents source(shape, schedule, static_cast<int>(rank));
    trace::pack_events(source, run / "trace" / fmt::format("{}.ptrace", rank));
  });
  return schedule.steps() * of_step + static_cast<std::uint64_t>(shape.ranks);
}

}  // namespace plait::generated
