// SPDX-License-Identifier: BSD-3-Clause
// Tests that patterns and the message profile need the events of own ranks only, and are the same
// for any number of processes and threads.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "../job_of_threads.hpp"
#include "../random.hpp"
#include "analysis/patterns.hpp"
#include "programs.hpp"

namespace plait::analysis {
namespace {

using test::all_ranks;
using trace::kNone;
using trace::MadeTrace;

constexpr int kRanks = 12, kRanksPerNode = 4, kRounds = 60;
constexpr double kCall = 1e-6;

/// A node with 1 us and 10 GB/s, a network with 10 us and 5 GB/s.
machine::Measured measured_machine() {
  machine::Measured measured;
  for (const char* const id : {"socket", "network"}) {
    const bool network = std::string(id) == "network";
    machine::Path path;
    path.id = id;
    path.pairs = {{0, 1}};
    path.pairs_total = 1;
    for (std::uint64_t bytes = 0; bytes <= (1U << 22); bytes = bytes == 0 ? 1 : bytes * 2) {
      machine::CurvePoint point;
      point.bytes = bytes;
      point.half_round_trip_us.median =
          (network ? 10 : 1) + static_cast<double>(bytes) * (network ? 2e-4 : 1e-4);
      point.half_round_trip_us.n = 10;
      point.bandwidth_gbs = static_cast<double>(bytes) * 1e-3 / point.half_round_trip_us.median;
      path.mpi_pingpong.push_back(point);
    }
    measured.paths.push_back(path);
  }
  return measured;
}

/// A program with all patterns on several ranks each.
class Program {
public:
  explicit Program(std::uint64_t seed) : random_(seed) {
    without_wildcards_ = made_.comm({3, 4, 5, 6, 10, 11});
  }

  trace::Trace run() {
    for (int round = 0; round < kRounds; ++round) {
      collect(0, {1, 2});
      collect(7, {8, 9});
      burst(3, 4);
      burst(10, 11);
      drain(5, 6);
      drain(8, 1);
      align();
      made_.from("barrier");
      test::together(made_, {3, 4, 5, 6, 10, 11}, "MPI_Barrier", 0, length(), without_wildcards_);
      star(2);
      ring();
      pack();
      late(9, 3);
      late(6, 11);
      exchange(0, "direct");
      exchange(1e-3, "stalled");
      for (int shift = 1; shift < kRanks; ++shift) pairs(shift);
    }
    return made_.take();
  }

private:
  double length() { return random_.in(1, 100) * 1e-7; }

  void align() {
    double last = 0;
    for (const int rank : all_ranks(kRanks)) last = std::max(last, made_.now(rank));
    for (const int rank : all_ranks(kRanks)) made_.compute(rank, last - made_.now(rank));
  }

  void collect(int root, const std::vector<int>& workers) {
    for (int i = 0; i < 3; ++i) {
      for (const int rank : workers) {
        made_.from("worker");
        made_.compute(rank, length());
        made_.send(rank, root, 400 + static_cast<std::uint64_t>(rank), kCall);
        made_.from("master");
        made_.receive(root, rank, 400 + static_cast<std::uint64_t>(rank), length(), 0, true);
      }
    }
  }

  void burst(int from, int to) {
    std::vector<std::uint32_t> requests;
    made_.from("receives");
    for (int i = 0; i < 6; ++i) requests.push_back(made_.ireceive(to, from, 64, 0, i));
    made_.from("sends");
    made_.compute(from, 1e-4);
    for (int i = 0; i < 6; ++i) made_.send(from, to, 64, length(), i);
    made_.wait(to, requests, 1.5e-4);
  }

  void drain(int to, int from) {
    std::vector<std::uint32_t> requests;
    for (int i = 0; i < 4; ++i) {
      made_.from("post" + std::to_string(i));
      requests.push_back(made_.ireceive(to, from, 5000 + static_cast<std::uint64_t>(i), 0, i));
      made_.compute(from, length());
      made_.send(from, to, 5000 + static_cast<std::uint64_t>(i), kCall, i);
    }
    made_.from("loop");
    for (const std::uint32_t request : requests) {
      made_.wait(to, {request}, 1e-5 + length(), "MPI_Waitany");
      made_.compute(to, kCall);
    }
  }

