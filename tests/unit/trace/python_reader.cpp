// SPDX-License-Identifier: BSD-3-Clause
// Tests that the Python reader finds the same events as the C++ one.
#include <gtest/gtest.h>

#include <sstream>

#include "base/subprocess.hpp"
#include "synthetic_events.hpp"
#include "trace/pack.hpp"
#include "trace/trace.hpp"

namespace plait::trace {
namespace {

using test::RunFolder;
using test::SyntheticEvents;

/// A process on `host` with every kind of event, in two threads.
void write_all_kinds(const std::filesystem::path& run, int rank, const std::string& host) {
  SyntheticEvents process(rank, 2, host);
  process.record.table<plait_region_record>(PLAIT_SECTION_REGIONS,
                                            {{process.record.string("step"), 0, 1, 0, 0}});
  process.record.table<plait_parallel_record>(PLAIT_SECTION_PARALLEL, {{0x1234, 1, 2, 0, 0, 0, 0}});
  process.header().at_init = {2000, rank * 0.25, 2e-6, rank == 0 ? 0U : 1U, 0};
  process.header().at_finalize = {2'000'002'000, rank * 0.25 + 1e-6, 1e-6, rank == 0 ? 0U : 1U, 0};
  const auto any = PLAIT_SHAPE_WILDCARD;
  const auto send = process.shape(PLAIT_EVENT_SEND, 1, 3);
  const auto varies = process.shape(PLAIT_EVENT_SEND, 1, 0, PLAIT_SHAPE_VARIES);
  const auto receive = process.shape(PLAIT_EVENT_RECV, PLAIT_ANY_PEER, -1, any);
  const auto both = process.shape(PLAIT_EVENT_SENDRECV, 1, 3);
  const auto begins = process.shape(PLAIT_EVENT_ISEND, 1, 3);
  const auto later = process.shape(PLAIT_EVENT_IRECV, PLAIT_ANY_PEER, -1, any);
  const auto both_begin = process.shape(PLAIT_EVENT_ISENDRECV, 1, 3);
  const auto start = process.shape(PLAIT_EVENT_START);
  const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
  const auto test = process.shape(PLAIT_EVENT_COMPLETE, -1, -1, PLAIT_SHAPE_TEST);
  const auto probe = process.shape(PLAIT_EVENT_PROBE);
  const auto mprobe = process.shape(PLAIT_EVENT_MPROBE);
  const auto mrecv = process.shape(PLAIT_EVENT_MRECV);
  const auto imrecv = process.shape(PLAIT_EVENT_IMRECV);
  const auto gather = process.shape(PLAIT_EVENT_COLLECTIVE, 0, -1, PLAIT_SHAPE_VARIES);
  const auto igather = process.shape(PLAIT_EVENT_ICOLLECTIVE, 0, -1, 0);
  const auto gap = process.shape(PLAIT_EVENT_GAP);
  const auto put = process.shape(PLAIT_EVENT_RMA, 1);
  const auto post = process.shape(PLAIT_EVENT_EPOCH);
  plait_shape made{};
  made.kind = PLAIT_EVENT_REGION;
  const auto region = process.shape(made);
  made.kind = PLAIT_EVENT_PARALLEL;
  const auto parallel = process.shape(made);
  made.kind = PLAIT_EVENT_WORK;
  const auto work = process.shape(made);
  constexpr std::uint32_t kStatus = PLAIT_REFERENCE_STATUS, kForeign = PLAIT_REFERENCE_FOREIGN;
  for (std::uint32_t i = 0; i < 4; ++i) {
    process.chunk(i / 3, 3000 + 20'000'000'000 * i, i < 3 ? 1 + 7 * i : 1);
    process.event(send | PLAIT_SHAPE_BYTES, 10, 100 + i, {8 + i});
    process.event(varies, 10, PLAIT_LONG, {5, 1, 77});
    process.event(receive | PLAIT_SHAPE_BYTES, 30, 1000, {512, 1, 4});
    process.event(both | PLAIT_SHAPE_BYTES | PLAIT_SHAPE_WIDE, PLAIT_LONG, 9,
                  {9, 2, 1, 2, receive, 16, 0, 1, 5});
    process.event(begins | PLAIT_SHAPE_BYTES, 1, 2, {64});
    process.event(begins, 1, 2);
    process.event(later, 1, 2);
    process.event(both_begin, 1, 2, {later, 8, 0, 1, 2});
    process.event(start, 3, 5, {2, begins, 1, 0, later, 2, 0});
    process.event(test, 3, 5, {0, 3});
    process.event(gap, 1, 50, {2, 0, send, 3, gather, 1});
    process.event(wait, 1, 500,
                  {5, 1 | kStatus, 1, 4, 2, PLAIT_REFERENCE_LEFT_OUT, receive, 1, 4, 1, 0, 5});
    process.event(probe, 1, 1, {0, 1});
    process.event(probe, 1, 1, {1, 1, 2});
    process.event(mprobe, 1, 1, {1, 1, 2});
    process.event(mrecv | PLAIT_SHAPE_BYTES, 1, 1, {99, 1});
    process.event(imrecv, 1, 1, {1 | kForeign, 0});
    process.event(gather | PLAIT_SHAPE_BYTES, 1, 7, {32, 64, 0});
    process.event(igather, 1, 7);
    process.event(put | PLAIT_SHAPE_BYTES, 1, 7, {1000});
    process.event(post, 1, 7, {2, 0, 1});
    process.event(send, 2, 2);
    process.event(work, 900, 800, {20, 0});
    process.event(parallel, 0, 850, {2, 200, 0});
    process.event(region, 10, 2000);
  }
  process.write(run);
}

std::string dump(const Trace& trace) {
  std::ostringstream out;
  for (const Rank& rank : trace.ranks) {
    for (const Stream& stream : rank.streams) {
      for (const Event& event : stream.events) {
        const Shape& shape = trace.shape(event);
        out << rank.world_rank << ' ' << event.begin << ' ' << event.end << ' '
            << (shape.kind == EventKind::poll ? 0 : event.bytes) << ' '
            << (shape.function == kNone ? "" : trace.functions[shape.function]) << '\n';
      }
    }
  }
  return out.str();
}

TEST(PythonReader, FindsTheSameEventsAsTheCppReader) {
  const RunFolder run("python");
  write_all_kinds(run.path(), 0, "alpha");
  write_all_kinds(run.path(), 1, "beta");
  pack_trace(run.path(), [](std::size_t, std::size_t) {});
  const Trace trace = read_trace(run.path());
  EXPECT_EQ(event_count(trace), 2u * 4 * 24);
  EXPECT_EQ(trace.problems, std::vector<std::string>());
  const CommandResult python =
      run_command({PLAIT_PYTHON, PLAIT_DUMP_TRACE, run.path().string()}, std::chrono::seconds(50),
                  {}, {{"PYTHONPATH", PLAIT_PYTHON_MODULES}, {"PYTHONDONTWRITEBYTECODE", "1"}});
  EXPECT_EQ(python.exit_code, 0) << python.err;
  EXPECT_EQ(python.out, dump(trace));
}

}  // namespace
}  // namespace plait::trace
