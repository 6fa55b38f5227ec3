// SPDX-License-Identifier: BSD-3-Clause
// Runs steps of transposes in a row, with computation before, between and after them, under any
// schedule.
#include "solve/transpose/pipeline.hpp"

#include <omp.h>

#include <algorithm>
#include <optional>

#include "solve/node_window.hpp"
#include "solve/transpose/state.hpp"
#include "solve/transpose/team.hpp"
#include "solve/verify.hpp"

namespace plait::solve {
namespace {

/// The first fault of a pipeline on this rank, if there is one.
std::optional<Error> pipeline_error(std::span<Transpose* const> transposes,
                                    const Schedule& schedule) {
  const auto kind = schedule.kind;
  if (kind == ScheduleKind::tasks || kind == ScheduleKind::partitioned) {
    return Error("schedule " + to_string(schedule), "not for transposes",
                 "use blocking, nonblocking, polled, comm_thread or automatic");
  }
  if (schedule.block != Int3{}) {
    return Error("schedule " + to_string(schedule), "block= is not for transposes",
                 "leave it out, and choose the number of chunks of the transpose");
  }
  for (std::size_t number = 1; number < transposes.size(); ++number) {
    const Transpose& before = *transposes[number - 1];
    const Transpose& after = *transposes[number];
    bool fit = before.chunks() == after.chunks();
    for (int chunk = 0; fit && chunk < before.chunks(); ++chunk) {
      fit = before.destination_planes(chunk) == after.source_planes(chunk);
    }
    if (fit) continue;
    return Error("transpose " + std::to_string(number + 1) + " of a step",
                 "its chunks have other planes than those of the one before",
                 "give both the same number of chunks along the same axis");
  }
  return std::nullopt;
}

}  // namespace

TransposePipeline::TransposePipeline(std::span<Transpose* const> transposes, const Schedule& asked,
                                     MPI_Comm comm)
    : transposes_(transposes.begin(), transposes.end()), granted_(granted_thread_level()) {
  if (transposes.empty()) {
    throw CollectiveError("step of transposes", "no transpose given", "give at least one");
  }
  const MPI_Comm of_all = comm == MPI_COMM_NULL ? transposes[0]->comm() : comm;
  const std::optional<Error> wrong = pipeline_error(transposes, asked);
  agree_on_error(of_all, wrong ? &*wrong : nullptr);
  const RankFacts own{asked, granted_, cores_of_process(omp_get_max_threads()), true,
                      verify_mode_in_environment()};
  const std::vector<RankFacts> facts = gather_facts(of_all, own);
  check_agreement(facts);
  std::vector<RankCores> of_ranks;
  for (const RankFacts& fact : facts) {
    of_ranks.push_back(fact.cores);
    granted_ = std::min(granted_, fact.granted);
    agreed_.threads = std::max(agreed_.threads, fact.cores.threads);
    agreed_.verifies = agreed_.verifies || fact.verifies;
  }
  ranks_ = static_cast<int>(facts.size());
  cpus_ = own.cores.cpus;
  agreed_.node = node_cores(of_ranks, nodes_of_ranks(of_all));
  MPI_Comm_dup(of_all, &comm_);
  for (std::size_t stage = 0; stage <= transposes_.size(); ++stage) {
    std::vector<std::vector<IndexRange>>& of_stage = planes_.emplace_back();
    for (int set = 0; set <= chunks(); ++set) {
      const int chunk = set < chunks() ? set : Transpose::whole;
      of_stage.push_back(stage == 0 ? transposes_[0]->source_planes(chunk)
                                    : transposes_[stage - 1]->destination_planes(chunk));
    }
  }
}

TransposePipeline::~TransposePipeline() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Prepared TransposePipeline::prepare(const Schedule& schedule) const {
  const bool beside = communicates_beside_team(schedule, omp_get_max_threads());
  return {schedule, Waiter(schedule.wait, schedule.poll,
                           beside ? agreed_.node.team_and_one_fit : agreed_.node.team_fits)};
}

std::vector<Schedule> TransposePipeline::schedules(const Schedule& asked) const {
  std::vector<Schedule> result;
  const auto add = [&](ScheduleKind kind, Communicator communicator) {
    Schedule schedule = asked;
    schedule.kind = kind;
    schedule.communicator = communicator;
    if (granted_ >= needed_thread_level(schedule, agreed_.threads)) result.push_back(schedule);
  };
  add(ScheduleKind::blocking, Communicator::automatic);
  add(ScheduleKind::nonblocking, Communicator::automatic);
  add(ScheduleKind::polled, Communicator::automatic);
  if (agreed_.threads > 1) add(ScheduleKind::comm_thread, Communicator::team_thread);
  add(ScheduleKind::comm_thread, Communicator::extra_thread);
  return result;
}

void TransposePipeline::check(std::span<const TransposeArrays> arrays,
                              std::span<const TransposeStepper::Work> works) const {
  if (arrays.size() == count() && works.size() == count() + 1) return;
  throw Error("step with " + std::to_string(arrays.size()) + " sets of arrays and " +
                  std::to_string(works.size()) + " works",
              "planned for " + std::to_string(count()) + " and " + std::to_string(count() + 1),
              "give arrays for each transpose, and one work more; works may be empty");
}

void TransposePipeline::keep(std::size_t number, int chunk) const {
  transposes_[number]->plan_->keep(chunk);
}

void TransposePipeline::run(Prepared& prepared, std::span<const TransposeArrays> arrays,
                            std::span<const TransposeStepper::Work> works) {
  check(arrays, works);
  const int threads = omp_get_max_threads();
  const Schedule& schedule = prepared.schedule;
  const bool works_alone = threads == 1 && schedule.communicator != Communicator::extra_thread;
  const bool admitted = granted_ >= needed_thread_level(schedule, threads);
  if (!admitted && !works_alone) throw missing_thread_level(schedule, threads, granted_);
  for (std::size_t number = 0; number < count(); ++number) {
    transposes_[number]->begin(arrays[number].from, arrays[number].to);
    std::vector<bool>& overwritten = transposes_[number]->plan_->overwritten;
    for (std::size_t later = number + 1; later < count(); ++later) {
      for (std::size_t f = 0; f < overwritten.size(); ++f) {
        if (std::ranges::count(arrays[later].to, arrays[number].from[f]) > 0) overwritten[f] = true;
      }
    }
  }
  const StepOfTransposes step{*this, works, threads, prepared.waiter, schedule.wait, waited_s_};
  switch (schedule.kind) {
    case ScheduleKind::nonblocking:
      run_transposes_overlapped(step, false);
      break;
    case ScheduleKind::comm_thread:
      if (admitted && communicates_beside_team(schedule, threads)) {
        if (!helper_) helper_ = std::make_unique<HelperThread>(cpus_);
        run_transposes_beside_team(step, *helper_);
      } else {
        run_transposes_by_comm_thread(step);
      }
      break;
    case ScheduleKind::polled:
      run_transposes_overlapped(step, true);
      break;
    default:
      run_transposes_blocking(step);
  }
  for (Transpose* transpose : transposes_) {
    transpose->plan_->verify_kept(" under " + to_string(schedule));
  }
}

}  // namespace plait::solve
