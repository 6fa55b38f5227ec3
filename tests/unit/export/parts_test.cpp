// SPDX-License-Identifier: BSD-3-Clause
// Tests of exports by several processes, each with a part of the trace: the same bytes as by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../job_of_threads.hpp"
#include "../random.hpp"
#include "../trace_part.hpp"
#include "example_traces.hpp"
#include "export/export.hpp"
#include "export/in_turn.hpp"
#include "export/message_order.hpp"
#include "export/outcome.hpp"
#include "plait/error.hpp"
#include "temporary_folder.hpp"

namespace plait::exports {
namespace {

constexpr int kRanks = 200;  // more than three times as many as processes have together

/// Messages of neighbours, of random pairs and of ranks with themselves, on several threads, some
/// synchronous, cancelled or without a partner; collectives of all ranks, and of some in a random
/// order.
trace::Trace random_trace(std::uint64_t seed) {
  test::Random random(seed);
  trace::MadeTrace made(kRanks, 16);
  std::vector<int> some;
  for (int rank = 0; rank < kRanks; rank += 1 + random.in(0, 4)) some.push_back(rank);
  for (std::size_t i = some.size() - 1; i > 0; --i) {
    std::swap(some[i], some[static_cast<std::size_t>(random.in(0, static_cast<int>(i)))]);
  }
  const std::uint32_t mixed = made.comm(some);
  const auto length = [&] { return random.in(1, 1000) * 1e-6; };
  for (int step = 0; step < 8; ++step) {
    made.from("halo");
    for (int rank = 0; rank < kRanks; ++rank) {
      const int next = (rank + 1) % kRanks, last = (rank + kRanks - 1) % kRanks;
      if (random.in(0, 30) == 0) made.wait_for_cpu(rank, 1e-5, 1e-4);
      const std::uint32_t in = made.ireceive(rank, last, 100'000, length());
      const std::uint32_t out = made.isend(rank, next, 4096, length());
      made.compute(rank, length());
      made.wait(rank, {in, out}, length());
    }
    made.from("pairs");
    for (int i = 0; i < 30; ++i) {
      const int from = random.in(0, kRanks - 1), to = random.in(0, kRanks - 1);
      const int tag = random.in(0, 3);
      made.on_thread(from, random.in(0, 5) == 0 ? 1 : 0);
      made.on_thread(to, random.in(0, 5) == 0 ? 2 : 0);
      const std::uint32_t in = made.ireceive(to, from, 100'000, length(), tag, random.coin());
      made.send(from, to, 100, length(), tag, random.coin() ? "MPI_Send" : "MPI_Ssend");
      made.wait(to, {in}, length());
      made.on_thread(from, 0);
      made.on_thread(to, 0);
    }
    const double begin = made.now(step);
    const int root = random.in(0, static_cast<int>(some.size()) - 1);
    for (const int rank : some) made.collective(rank, "MPI_Bcast", 8, length(), root, mixed);
    made.region(step, "step", std::min(begin, made.now(step)));
    for (int rank = 0; rank < kRanks; ++rank) made.collective(rank, "MPI_Allreduce", 8, length());
  }
  made.send(3, 150, 8, 1e-6, 7777);  // without a receive
  trace::Trace trace = made.take();
  for (const std::size_t rank : {0, 64, 65, 130}) {
    std::vector<trace::Operation>& operations = trace.ranks[rank].operations;
    for (int i = 0; i < 20; ++i) {
      trace::Operation& of = operations[static_cast<std::size_t>(
          random.in(0, static_cast<int>(operations.size()) - 1))];
      of.cancelled = of.kind != trace::OperationKind::collective;
    }
  }
  trace::match(trace);
  return trace;
}

samples::TracedSamples some_samples() {
  samples::TracedSamples of;
  of.tree.rate_hz = 100;
  of.tree.threads = {
      {0, 0, "main", 2, 0, 0, 1}, {70, 1, "other", 1, 0, 0, 1}, {199, 0, "main", 1, 0, 0, 1}};
  of.tree.functions = {{"main", "main", "/src/app.cpp", 3, "/bin/app", "code"},
                       {"exp", "exp", "", 0, "/lib/libm.so.6", "system"}};
  of.tree.nodes = {{-1, 0, 5, false}, {0, 1, 12, false}};
  using samples::State;
  of.lanes = {{0, 0, 0, 70, {{1'000'000, 1, State::code, 1}, {2'000'000, 0, State::code, 3}}},
              {70, trace::kNone, 1, 71, {{5, 0, State::code, 1}}},
              {199, 0, 2, 80, {{3'000'000, 1, State::waiting, 1}}}};
  return of;
}

/// The samples as processes other than the first one have them.
samples::TracedSamples lanes_only(samples::TracedSamples samples) {
  samples.tree = {};
  for (samples::SampledLane& lane : samples.lanes) lane.samples.clear();
  return samples;
}

std::map<std::string, std::string> contents(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {{"", text_of(path)}};
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    files[entry.path().filename().string()] = text_of(entry.path());
  }
  return files;
}

void expect_equal(const Counts& a, const Counts& b) {
  EXPECT_EQ(a.ranks, b.ranks);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.collectives, b.collectives);
}

std::vector<Selection> selections(const trace::Trace& trace) {
  Selection all, ranks, time;
  ranks.ranks = parse_ranks("3-5,60-70,128-199", kRanks);
  time.ranks = parse_ranks("10-180", kRanks);
  time.from_ns = trace.ranks[0].end / 3;
  time.until_ns = trace.ranks[0].end / 2;
  return {all, ranks, time};
}

TEST(ExportOfParts, WritesTheSameBytesAsOneProcess) {
  const samples::TracedSamples samples = some_samples(), lanes = lanes_only(samples);
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const trace::Trace trace = random_trace(seed);
    for (const Selection& selection : selections(trace)) {
      for (const Format& format : formats()) {
        if (!format.takes_parts || (!format.takes_selection && !selection.everything())) continue;
        const TemporaryFolder folder;
        const std::filesystem::path output = folder.path() / "output";
        Request request{trace, selection, output, true, 0, names_of(trace)};
        request.samples = &samples;
        const Result alone = format.write(request);
        const auto expected = contents(output);
        for (const int size : {2, 3, 5}) {
          std::filesystem::remove_all(output);
          test::JobOfThreads(size).run([&](Processes& processes) {
            const trace::Trace part = trace::part_of(trace, processes);
            const bool is_first = processes.rank() == 0;
            Request own{part, selection, is_first ? output : "/nowhere/at/all", false, 0, {}};
            if (is_first) own.names = request.names;
            own.samples = is_first ? &samples : &lanes;
            own.processes = &processes;
            const Result result = format.write(own);
            if (!is_first) return;
            EXPECT_EQ(result.bytes, alone.bytes);
            EXPECT_EQ(result.notes, alone.notes);
          });
          EXPECT_TRUE(contents(output) == expected) << format.name << ' ' << seed << ' ' << size;
        }
      }
    }
  }
}

TEST(ExportOfParts, CountsWhatAllProcessesHave) {
  const trace::Trace trace = random_trace(7);
  Selection late;
  late.from_ns = trace.ranks[0].end * 1000;
  for (const int size : {2, 4}) {
    test::JobOfThreads(size).run([&](Processes& processes) {
      const trace::Trace part = trace::part_of(trace, processes);
      for (const Selection& selection : selections(trace)) {
        expect_equal(counts_of(part, selection, &processes), counts_of(trace, selection));
      }
      const Counts none = counts_of(part, late, &processes);
      std::string one, of_parts;
      try {
        require_something(trace, late, none);
      } catch (const Error& error) {
        one = error.what();
      }
      try {
        require_something(part, late, none, &processes);
      } catch (const Error& error) {
        of_parts = error.what();
      }
      EXPECT_FALSE(one.empty());
      EXPECT_EQ(of_parts, one);
    });
  }
}

TEST(ExportOfParts, CountsEverythingAsASelectionOfEverything) {
  const trace::Trace trace = random_trace(8);
  Selection all;
  all.ranks.assign(kRanks, true);
  expect_equal(counts_of(trace, {}), counts_of(trace, all));
}

TEST(ExportOfParts, NumbersMessagesAsTheWholeTraceDoes) {
  const trace::Trace trace = random_trace(9);
  test::JobOfThreads(3).run([&](Processes& processes) {
    const trace::Trace part = trace::part_of(trace, processes);
    const MessageOrder order(part, &processes);
    for (std::size_t i = 0; i < part.messages.size(); ++i) {
      const trace::Message &one = part.messages[i], &same = trace.messages[order.number(i)];
      EXPECT_EQ(one.sender, same.sender);
      EXPECT_EQ(one.send, same.send);
      EXPECT_EQ(one.receive, same.receive);
    }
    for (std::size_t i = 1; i < order.size(); ++i) {
      EXPECT_EQ(order.number(order[i]), order.number(order[i - 1]) + 1);
    }
  });
}

TEST(InTurn, PutsWhatProcessesWriteInTheirOrder) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  // Much of one process, and nothing of another.
  const auto text_of_process = [](int rank) {
    std::string text;
    const int lines = rank == 1 ? 20'000 : rank == 2 ? 0 : 10;
    for (int i = 0; i < lines; ++i) text += fmt::format("{} {:>999}\n", rank, i);
    return text;
  };
  std::string expected;
  for (int rank = 0; rank < 4; ++rank) expected += text_of_process(rank);
  test::JobOfThreads(4).run([&](Processes& processes) {
    OutputFile file(path, false, &processes);
    put_in_turn(file, &processes, [&](Sink& out) {
      const std::string text = text_of_process(processes.rank());
      for (std::size_t at = 0; at < text.size(); at += 1000) out.put(text.substr(at, 1000));
    });
    const std::uint64_t bytes = file.close();
    EXPECT_EQ(bytes, processes.rank() == 0 ? expected.size() : 0);
  });
  EXPECT_TRUE(text_of(path) == expected);
}

TEST(InTurn, PutsCommasBetweenTheItemsOfAllProcesses) {
  const TemporaryFolder folder;
  for (const int first : {0, 1, 2, 4}) {  // the first process with items
    test::JobOfThreads(4).run([&](Processes& processes) {
      OutputFile file(folder.path() / "list", true, &processes);
      const std::size_t count = processes.rank() < first ? 0 : 3;
      put_list_in_turn(file, &processes, count, 2,
                       [&](Sink& out, std::size_t i) { out.print(",{}.{}", processes.rank(), i); });
      file.close();
    });
    std::string expected;
    for (int rank = first; rank < 4; ++rank) {
      expected += fmt::format("{}{}.0,{}.1,{}.2", rank == first ? "" : ",", rank, rank, rank);
    }
    EXPECT_EQ(text_of(folder.path() / "list"), expected);
  }
}

}  // namespace
}  // namespace plait::exports