  void star(int root) {
    made_.from("star");
    for (const int rank : all_ranks(kRanks)) {
      if (rank != root) made_.send(root, rank, 800, length());
    }
    for (const int rank : all_ranks(kRanks)) {
      made_.from("leaf");
      if (rank != root) made_.receive(rank, root, 800, length());
    }
    align();
  }

  void ring() {
    made_.from("ring");
    for (int i = 1; i < kRanks; ++i) {
      for (const int rank : all_ranks(kRanks)) {
        made_.send_receive(rank, (rank + 1) % kRanks, 2000, (rank + kRanks - 1) % kRanks, 2000,
                           length());
      }
    }
    made_.from("sum");
    test::together(made_, all_ranks(kRanks), "MPI_Allreduce", 8, kCall);
  }

  /// On two threads of ranks 1 and 9, so that a rank has several lanes with the pattern.
  void pack() {
    made_.from("pack");
    for (const int rank : {1, 9}) {
      for (const std::uint32_t thread : {1U, 0U}) {
        const double now = made_.now(rank);
        made_.on_thread(rank, thread);
        made_.compute(rank, std::max(0.0, now - made_.now(rank)));
        made_.other(rank, "MPI_Pack", length());
        made_.other(rank, "MPI_Unpack", length());
      }
    }
  }

  void late(int from, int to) {
    align();
    for (int i = 0; i < 2; ++i) {
      made_.from("late");
      made_.send(from, to, 1000, kCall);
      made_.compute(to, 2e-5);
      made_.receive(to, from, 1000, length());
    }
  }

  /// 1 MiB to both neighbours of a ring, with some computation until it is completed.
  void exchange(double behind, const std::string& site) {
    align();
    std::vector<std::vector<std::uint32_t>> requests(kRanks);
    for (const int rank : all_ranks(kRanks)) {
      made_.from("start " + site);
      for (const int side : {1, kRanks - 1}) {
        const int other = (rank + side) % kRanks;
        requests[static_cast<std::size_t>(rank)].push_back(
            made_.ireceive(rank, other, 1 << 20, kCall, side));
        requests[static_cast<std::size_t>(rank)].push_back(
            made_.isend(rank, other, 1 << 20, kCall, kRanks - side));
      }
      made_.compute(rank, behind);
    }
    made_.from("finish " + site);
    for (const int rank : all_ranks(kRanks)) {
      if (random_.in(0, 20) == 0) made_.wait_for_cpu(rank, 0, 1e-5);
      made_.wait(rank, requests[static_cast<std::size_t>(rank)], 1e-3 + length());
    }
  }

