// SPDX-License-Identifier: BSD-3-Clause
// Tests of JSON, Chrome's format, and common parts: selection, nesting, limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "../report/schema_check.hpp"
#include "base/failure.hpp"
#include "base/json.hpp"
#include "example_traces.hpp"
#include "export/collective_messages.hpp"
#include "export/export.hpp"
#include "export/nesting.hpp"
#include "export/outcome.hpp"
#include "plait/error.hpp"
#include "temporary_folder.hpp"

namespace plait::exports {
namespace {

using nlohmann::json;

json read(const std::filesystem::path& file) {
  return json::parse(text_of(file));
}

TEST(JsonExport, ContainsEveryEventMessageAndCollectiveAndObeysItsSchema) {
  const trace::Trace trace = all_kinds();
  const TemporaryFolder folder;
  write_json({trace, {}, folder.path() / "trace.json", false, 0, names_of(trace)});
  const json out = read(folder.path() / "trace.json");
  const json schema = read(std::filesystem::path(PLAIT_SCHEMAS) / "trace-1.schema.json");
  EXPECT_EQ(report::schema_violations(schema, out), std::vector<std::string>{});
  std::size_t events = 0;
  for (const json& rank : out["ranks"]) {
    for (const json& stream : rank["streams"]) events += stream["events"].size();
  }
  EXPECT_EQ(events, trace::event_count(trace));
  EXPECT_EQ(out["messages"].size(), trace.messages.size());
  EXPECT_EQ(out["collectives"].size(), trace.collectives.size());
  EXPECT_EQ(out["functions"], json(trace.functions));
  const trace::Event& first = trace.ranks[2].streams[0].events[0];
  EXPECT_EQ(out["ranks"][2]["streams"][0]["events"][0],
            json({first.begin, first.end, first.shape, first.bytes}));
}

TEST(JsonExport, ContainsTheSelectedPart) {
  const trace::Trace trace = all_kinds();
  const TemporaryFolder folder;
  Request request{trace, {}, folder.path() / "trace.json", false, 0, names_of(trace)};
  request.selection.ranks = parse_ranks("1-2", 4);
  request.selection.until_ns = trace.ranks[1].streams[0].events[3].begin;
  write_json(request);
  const json out = read(folder.path() / "trace.json");
  ASSERT_EQ(out["ranks"].size(), 2U);
  EXPECT_EQ(out["ranks"][0]["rank"], 1);
  EXPECT_EQ(out["ranks"][0]["streams"][0]["events"].size(), 4U);
  EXPECT_TRUE(out["messages"].empty());
  const Counts counts = counts_of(trace, request.selection);
  std::size_t events = 0;
  for (const json& rank : out["ranks"]) events += rank["streams"][0]["events"].size();
  EXPECT_EQ(counts.ranks, 2U);
  EXPECT_EQ(counts.events, events);
  EXPECT_EQ(counts.messages, 0U);
  EXPECT_EQ(counts.collectives, out["collectives"].size());
}

TEST(ChromeExport, HasASliceForEachEventAndBothEndsOfEachArrow) {
  const trace::Trace trace = all_kinds();
  const TemporaryFolder folder;
  write_chrome({trace, {}, folder.path() / "chrome.json", false, 0, names_of(trace)});
  std::map<std::string, std::size_t> phases;
  double duration_us = 0;
  const json out = read(folder.path() / "chrome.json");
  for (const json& event : out["traceEvents"]) {
    ++phases[event["ph"]];
    duration_us += event.value("dur", 0.0);
  }
  EXPECT_EQ(phases["X"], trace::event_count(trace));
  EXPECT_EQ(phases["s"], trace.messages.size());
  EXPECT_EQ(phases["f"], trace.messages.size());
  double expected_us = 0;
  for (const trace::Rank& rank : trace.ranks) {
    for (const trace::Event& event : rank.streams[0].events) {
      expected_us += static_cast<double>(event.end - event.begin) * 1e-3;
    }
  }
  EXPECT_NEAR(duration_us, expected_us, 1e-3);
}

TEST(Exports, HaveTheNamesOfReports) {
  const trace::Trace trace = called_from_wrappers();
  const TemporaryFolder folder;
  const trace::PlaceNames names = names_of(trace);
  write_json({trace, {}, folder.path() / "trace.json", false, 0, names});
  const json path = read(folder.path() / "trace.json")["call_paths"][1];
  EXPECT_EQ(path["name"], "Solver.run.step > reduce (heat.py:7)");
  EXPECT_EQ(path["frames"][1], json({{"function", "Solver.run.<locals>.step"},
                                     {"name", "Solver.run.step"},
                                     {"file", "/a/heat.py"},
                                     {"line", 30},
                                     {"module", ""},
                                     {"offset", ""}}));
  write_chrome({trace, {}, folder.path() / "chrome.json", false, 0, names});
  const json chrome = read(folder.path() / "chrome.json");
  const auto slice = std::ranges::find(
      chrome["traceEvents"], "X", [](const json& event) { return event["ph"].get<std::string>(); });
  ASSERT_NE(slice, chrome["traceEvents"].end());
  EXPECT_EQ((*slice)["args"]["site"], "Solver.run.step > reduce (heat.py:7)");
  EXPECT_EQ((*slice)["args"]["call_path"], "reduce (heat.py:7) < Solver.run.step (heat.py:30)");
}

TEST(ChromeExport, ATooLargeFileIsRefusedAndDeleted) {
  const trace::Trace trace = all_kinds();
  const TemporaryFolder folder;
  Request request{trace, {}, folder.path() / "chrome.json", false, 0, names_of(trace)};
  request.limit_bytes = 1000;
  EXPECT_THROW(write_chrome(request), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Nesting, RegionsBeginBeforeWhatTheyContainAndEndAfterIt) {
  const trace::Trace trace = all_kinds();
  const trace::Stream& stream = trace.ranks[0].streams[0];
  std::vector<std::uint32_t> open;
  std::int64_t now = 0;
  std::size_t events = 0, deepest = 0;
  walk_nested(
      stream, {},
      [&](std::uint32_t index) {
        EXPECT_GE(stream.events[index].begin, now);
        now = stream.events[index].begin;
        open.push_back(index);
        deepest = std::max(deepest, open.size());
        ++events;
      },
      [&](std::uint32_t index, std::int64_t end_ns) {
        ASSERT_FALSE(open.empty());
        EXPECT_EQ(open.back(), index);
        EXPECT_EQ(end_ns, stream.events[index].end);
        EXPECT_GE(end_ns, now);
        now = end_ns;
        open.pop_back();
      });
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(events, stream.events.size());
  EXPECT_EQ(deepest, 2U);
}

TEST(Outcome, NotesAreCompleteAndFitTheTerminal) {
  const trace::Trace trace = worked_example();
  std::string note;
  for (int count = 100; count < 150; ++count) note += std::to_string(count) + " lines of a note, ";
  note += "end";
  testing::internal::CaptureStdout();
  print_outcome("Exported", counts_of(trace, {}), trace.problems, "file", 0, {note, "short"}, "");
  std::istringstream out(testing::internal::GetCapturedStdout());
  std::string notes;
  for (std::string line; std::getline(out, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    const bool begins = line.starts_with("Note: ");
    if (begins || line.starts_with("      ")) notes += (begins ? "|" : " ") + line.substr(6);
  }
  EXPECT_EQ(notes, "|" + note + "|short");
}

TEST(Outcome, AnEmptySelectionIsRefusedWithTheSpanOfTheTrace) {
  const trace::Trace trace = worked_example();
  Selection late;
  late.from_ns = 5'000'000'000;
  try {
    require_something(trace, late, counts_of(trace, late));
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(exit_code_of(error), 2);
    EXPECT_NE(std::string(error.what()).find("0 to 2.00 s and has 2 ranks"), std::string::npos)
        << error.what();
  }
  require_something(trace, {}, counts_of(trace, {}));
}

TEST(Ranks, AreListsAndRanges) {
  EXPECT_EQ(parse_ranks("0,2-3", 4), (std::vector<bool>{true, false, true, true}));
  for (const char* wrong : {"", "1-", "x", "4", "3-2", "1,,2"}) {
    EXPECT_THROW(parse_ranks(wrong, 4), Error) << wrong;
  }
}

/// Every message of a collective is sent by one member and received by the other.
TEST(CollectiveMessages, AgreeOnBothSides) {
  using replay::Pattern;
  for (const Pattern pattern :
       {Pattern::barrier, Pattern::broadcast, Pattern::reduce, Pattern::alltoall, Pattern::scan,
        Pattern::gather, Pattern::reduce_scatter}) {
    for (const bool at_once : {false, true}) {
      std::map<std::pair<std::uint32_t, std::uint32_t>, int> balance;
      for (std::uint32_t index = 0; index < 5; ++index) {
        for (const Phase& phase : collective_phases(pattern, 5, index, 3, at_once)) {
          for (const std::uint32_t to : phase.send_to) ++balance[{index, to}];
          for (const std::uint32_t from : phase.receive_from) --balance[{from, index}];
        }
      }
      EXPECT_FALSE(balance.empty());
      for (const auto& [pair, left] : balance) EXPECT_EQ(left, 0);
    }
  }
  EXPECT_TRUE(collective_phases(Pattern::barrier, 1, 0, 0, false).empty());
}

}  // namespace
}  // namespace plait::exports
