// SPDX-License-Identifier: BSD-3-Clause
// Matching of sends with receives, and mismatches between them.
#include "check/messages.hpp"

#include <gtest/gtest.h>

#include "check/made_job.hpp"

namespace plait::check {
namespace {

std::vector<std::string> kinds(const Job& job) {
  std::vector<std::string> list;
  for (const Finding& finding : Messages(job).findings()) list.push_back(finding.kind);
  return list;
}

using Kinds = std::vector<std::string>;

TEST(Messages, MatchingOnesAreNoFinding) {
  MadeJob made(2);
  made.send(0, 1, 5, kInt, 4);
  made.receive(1, 0, 5, kInt, 10);
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

TEST(Messages, DifferentTypesAreReportedWithBothSides) {
  MadeJob made(2);
  made.send(0, 1, 5, kDouble, 2);
  made.receive(1, 0, 5, kInt, 4);
  const auto findings = Messages(made.job()).findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "type_mismatch");
  EXPECT_EQ(findings[0].what, "Message sent as 2 MPI_DOUBLE and received as 4 MPI_INT");
  EXPECT_EQ(findings[0].places[0].ranks, std::vector<int>{0});
  EXPECT_EQ(findings[0].places[0].detail, "2 MPI_DOUBLE to rank 1, tag 5 on MPI_COMM_WORLD");
  EXPECT_EQ(findings[0].places[1].function, "MPI_Recv");
}

TEST(Messages, TooLittleRoomIsTruncationWhateverTheTypes) {
  MadeJob made(2);
  made.send(0, 1, 5, kDouble, 4);
  made.receive(1, 0, 5, kInt, 4);
  EXPECT_EQ(kinds(made.job()), Kinds{"truncated_receive"});
}

TEST(Messages, AReceiveThatMpiRefusedToEndIsStillMatched) {
  MadeJob made(2);
  made.send(0, 1, 5, kInt, 8);
  plait_check_op& receive = made.receive(1, 0, 5, kInt, 4);
  receive.state = PLAIT_CHECK_OPEN;
  receive.actual_peer = receive.actual_tag = PLAIT_CHECK_NONE;
  EXPECT_EQ(kinds(made.job()), Kinds{"truncated_receive"});
}

TEST(Messages, TheOrderOfEachChannelDecides) {
  MadeJob made(2);
  made.send(0, 1, 1, kInt, 1);
  made.send(0, 1, 2, kDouble, 1);
  made.send(0, 1, 1, kDouble, 1);
  made.receive(1, 0, 2, kDouble, 1);
  made.receive(1, 0, 1, kInt, 1);
  made.receive(1, 0, 1, kDouble, 1);
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

TEST(Messages, WildcardsMatchByTheirStatus) {
  MadeJob made(3);
  made.send(1, 0, 4, kInt, 1);
  made.send(2, 0, 4, kDouble, 1);
  plait_check_op& first = made.receive(0, PLAIT_CHECK_ANY, PLAIT_CHECK_ANY, kDouble, 1);
  first.actual_peer = 2;
  first.actual_tag = 4;
  plait_check_op& second = made.receive(0, PLAIT_CHECK_ANY, PLAIT_CHECK_ANY, kInt, 1);
  second.actual_peer = 1;
  second.actual_tag = 4;
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

TEST(Messages, NothingIsReportedAfterAnOpenWildcard) {
  MadeJob made(2);
  made.send(0, 1, 4, kInt, 1);
  made.send(0, 1, 4, kDouble, 1);
  plait_check_op& open = made.receive(1, PLAIT_CHECK_ANY, 4, kInt, 1);
  open.state = PLAIT_CHECK_OPEN;
  open.actual_peer = open.actual_tag = PLAIT_CHECK_NONE;
  made.receive(1, 0, 4, kDouble, 1);  // takes the second message, or the first
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

TEST(Messages, CancelledAndFailedOnesTakeNothing) {
  MadeJob made(2);
  made.send(0, 1, 4, kInt, 1);
  made.receive(1, 0, 4, kDouble, 1).state = PLAIT_CHECK_CANCELLED;
  made.receive(1, 0, 4, kDouble, 1).state = PLAIT_CHECK_FAILED;
  made.receive(1, 0, 4, kInt, 1);
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

TEST(Messages, ThreadsThatShareAChannelAreNotCompared) {
  MadeJob made(2);
  made.send(0, 1, 4, kInt, 1);
  made.send(0, 1, 4, kDouble, 1).thread = 1;
  made.receive(1, 0, 4, kDouble, 1);
  made.receive(1, 0, 4, kInt, 1);
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

TEST(Messages, UnreceivedMessagesAreReportedForAJobThatIsOver) {
  MadeJob running(2);
  running.send(0, 1, 4, kInt, 1);
  EXPECT_EQ(kinds(running.job()), Kinds{});
  MadeJob over(2);
  over.send(0, 1, 4, kInt, 1);
  over.finalize_all();
  EXPECT_EQ(kinds(over.job()), Kinds{"unreceived_message"});
}

TEST(Messages, NothingIsReportedForAnIncompleteJob) {
  MadeJob made(2);
  made.send(0, 1, 5, kDouble, 2);
  made.receive(1, 0, 5, kInt, 4);
  Job job = made.job();
  job.comparable = false;
  EXPECT_EQ(kinds(job), Kinds{});
}

TEST(Messages, AReceiveOfAnUnknownMessageMayHaveAnyOfThem) {
  MadeJob made(3);
  made.send(1, 0, 4, kInt, 1);
  made.send(2, 0, 4, kInt, 1);
  plait_check_op& unknown = made.receive(0, PLAIT_CHECK_ANY, 4, kInt, 1);
  unknown.actual_peer = unknown.actual_tag = PLAIT_CHECK_NONE;
  made.receive(0, 2, 4, kInt, 1);
  made.finalize_all();
  const Messages messages(made.job());
  EXPECT_TRUE(messages.findings().empty());
  ASSERT_EQ(messages.notes().size(), 1U);
  EXPECT_NE(messages.notes()[0].find("which messages 1 receive got"), std::string::npos);
}

TEST(Messages, ASendThatMayNotHaveTakenPlaceIsNotMissed) {
  MadeJob made(2);
  made.send(0, 1, 4, kDouble, 1).flags = PLAIT_CHECK_UNCERTAIN;
  made.send(0, 1, 4, kInt, 1);
  made.receive(1, 0, 4, kInt, 1);
  made.finalize_all();
  const Messages messages(made.job());
  EXPECT_TRUE(messages.findings().empty());
  EXPECT_EQ(messages.notes().size(), 1U);
}

TEST(Messages, AReceiveThatMayNotHaveTakenPlaceMayHaveAMessage) {
  MadeJob made(2);
  made.receive(1, 0, 4, kDouble, 1).flags = PLAIT_CHECK_UNCERTAIN;
  made.send(0, 1, 4, kInt, 1);
  made.send(0, 1, 4, kInt, 1);
  made.receive(1, 0, 4, kInt, 1);
  made.finalize_all();
  EXPECT_TRUE(Messages(made.job()).findings().empty());
}

TEST(Messages, NothingIsComparedOnACommunicatorThatIsNotCertain) {
  MadeJob made(2);
  made.send(0, 1, 4, kInt, 1);
  for (const int rank : {0, 1}) made.process(rank).comms[1].flags = PLAIT_CHECK_COMM_UNCERTAIN;
  made.finalize_all();
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

}  // namespace
}  // namespace plait::check
