// SPDX-License-Identifier: BSD-3-Clause
// Tests that otf2-print reads exported OTF2 archives and that import restores the trace.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/failure.hpp"
#include "base/subprocess.hpp"
#include "example_traces.hpp"
#include "export/event_text.hpp"
#include "export/otf2/imported.hpp"
#include "export/otf2/write_otf2.hpp"
#include "plait/error.hpp"
#include "replay/replay.hpp"
#include "temporary_folder.hpp"

namespace plait::otf2 {
namespace {

using exports::TemporaryFolder;
using trace::OperationKind;

class Otf2 : public ::testing::TestWithParam<trace::Trace (*)()> {
protected:
  Otf2() : trace_(GetParam()()), names_(exports::names_of(trace_)) {
    write_otf2(trace_, names_, folder_.path() / "otf2");
  }

  trace::Trace again() {
    import_otf2(folder_.path() / "otf2" / "traces.otf2", folder_.path() / "run");
    return trace::read_trace(folder_.path() / "run");
  }

  trace::Trace trace_;
  trace::PlaceNames names_;
  TemporaryFolder folder_;
};

TEST_P(Otf2, PrintFindsAllEventsOfTheTrace) {
  const CommandResult printed = run_command(
      {PLAIT_OTF2_PRINT, (folder_.path() / "otf2/traces.otf2").string()}, std::chrono::seconds(30));
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  std::map<std::string, std::size_t> seen;
  std::istringstream lines(printed.out);
  for (std::string line; std::getline(lines, line);) ++seen[line.substr(0, line.find(' '))];
  std::map<std::pair<OperationKind, bool>, std::size_t> operations;  // and: is it blocking?
  for (const trace::Rank& rank : trace_.ranks) {
    for (const trace::Operation& operation : rank.operations) {
      ++operations[{operation.kind, operation.ended == operation.started}];
    }
  }
  EXPECT_EQ(seen["ENTER"], trace::event_count(trace_));
  EXPECT_EQ(seen["LEAVE"], trace::event_count(trace_));
  EXPECT_EQ(seen["MPI_SEND"], (operations[{OperationKind::send, true}]));
  EXPECT_EQ(seen["MPI_RECV"], (operations[{OperationKind::receive, true}]));
  EXPECT_EQ(seen["MPI_ISEND"], (operations[{OperationKind::send, false}]));
  EXPECT_EQ(seen["MPI_ISEND_COMPLETE"], seen["MPI_ISEND"]);
  EXPECT_EQ(seen["MPI_IRECV_REQUEST"], (operations[{OperationKind::receive, false}]));
  EXPECT_EQ(seen["MPI_IRECV"], seen["MPI_IRECV_REQUEST"]);
  EXPECT_EQ(seen["MPI_COLLECTIVE_BEGIN"], (operations[{OperationKind::collective, true}]));
  EXPECT_EQ(seen["MPI_COLLECTIVE_END"], seen["MPI_COLLECTIVE_BEGIN"]);
}

TEST_P(Otf2, ImportGivesTheSameEventsAndMessages) {
  const trace::Trace read = again();
  ASSERT_EQ(read.ranks.size(), trace_.ranks.size());
  EXPECT_EQ(read.nodes, trace_.nodes);
  const trace::PlaceNames read_names = exports::names_of(read);
  const std::int64_t shift = trace_.ranks[0].begin - read.ranks[0].begin;
  for (std::size_t rank = 0; rank < read.ranks.size(); ++rank) {
    const auto& before = trace_.ranks[rank].streams[0].events;
    const auto& after = read.ranks[rank].streams[0].events;
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      EXPECT_EQ(after[i].begin + shift, before[i].begin);
      EXPECT_EQ(after[i].end + shift, before[i].end);
      EXPECT_EQ(exports::event_name(read, read_names, read.shape(after[i])),
                exports::event_name(trace_, names_, trace_.shape(before[i])));
      EXPECT_EQ(read.shape(after[i]).kind, trace_.shape(before[i]).kind);
      EXPECT_EQ(after[i].operations, before[i].operations);
      EXPECT_EQ(after[i].ended_count, before[i].ended_count);
    }
  }
  ASSERT_EQ(read.messages.size(), trace_.messages.size());
  EXPECT_EQ(read.unmatched_sends + read.unmatched_receives, 0U);
  const auto table = [](const trace::Trace& of) {
    std::vector<std::vector<std::uint64_t>> rows;
    for (const trace::Message& message : of.messages) {
      const trace::Operation& send = of.ranks[message.sender].operations[message.send];
      rows.push_back({message.sender, message.send, message.receiver, message.receive, send.bytes,
                      static_cast<std::uint64_t>(send.tag)});
    }
    std::ranges::sort(rows);
    return rows;
  };
  EXPECT_EQ(table(read), table(trace_));
  EXPECT_EQ(read.collectives.size(), trace_.collectives.size());
}

TEST_P(Otf2, AnImportedTraceReplaysInTheSameTime) {
  const trace::Trace read = again();
  const auto seconds = [](const trace::Trace& of) {
    const auto program = replay::program_of(of);
    return replay::replay(*program, replay::ideal_network()).time_s;
  };
  EXPECT_NEAR(seconds(read), seconds(trace_), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Of, Otf2,
                         ::testing::Values(exports::worked_example, exports::chain,
                                           exports::all_kinds));

TEST(Otf2Export, HasTheSitesOfCalls) {
  const TemporaryFolder folder;
  const trace::Trace trace = exports::called_from_wrappers();
  write_otf2(trace, exports::names_of(trace), folder.path() / "otf2");
  const CommandResult printed = run_command(
      {PLAIT_OTF2_PRINT, (folder.path() / "otf2/traces.otf2").string()}, std::chrono::seconds(30));
  for (const char* site : {"Solver.run.step > reduce (heat.py:7)", "finish > reduce (heat.py:7)"}) {
    std::size_t calls = 0;
    for (std::size_t at = 0; (at = printed.out.find(site, at)) != std::string::npos; ++at) ++calls;
    EXPECT_EQ(calls, 2U) << printed.out;
  }
}

TEST(Otf2Import, AForeignFileIsRefusedInOneLine) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "traces.otf2") << "no archive";
  EXPECT_THROW(import_otf2(folder.path() / "traces.otf2", folder.path() / "run"), Error);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run"));
}

