// SPDX-License-Identifier: BSD-3-Clause
// Tests of samples as events of exported traces: Perfetto and Chrome.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "example_traces.hpp"
#include "export/export.hpp"
#include "protobuf_message.hpp"
#include "samples/on_trace.hpp"
#include "temporary_folder.hpp"

namespace plait::exports {
namespace {

using nlohmann::json;
using samples::State;

/// Samples of the worked example: rank 0 on its main thread and on one without events, rank 1 while
/// it waits for a CPU.
samples::TracedSamples three_lanes() {
  samples::TracedSamples of;
  of.tree.rate_hz = 100;
  of.tree.threads = {
      {0, 0, "main", 2, 0, 0, 1}, {0, 1, "other", 1, 0, 0, 1}, {1, 0, "main", 1, 0, 0, 1}};
  of.tree.functions = {{"main", "main", "/src/app.cpp", 3, "/bin/app", "code"},
                       {"solve(Mesh&)", "solve", "/src/solve.cpp", 8, "/bin/app", "code"},
                       {"exp", "exp", "", 0, "/lib/libm.so.6", "system"}};
  of.tree.nodes = {{-1, 0, 5, false}, {0, 1, 12, false}, {1, 2, 0, false}};
  of.lanes = {{0, 0, 0, 70, {{100'000'000, 1, State::code, 1}, {900'000'000, 2, State::code, 3}}},
              {0, trace::kNone, 1, 71, {{-5, 0, State::code, 1}, {0, 0, State::code, 1}}},
              {1, 0, 2, 80, {{300'001'234, 1, State::waiting, 1}}}};
  return of;
}

/// What a viewer of Perfetto makes of a file: process, thread, time and stack of each sample.
struct Viewed {
  std::uint64_t process, thread, ns;
  std::vector<std::string> stack;  ///< outermost first: "solve(Mesh&) /src/solve.cpp:12 /bin/app"
};

class Viewer {
public:
  explicit Viewer(const std::string& bytes) {
    for (const Message& packet : Message(bytes).messages(1)) {
      for (const Message& data : packet.messages(12)) intern(data);
      for (const Message& track : packet.messages(60)) {
        for (const Message& thread : track.messages(4)) {
          threads[thread.number(2)] = {thread.number(1), thread.text(5)};
        }
      }
      for (const Message& sample : packet.messages(66)) {
        EXPECT_EQ(packet.number(13), 2u);  // needs the interned data
        samples.push_back(
            {sample.number(2), sample.number(3), packet.number(8), stacks.at(sample.number(4))});
      }
    }
  }

  std::vector<Viewed> samples;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> threads;

private:
  void intern(const Message& data) {
    std::map<std::uint64_t, std::string> functions, paths, modules, sources, frames;
    for (const Message& of : data.messages(5)) functions[of.number(1)] = of.text(2);
    for (const Message& of : data.messages(17)) paths[of.number(1)] = of.text(2);
    for (const Message& of : data.messages(18)) sources[of.number(1)] = of.text(2);
    std::set<std::uint64_t> starts;
    for (const Message& of : data.messages(19)) {
      modules[of.number(1)] = paths.at(of.number(7));
      EXPECT_LT(of.number(4), of.number(5));
      EXPECT_TRUE(starts.insert(of.number(4)).second);
    }
    std::set<std::uint64_t> addresses;
    for (const Message& of : data.messages(6)) {
      std::string text = functions.at(of.number(2)) + " ";
      if (of.numbers.contains(5)) {
        text += sources.at(of.number(5)) + ":" + std::to_string(of.number(6)) + " ";
      }
      frames[of.number(1)] = text + modules.at(of.number(3));
      EXPECT_TRUE(addresses.insert(of.number(4)).second);
    }
    for (const Message& of : data.messages(7)) {
      std::vector<std::string>& stack = stacks[of.number(1)];
      for (auto [at, end] = of.numbers.equal_range(2); at != end; ++at) {
        stack.push_back(frames.at(at->second));
      }
    }
  }

