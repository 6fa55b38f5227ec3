// SPDX-License-Identifier: BSD-3-Clause
// Runs a solver's steps under a schedule. The solver defines the update of a box; the stepper
// decides which thread does it, when, and when ghosts are exchanged.
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

/// The cost of a step under one schedule.
struct ScheduleCost {
  Schedule schedule;
  double predicted_s = 0;  ///< predicted time of a step in seconds; 0: not predicted
  double low_s = 0;        ///< lower end of the prediction's interval
  double high_s = 0;       ///< upper end
  double measured_s = 0;   ///< measured time of a step, median of its turns; 0: not tried
  std::string refused;     ///< why it cannot run here; empty: it can
};

/// The measured costs of a step. Times are in seconds, those of the slowest rank.
struct StepCosts {
  double compute_s = 0;            ///< update of all cells by all threads
  double compute_less_one_s = 0;   ///< the same by one thread less (P(p - 1))
  double boundary_s = 0;           ///< update of the cells outside the interior by one thread
  double communicate_s = 0;        ///< one exchange alone
  double communication_cpu_s = 0;  ///< CPU time of the process for it, without spinning
  bool owns_core = true;           ///< whether a thread that waits has a core of its own
  double progress = 0;             ///< fraction of an exchange that progresses while the program
                                   ///< computes outside MPI: 0 none, 1 all
};

/// Runs steps of one halo under one schedule.
///
/// `update(box)` must compute the new values of the box's cells from old values, which it may read
/// up to the halo's width around the box. It must write nothing else that another call reads.
/// Several OpenMP threads call it at the same time on disjoint boxes that together are the own
/// cells, each cell once per step. The boxes and their threads depend on the schedule; the result
/// does not. `update` must not call MPI and must not throw.
class Stepper {
public:
  using Update = std::function<void(const Box&)>;

  /// Collective over the halo's communicator. Keeps a reference to the halo.
  /// @throws CollectiveError if MPI's thread level is too low for the schedule, partitioned
  ///         communication does not work here, or a rank has another schedule
  explicit Stepper(Halo& halo, const Schedule& schedule = Schedule::from_environment());
  ~Stepper();
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// Runs one step that exchanges first: fills the ghosts of `in`, the fields that update() reads,
  /// while update() runs on cells that need none. The ghosts may be invalid before. Collective.
  void step(std::span<const FieldView> in, const Update& update);
  void step(const FieldView& in, const Update& update) { step(std::span(&in, 1), update); }

  /// Runs one step that updates the boundary first and sends it at once. The ghosts of the fields
  /// that update() reads must be valid before; on return, the ghosts of `out`, the fields that
  /// update() writes, are valid. Collective.
  void advance(std::span<const FieldView> out, const Update& update);
  void advance(const FieldView& out, const Update& update) { advance(std::span(&out, 1), update); }

  [[nodiscard]] Halo& halo() const;
  /// The schedule in use: as requested, or the choice of automatic (blocking before its first).
  [[nodiscard]] const Schedule& schedule() const;
  /// True while automatic is trying schedules on real steps: from the first step until it has
  /// decided, and occasionally again. All schedules give the same bits.
  [[nodiscard]] bool deciding() const;
  /// The costs known so far. Local.
  [[nodiscard]] StepCosts costs() const;
  /// All schedules with their predicted and measured times, as known so far. Local.
  [[nodiscard]] std::vector<ScheduleCost> schedules() const;
  /// A table for people: computation, communication and its CPU time, predicted and measured time
  /// of each schedule, and the reason for the choice. At most 80 columns. Local; the same text on
  /// every rank.
  [[nodiscard]] std::string explain() const;
  /// Measures what explain() and schedules() report, by `repetitions` interleaved steps of every
  /// schedule that can run here. The steps call update() and exchange like step(). If the schedule
  /// is automatic, it decides by them. Collective.
  void measure(std::span<const FieldView> in, const Update& update, int repetitions);
  void measure(const FieldView& in, const Update& update, int repetitions) {
    measure(std::span(&in, 1), update, repetitions);
  }
  /// Number of exchanges that verify mode (PLAIT_VERIFY=1 on any rank) has compared with a blocking
  /// one. If a ghost differs, step() and advance() throw a CollectiveError. Local.
  [[nodiscard]] std::int64_t verified_exchanges() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plait
