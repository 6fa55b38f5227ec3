// SPDX-License-Identifier: BSD-3-Clause
// Runs a solver's step under a schedule: the solver says how to update a box, the stepper who does
// it, when, and when ghosts are exchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plait/field.hpp"
#include "plait/halo.hpp"
#include "plait/schedule.hpp"

namespace plait {

/// What one schedule would cost a step, in seconds.
struct ScheduleCost {
  Schedule schedule;
  double predicted_s = 0;
  double low_s = 0;  ///< interval of the prediction
  double high_s = 0;
  double measured_s = 0;  ///< of a step, median over the turns in which it was tried; 0: not tried
  std::string refused;    ///< why it cannot run here; empty: it can
};

/// What is known of a step; times are of the slowest rank, in seconds.
struct StepCosts {
  double compute_s = 0;            ///< update of all cells by all threads
  double compute_less_one_s = 0;   ///< the same by one thread less (P(p - 1))
  double boundary_s = 0;           ///< update of the cells outside the interior by one thread
  double communicate_s = 0;        ///< one exchange alone
  double communication_cpu_s = 0;  ///< CPU time of the process in it, without spinning
  bool owns_core = true;           ///< whether a waiting thread has a core to itself
  double progress = 0;             ///< part of an exchange that happens while the program computes
                                   ///< outside MPI: 0 none, 1 all
};

/// Runs steps of one halo under one schedule.
///
/// `update(box)` must compute the new values of the box's cells from the old ones (which it may
/// read up to the halo's width around the box) and write nothing else that another call reads. It
/// is called by several OpenMP threads at once on disjoint boxes that together are the own cells,
/// each cell once a step; which boxes, and by which threads, depends on the schedule, the result
/// does not. It must not call MPI and must not throw.
class Stepper {
public:
  using Update = std::function<void(const Box&)>;

  /// Collective over the halo's communicator. Keeps a reference to the halo.
  /// @throws CollectiveError when MPI's thread level is too low for the schedule, partitioned
  ///         communication does not work here, or a rank has another schedule.
  explicit Stepper(Halo& halo, const Schedule& schedule = Schedule::from_environment());
  ~Stepper();
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// One step that exchanges first: fills the ghosts of `in`, the fields that update() reads, while
  /// update() runs on cells that need none. Nothing is asked of the ghosts before. Collective.
  void step(std::span<const FieldView> in, const Update& update);
  void step(const FieldView& in, const Update& update) { step(std::span(&in, 1), update); }

  /// One step that updates the boundary first: the ghosts of the fields that update() reads must be
  /// valid; on return those of `out`, the fields that it writes, are. Sends leave as soon as the
  /// boundary cells are new. Collective.
  void advance(std::span<const FieldView> out, const Update& update);
  void advance(const FieldView& out, const Update& update) { advance(std::span(&out, 1), update); }

  [[nodiscard]] Halo& halo() const;
  /// The schedule in use: what was asked for, or what automatic has settled on (blocking before).
  [[nodiscard]] const Schedule& schedule() const;
  /// Whether automatic is trying schedules, on real steps (all give the same bits): from the first
  /// step until it has decided, and now and then again.
  [[nodiscard]] bool deciding() const;
  /// Costs known so far, and each schedule's prediction. Local.
  [[nodiscard]] StepCosts costs() const;
  [[nodiscard]] std::vector<ScheduleCost> schedules() const;
  /// A table for people: computation, communication, its CPU cost, each schedule's predicted and
  /// measured time, and why this one. At most 80 columns. Local; the same text on every rank.
  [[nodiscard]] std::string explain() const;
  /// Measures what explain() and schedules() tell, by some steps of every schedule that can run
  /// here, interleaved; the steps call update() and exchange as step() does. Where the schedule is
  /// automatic, it decides by them. Collective.
  void measure(std::span<const FieldView> in, const Update& update, int repetitions);
  void measure(const FieldView& in, const Update& update, int repetitions) {
    measure(std::span(&in, 1), update, repetitions);
  }
  /// Exchanges that verify mode (environment PLAIT_VERIFY=1 on any rank) has compared with a
  /// blocking one; at the first ghost that differs, step() and advance() throw a CollectiveError.
  /// Local.
  [[nodiscard]] std::int64_t verified_exchanges() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plait
