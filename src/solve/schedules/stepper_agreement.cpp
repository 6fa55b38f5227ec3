// SPDX-License-Identifier: BSD-3-Clause
// Gathers what the ranks of a new stepper must agree on, in one collective call.
#include "solve/schedules/stepper_agreement.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "solve/schedules/wait.hpp"

namespace plait::solve {
namespace {

/// RankFacts as they are sent; schedule and CPUs as text.
struct Record {
  double quota_cores;
  int threads;
  int granted;
  int has_interior;
  int verifies;
  char schedule[128];
  char cpus[240];
};

template <std::size_t size>
void copy_text(char (&to)[size], const std::string& text) {
  std::memcpy(to, text.data(), std::min(text.size(), size - 1));
}

/// The set as text. A set that is too long loses its end, so that ranks rather sleep than spin.
std::string shortened(const machine::CpuSet& cpus, std::size_t length) {
  std::string text = cpus.format();
  if (text.size() > length) text.erase(text.rfind(',', length));
  return text;
}

/// A program can construct a Schedule that no text can express. Every rank detects that here.
Schedule schedule_of(const Record& record, std::size_t rank) {
  try {
    return Schedule::parse(record.schedule);
  } catch (const Error& error) {
    throw CollectiveError("rank " + std::to_string(rank), error.what(), "");
  }
}

}  // namespace

std::vector<RankFacts> gather_facts(MPI_Comm comm, const RankFacts& own) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  Record mine{own.cores.quota_cores,
              own.cores.threads,
              static_cast<int>(own.granted),
              own.has_interior ? 1 : 0,
              own.verifies ? 1 : 0,
              {},
              {}};
  copy_text(mine.schedule, to_string(own.schedule));
  copy_text(mine.cpus, shortened(own.cores.cpus, sizeof mine.cpus - 1));
  std::vector<Record> all(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request);
  wait_politely(request);
  std::vector<RankFacts> facts;
  for (const Record& record : all) {
    facts.push_back({schedule_of(record, facts.size()),
                     static_cast<ThreadLevel>(record.granted),
                     {machine::CpuSet::parse(record.cpus), record.threads, record.quota_cores},
                     record.has_interior != 0,
                     record.verifies != 0});
  }
  return facts;
}

void check_agreement(const std::vector<RankFacts>& facts) {
  for (std::size_t rank = 0; rank < facts.size(); ++rank) {
    const RankFacts& fact = facts[rank];
    if (fact.schedule != facts[0].schedule) {
      throw CollectiveError(
          "rank " + std::to_string(rank) + ": schedule " + to_string(fact.schedule),
          "rank 0 has " + to_string(facts[0].schedule) + ", but all ranks need the same",
          "give every rank the same schedule or the same PLAIT_SCHEDULE");
    }
    if (fact.granted < needed_thread_level(fact.schedule, fact.cores.threads)) {
      const Error error = missing_thread_level(fact.schedule, fact.cores.threads, fact.granted);
      throw CollectiveError("rank " + std::to_string(rank), error.what(), "");
    }
  }
}

bool communicates_beside_team(const Schedule& schedule, int threads) {
  return schedule.kind == ScheduleKind::comm_thread &&
         (schedule.communicator == Communicator::extra_thread || threads == 1);
}

ThreadLevel needed_thread_level(const Schedule& schedule, int threads) {
  if (communicates_beside_team(schedule, threads)) return ThreadLevel::serialized;
  return threads > 1 ? ThreadLevel::funneled : ThreadLevel::single;
}

Error missing_thread_level(const Schedule& schedule, int threads, ThreadLevel granted) {
  const ThreadLevel needed = needed_thread_level(schedule, threads);
  const std::string team =
      threads == 1 ? "a team of one thread" : "teams of " + std::to_string(threads) + " threads";
  return {
      "schedule " + to_string(schedule),
      "needs " + to_string(needed) + " with " + team + ", but MPI granted " + to_string(granted),
      "start MPI with plait::Environment or with MPI_Init_thread and " + to_string(needed) +
          (needed == ThreadLevel::serialized ? ", or use another schedule"
                                             : ", or set OMP_NUM_THREADS=1")};
}

}  // namespace plait::solve