  std::map<std::uint64_t, std::vector<std::string>> stacks;
};

TEST(PerfettoExport, SamplesAreOfTheirThreadsWithTheirStacks) {
  const trace::Trace trace = worked_example();
  const samples::TracedSamples sampled = three_lanes();
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "trace.pftrace";
  write_perfetto({trace, {}, file, false, 0, names_of(trace), &sampled});
  const Viewer viewer(text_of(file));
  ASSERT_EQ(viewer.samples.size(), 4);
  const Viewed& first = viewer.samples[0];
  EXPECT_EQ(first.process, 1u);
  EXPECT_EQ(first.thread, 1u);  // the main thread has the number of its process
  EXPECT_EQ(first.ns, 100'000'000u);
  const std::vector<std::string> stack{"main /src/app.cpp:5 /bin/app",
                                       "solve(Mesh&) /src/solve.cpp:12 /bin/app"};
  EXPECT_EQ(first.stack, stack);
  EXPECT_EQ(viewer.samples[1].stack.back(), "exp /lib/libm.so.6");
  const Viewed& other = viewer.samples[2];
  EXPECT_EQ(other.process, 1u);
  EXPECT_EQ(other.thread, 3u);  // behind the processes
  EXPECT_EQ(other.ns, 0u);
  const Viewed& waiting = viewer.samples[3];
  EXPECT_EQ(waiting.process, 2u);
  EXPECT_EQ(waiting.thread, 2u);
  EXPECT_EQ(waiting.stack.back(), "(waiting for a CPU) system");
  ASSERT_EQ(waiting.stack.size(), 3);
  const std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> threads{
      {1, {1, "thread 70"}}, {2, {2, "thread 80"}}, {3, {1, "thread 71"}}};
  EXPECT_EQ(viewer.threads, threads);
}

TEST(PerfettoExport, HasTheSelectedSamples) {
  const trace::Trace trace = worked_example();
  const samples::TracedSamples sampled = three_lanes();
  const TemporaryFolder folder;
  Request request{trace, {}, folder.path() / "out", true, 0, names_of(trace), &sampled};
  request.selection.from_ns = 200'000'000;
  write_perfetto(request);
  EXPECT_EQ(Viewer(text_of(folder.path() / "out")).samples.size(), 2);
  request.selection.ranks = {false, true};
  write_perfetto(request);
  EXPECT_EQ(Viewer(text_of(folder.path() / "out")).samples.size(), 1);
  request.samples = nullptr;
  write_perfetto(request);
  const Viewer none(text_of(folder.path() / "out"));
  EXPECT_TRUE(none.samples.empty());
  EXPECT_TRUE(none.threads.empty());
}

TEST(ChromeExport, SamplesAreInstantsWithTheirStacks) {
  const trace::Trace trace = worked_example();
  const samples::TracedSamples sampled = three_lanes();
  const TemporaryFolder folder;
  write_chrome({trace, {}, folder.path() / "chrome.json", false, 0, names_of(trace), &sampled});
  const json out = json::parse(text_of(folder.path() / "chrome.json"));
  std::vector<json> instants;
  std::set<std::string> names;
  for (const json& event : out["traceEvents"]) {
    if (event["ph"] == "i") instants.push_back(event);
    if (event["name"] == "thread_name") names.insert(event["args"]["name"]);
  }
  ASSERT_EQ(instants.size(), 4);
  EXPECT_EQ(instants[1], json({{"ph", "i"},
                               {"s", "t"},
                               {"cat", "sample"},
                               {"pid", 0},
                               {"tid", 0},
                               {"ts", 900000.0},
                               {"name", "exp"},
                               {"args",
                                {{"stack", "exp < solve (solve.cpp:12) < main (app.cpp:5)"},
                                 {"state", "code"},
                                 {"samples", 3}}}}));
  EXPECT_EQ(instants[2]["tid"], 1);
  EXPECT_EQ(instants[2]["ts"], 0.0);
  EXPECT_EQ(instants[3]["args"]["state"], "waiting");
  EXPECT_EQ(instants[3]["ts"], 300001.234);
  EXPECT_TRUE(names.contains("thread 71"));
  Request request{trace, {}, folder.path() / "small.json", false, 100, names_of(trace), &sampled};
  request.selection.ranks = {true, false};
  EXPECT_ANY_THROW(write_chrome(request));
}

}  // namespace
}  // namespace plait::exports
