// SPDX-License-Identifier: BSD-3-Clause
// The steps of a trace for formats that other simulators replay (Dimemas, SimGrid).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "export/export.hpp"
#include "export/message_order.hpp"
#include "replay/program.hpp"

namespace plait::exports {

/// @throws Error when the trace has no ranks.
void require_ranks(const Request& request);

/// The program of a trace, rank by rank. In a part of a trace, only its ranks have steps; tags and
/// collectives are those of the whole trace.
class RecordedProgram {
public:
  /// Collective if the trace is a part.
  /// @param trace  must outlive this object
  /// @param processes  that have the other parts
  RecordedProgram(const trace::Trace& trace, Processes* processes);

  [[nodiscard]] std::uint32_t ranks() const { return program_->ranks(); }
  [[nodiscard]] std::uint32_t node_of(std::uint32_t rank) const { return program_->node_of(rank); }
  /// The number of events of which the steps are.
  [[nodiscard]] std::size_t events(std::uint32_t rank) const { return program_->events(rank); }
  /// @param index  Step::collective
  [[nodiscard]] replay::CollectiveStep collective(std::uint32_t index) const {
    return program_->collective(index);
  }
  /// The tags of messages.
  [[nodiscard]] const MessageOrder& order() const { return order_; }
  /// Time from the start of the first rank to that of this rank, s.
  [[nodiscard]] double delay_s(std::uint32_t rank) const {
    return program_->start_s(rank) - first_start_s_;
  }

  /// Calls `use(step)` for the remaining steps of a rank; different threads may do so for different
  /// ranks at the same time.
  template <class Use>
  void for_steps(std::uint32_t rank, Use use) {
    for (replay::Step step = program_->next(rank); step.kind != replay::StepKind::end;
         step = program_->next(rank)) {
      use(step);
    }
  }
  /// Restarts all ranks at their first steps.
  void rewind() { program_->rewind(); }

  /// One sentence for each kind of operation that the program leaves out or keeps as recorded.
  [[nodiscard]] std::vector<std::string> notes() const;

private:
  MessageOrder order_;
  replay::LeftOut left_out_;
  std::unique_ptr<replay::Program> program_;
  double first_start_s_ = 0;
};

/// What waits for each pending request of a rank, by Step::request.
template <class Wait>
class PendingRequests {
public:
  /// Does nothing for requests that no step waits for.
  void add(std::uint32_t request, Wait wait) {
    if (request == replay::kNoRequest) return;
    if (request >= waits_.size()) waits_.resize(request + 1);
    waits_[request] = std::move(wait);
  }
  [[nodiscard]] const Wait& of(std::uint32_t request) const { return waits_[request]; }

private:
  std::vector<Wait> waits_;
};

}  // namespace plait::exports