  /// Messages between all pairs, of which one is slow.
  void pairs(int shift) {
    align();
    for (const int rank : all_ranks(kRanks)) {
      made_.from("to");
      made_.send(rank, (rank + shift) % kRanks, 60'000, kCall, 1000);
    }
    for (const int rank : all_ranks(kRanks)) {
      const int from = (rank + kRanks - shift) % kRanks;
      const bool slow = std::min(rank, from) == 4 && std::max(rank, from) == 11;
      made_.from("from");
      made_.receive(rank, from, 60'000, slow ? 3e-3 : 1e-5 + length(), 1000);
    }
  }

  plait::test::Random random_;
  MadeTrace made_{kRanks, kRanksPerNode};
  std::uint32_t without_wildcards_ = 0;
};

std::string text_of(const std::vector<PatternFinding>& findings, const MessageProfile& profile) {
  std::string text;
  for (const PatternFinding& of : findings) {
    text += fmt::format("{} {} {} {} {} {} {}\n", of.id, of.what, of.evidence, of.cost_s, of.remedy,
                        of.ranks, of.sites);
  }
  text += fmt::format("{} {}\n", profile.messages, profile.bytes);
  for (const MessageClass& of : profile.classes) {
    text += fmt::format("{} {} {} {} {} {} {} {}\n", of.from_bytes, of.to_bytes, of.count, of.bytes,
                        of.seconds, of.between_nodes, of.rate, of.path_rate);
  }
  for (const PairTraffic& of : profile.pairs) {
    text += fmt::format("{} {} {} {} {}\n", of.from, of.to, of.count, of.bytes, of.seconds);
  }
  for (const SlowTransfer& of : profile.slow) {
    text += fmt::format("{} {} {} {} {} {} {}\n", of.from, of.to, of.bytes, of.count, of.rate,
                        of.path_rate, of.site);
  }
  return text;
}

/// Frees the memory of a list, so that any access to it fails.
template <class Value>
void drop(std::vector<Value>& values) {
  std::vector<Value>().swap(values);
}

/// The data of one process: without the events of other ranks.
struct OfProcess {
  trace::Trace trace;
  Lanes lanes;
  Waits waits;

  OfProcess(const test::Prepared& whole, const std::vector<IndexRange>& shares, int process)
      : trace(whole.trace), waits(whole.waits) {
    trace.shares = shares;
    trace.process = static_cast<std::size_t>(process);
    lanes = make_lanes(trace);
    const auto owns = [&](std::uint32_t rank) {
      return rank >= trace.own_ranks().first && rank < trace.own_ranks().last;
    };
    for (trace::Message& message : trace.messages) {
      if (!owns(message.sender) && !owns(message.receiver)) message = {kNone, kNone, kNone, kNone};
    }
    if (shares[trace.process].first == shares[trace.process].last) drop(trace.messages);
    for (std::size_t lane = 0; lane < lanes.all.size(); ++lane) {
      if (owns(lanes.all[lane].rank)) continue;
      drop(lanes.all[lane].calls);
      drop(lanes.all[lane].segments);
      drop(lanes.all[lane].calls_of_events);
      drop(waits.of[lane]);
      drop(waits.sums[lane]);
    }
    for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
      if (owns(rank)) continue;
      trace::Rank& of = trace.ranks[rank];
      drop(of.operations);
      drop(of.ended);
      drop(of.epochs);
      for (trace::Stream& stream : of.streams) {
        drop(stream.events);
        drop(stream.cpu_waits);
      }
    }
  }
};

TEST(SharedPatterns, NeedOnlyTheEventsOfOwnRanks) {
  const machine::Measured measured = measured_machine();
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const test::Prepared whole(Program(seed).run());
    const std::vector<RootCause> causes =
        find_causes(whole.trace, whole.lanes, whole.waits,
                    find_intervals(whole.trace, whole.lanes, whole.waits));
    const auto find = [&](const auto& of, bool has_causes, unsigned threads, Processes* processes) {
      const MessageProfile profile =
          profile_messages(of.trace, of.waits, &measured, threads, processes);
      const std::vector<PatternFinding> findings = find_patterns(
          of.trace, of.lanes, of.waits, has_causes ? causes : std::vector<RootCause>(), &measured,
          {}, threads, processes);
      if (!has_causes) return std::string();
      std::set<std::string> ids;
      for (const PatternFinding& finding : findings) ids.insert(finding.id);
      EXPECT_EQ(ids, (std::set<std::string>{"any_source", "handmade_collective", "idle_barrier",
                                            "late_receive", "no_overlap", "packing", "slow_link",
                                            "small_messages", "waitany_loop"}));
      EXPECT_FALSE(profile.slow.empty());
      return text_of(findings, profile);
    };
    const std::string alone = find(whole, true, 1, nullptr);
    EXPECT_EQ(alone, find(whole, true, 5, nullptr)) << "threads, seed " << seed;
    const std::vector<std::vector<IndexRange>> divisions{
        {{0, 6}, {6, 12}},
        {{0, 5}, {5, 6}, {6, 12}},
        {{0, 0}, {0, 3}, {3, 10}, {10, 12}, {12, 12}}};
    for (const std::vector<IndexRange>& shares : divisions) {
      std::string shared;
      plait::test::JobOfThreads(static_cast<int>(shares.size())).run([&](Processes& processes) {
        const OfProcess of(whole, shares, processes.rank());
        const std::string text = find(of, processes.rank() == 0, 2, &processes);
        if (processes.rank() == 0) shared = text;
      });
      EXPECT_EQ(alone, shared) << shares.size() << " processes, seed " << seed;
    }
  }
}

}  // namespace
}  // namespace plait::analysis
