// SPDX-License-Identifier: BSD-3-Clause
// The tasks of a block and their status flags.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "plait/grains.hpp"

namespace plait {

/// Tasks, and what is complete in the current run. A flag is the number of the run in which its
/// part was completed last, so that nothing is reset between runs. Whoever completes a part stores
/// its flag with release order, and whoever depends on it loads it with acquire order.
struct GrainBlock::State {
  enum class Kind { grains, in_order, communication };

  struct Dependency {
    int earlier;
    bool each;  ///< part by part
  };

  struct Work {
    std::string name;
    Kind kind;
    int parts;
    Run run;      ///< empty: `begin`
    Begin begin;  ///< empty: `run`
    std::vector<Dependency> after;
    std::vector<std::atomic<std::uint32_t>> flags;  ///< of each part
    std::atomic<int> complete{0};                   ///< parts in the current run

    Work(std::string a_name, Kind a_kind, int a_parts)
        : name(std::move(a_name)),
          kind(a_kind),
          parts(a_parts),
          flags(static_cast<std::size_t>(a_parts)) {}
  };

  class Member;

  /// A part of a task.
  struct Part {
    Work* work;
    int number;
  };

  std::string name;
  GrainOptions options;
  std::function<void()> progress;  ///< of the program; may be empty
  std::vector<std::unique_ptr<Work>> works;
  std::vector<Part> grains;    ///< of all computations by the team, in order
  std::vector<Part> in_order;  ///< of all tasks of the communicating thread, in order
  std::uint32_t run_number = 0;
  std::atomic<int> next_grain{0}, next_in_order{0};
  std::atomic<int> communicating{0};  ///< threads that have taken the part of communicating
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  GrainTimes times;

  Task add(const std::string& task, Kind kind, int parts, Run run, Begin begin);
  void depend(Task later, Task earlier, bool each);
  [[nodiscard]] bool is_ready(const Part& part) const;
  void complete(const Part& part);
};

}  // namespace plait