TEST(Otf2Import, TheReadablePartOfADamagedArchiveIsImported) {
  const TemporaryFolder folder;
  const trace::Trace trace = exports::all_kinds();
  write_otf2(trace, exports::names_of(trace), folder.path() / "otf2");
  const auto events = folder.path() / "otf2/traces/0.evt";
  std::filesystem::resize_file(events, std::filesystem::file_size(events) / 2);
  try {
    const auto notes = import_otf2(folder.path() / "otf2/traces.otf2", folder.path() / "run");
    EXPECT_GT(notes.size(), 1U);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("traces.otf2"), std::string::npos);
  }
}

TEST(Otf2Import, AMissingOrCutOffFileIsNamedWithARemedy) {
  const trace::Trace trace = exports::all_kinds();
  const auto refusal = [&](const auto& damage) {
    const TemporaryFolder folder;
    write_otf2(trace, exports::names_of(trace), folder.path() / "otf2");
    damage(folder.path() / "otf2");
    try {
      import_otf2(folder.path() / "otf2/traces.otf2", folder.path() / "run");
    } catch (const Error& error) {
      EXPECT_EQ(exit_code_of(error), 2);
      return std::string(error.what());
    }
    return std::string("taken");
  };
  const std::string missing =
      refusal([](const auto& archive) { std::filesystem::remove(archive / "traces/0.evt"); });
  EXPECT_NE(missing.find("0.evt"), std::string::npos) << missing;
  EXPECT_NE(missing.find("copy the whole archive again"), std::string::npos) << missing;
  const std::string cut = refusal([](const auto& archive) {
    const auto file = archive / "traces.def";
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  });
  EXPECT_NE(cut.find("its definitions are damaged"), std::string::npos) << cut;
  EXPECT_NE(cut.find("copy the whole archive again"), std::string::npos) << cut;
}

}  // namespace
}  // namespace plait::otf2

/// Ignores a leak in libotf2, which keeps memory of an archive that it cannot open.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that LeakSanitizer asks for
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2";
}

int main(int argc, char** argv) {
  plait::otf2::silence_libotf2();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
