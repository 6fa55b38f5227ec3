// SPDX-License-Identifier: BSD-3-Clause
// Runs transposes with the computation around them under a schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "plait/schedule.hpp"
#include "plait/stepper.hpp"
#include "plait/transpose.hpp"

namespace plait {

/// The arrays of one transpose in a step: as many as it has fields.
struct TransposeArrays {
  std::vector<const void*> from;
  std::vector<void*> to;
};

/// Runs steps of one transpose, or of several in a row, under one schedule. A step computes,
/// transposes, computes, transposes and so on. Chunks make it possible to do both at once.
///
/// - `blocking`: all planes are computed, then everything is transposed.
/// - `nonblocking`: two chunks travel while another one is computed and packed.
/// - `polled`: like nonblocking, with tests of the messages between planes, and in progress().
/// - `comm_thread`: one thread packs, sends and unpacks, the others compute.
/// - `automatic`: tries these on real steps, and keeps blocking unless another is clearly faster.
class TransposeStepper {
public:
  /// Computes on some planes along the chunk axis, in local indices: of the sources of the
  /// transpose that follows, or of the destinations of the one before; between two transposes,
  /// these are the same planes. Several OpenMP threads call it at the same time on disjoint ranges
  /// that together are the planes that travel, each plane once per step. The ranges depend on the
  /// schedule: for equal bits the result of a plane must not depend on them. It must not call MPI
  /// and must not throw, but may call progress(). Empty: nothing to compute.
  using Work = std::function<void(const IndexRange& planes)>;

  /// Collective over `comm`, which is duplicated. Keeps references to the transposes.
  /// @param transposes  in the order of a step, at least one, with the same number of chunks; the
  ///                    destination planes of each are the source planes of the next
  /// @param comm        includes the ranks of all transposes, for example those of all rows and
  ///                    columns of pencils; MPI_COMM_NULL: that of the first transpose
  /// @throws CollectiveError if the schedule cannot be used with transposes, MPI's thread level is
  ///         too low for it, a rank has another schedule, or the planes do not fit
  explicit TransposeStepper(std::span<Transpose* const> transposes,
                            const Schedule& schedule = Schedule::from_environment(),
                            MPI_Comm comm = MPI_COMM_NULL);
  explicit TransposeStepper(std::initializer_list<Transpose*> transposes,
                            const Schedule& schedule = Schedule::from_environment(),
                            MPI_Comm comm = MPI_COMM_NULL)
      : TransposeStepper(std::span(transposes.begin(), transposes.size()), schedule, comm) {}
  explicit TransposeStepper(Transpose& transpose,
                            const Schedule& schedule = Schedule::from_environment())
      : TransposeStepper({&transpose}, schedule) {}
  /// Collective over the communicator.
  ~TransposeStepper();
  TransposeStepper(const TransposeStepper&) = delete;
  TransposeStepper& operator=(const TransposeStepper&) = delete;

  /// Runs one step. Collective.
  /// @param arrays  of each transpose; what is written must not overlap, and a source must not be
  ///                changed before the step returns except by the work before its transpose. But a
  ///                later transpose may bring the same planes back to it as a destination
  /// @param works   one more than transposes
  /// @throws Error if the numbers do not fit. CollectiveError in verify mode (PLAIT_VERIFY=1) if an
  ///         element differs from a blocking transpose
  void step(std::span<const TransposeArrays> arrays, std::span<const Work> works);
  /// The same for one field that passes through all transposes: the source of the first, the
  /// destination of each, which is the source of the next.
  template <class T>
  requires(!std::is_pointer_v<T>) void step(std::initializer_list<T*> field,
                                            std::initializer_list<Work> works) {
    std::vector<TransposeArrays> arrays;
    for (auto to = field.begin(); to != field.end(); ++to) {
      if (to != field.begin()) arrays.push_back({{*(to - 1)}, {*to}});
    }
    step(arrays, std::span(works.begin(), works.size()));
  }
  /// The same for one transpose of one field.
  template <class From, class To>
  requires(!std::is_pointer_v<From> && !std::is_pointer_v<To>) void step(const From* from, To* to,
                                                                         const Work& before,
                                                                         const Work& after) {
    const TransposeArrays arrays{{from}, {to}};
    const Work works[] = {before, after};
    step(std::span(&arrays, 1), works);
  }

  /// Lets the messages of a step progress if its schedule is `polled`, or `comm_thread` in a team
  /// of one, and the calling thread is the one that communicates. Does nothing otherwise, or if
  /// messages have progressed within the last 100 us. Work calls it
  /// where a plane takes long, for example after each of its lines. Local.
  void progress();

  /// The schedule in use: as requested, or the choice of automatic (blocking before its first).
  [[nodiscard]] const Schedule& schedule() const;
  /// True while automatic is trying schedules on real steps: from the first step until it has
  /// decided, and occasionally again. All schedules give the same bits.
  [[nodiscard]] bool deciding() const;
  /// Seconds for which the threads of this rank that compute have waited for chunks in all steps,
  /// on average: the communication that computation does not cover. Packing does not count. Local.
  [[nodiscard]] double waited_s() const;
  /// The schedules that automatic chooses from, with their measured times as known so far. None is
  /// predicted. Local.
  [[nodiscard]] std::vector<ScheduleCost> schedules() const;
  /// A table for people: the measured time of each schedule, and the reason for the choice. At most
  /// 80 columns. Local; the same text on every rank.
  [[nodiscard]] std::string explain() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plait
