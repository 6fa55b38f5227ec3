// SPDX-License-Identifier: BSD-3-Clause
// The points of a sweep: all combinations of its parameters, and the command of each.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plait::sweep {

/// Parameters that Plait knows: processes, OpenMP threads of each, and the amount of work.
inline constexpr const char* kRanks = "ranks";
inline constexpr const char* kThreads = "threads";
inline constexpr const char* kSize = "size";

/// Most cores of a point.
inline constexpr int kMostCores = 100'000'000;

/// A parameter and its values.
struct Parameter {
  std::string name;
  std::vector<std::string> values;
};

/// A parameter that follows from others.
struct Derived {
  std::string name;
  std::string expression;
  /// Of --weak: rounded to a whole number, and work that grows with the cores. Otherwise a value
  /// that is not a whole number leaves the point out.
  bool weak = false;
};

/// The grid of a sweep.
struct Grid {
  std::vector<std::string> command;  ///< with placeholders {name}; {{x}} is {x}
  std::vector<Parameter> over;
  std::vector<Derived> derived;
  std::vector<std::string> set;   ///< environment variables NAME=VALUE, with placeholders
  std::optional<int> most_cores;  ///< points that need more are left out
  /// Other parameters that the ranks or threads of a part of the job follow from.
  std::vector<std::string> core_parameters = {};
};

/// Names and values, in the order of the parameters and then of the derived ones.
using Values = std::vector<std::pair<std::string, std::string>>;

/// A part of a job, which has a program and options of its own.
struct JobPart {
  int ranks = 1;
  int threads = 1;  ///< of each rank
  bool operator==(const JobPart&) const = default;
};

/// A combination of values.
struct Point {
  std::string name;  ///< "ranks=2 threads=4"
  Values values;
  std::vector<std::string> command;  ///< with variables in front: env OMP_NUM_THREADS=4 mpiexec ...
  std::vector<std::string> settings;  ///< swept variables NAME=VALUE, and options of the launcher
  std::vector<std::string> options;   ///< swept options, of the launcher or of the program
  int ranks = 1;                      ///< of all parts
  int threads = 1;                    ///< of a rank; most of a part
  std::vector<JobPart> parts;         ///< of the job; empty: it has one
  std::string left_out;               ///< why it is not run; empty: it is

  [[nodiscard]] int cores() const;
};

/// Reads --over: "ranks=1,2,4", or with semicolons where a value has commas: "btl=self,tcp;ob1".
/// @throws Error when it has no name or no value, or a value twice.
Parameter parse_parameter(const std::string& text);

/// Reads --weak and --let: "size=ranks^1/3".
/// @throws Error when it has no name or its expression cannot be parsed.
Derived parse_derived(const std::string& text, bool weak);

/// The command of a point with these values, variables in front.
std::vector<std::string> command_with(const Grid& grid, const Values& values);

/// The values that the number of cores follows from, in order.
std::vector<std::pair<std::string, double>> core_values(const Grid& grid, const Point& point);

/// The value of a parameter; empty if the point has none of that name.
std::string value_of(const Point& point, const std::string& name);

/// All points, the last parameter fastest. An argument that is one placeholder is split at blanks,
/// so that a value can be several options or none. Values of `threads` set OMP_NUM_THREADS unless
/// the command or `set` does. Ranks are those of the parameter, otherwise 1.
/// @throws Error when a placeholder has no value or a parameter is not used.
std::vector<Point> points_of(const Grid& grid);

/// True if a point needs more than kMostCores.
bool has_too_many_cores(const Point& point);

/// @throws Error when it does.
void check_cores(const Point& point);

/// "needs 8 cores, and --cores is 4".
std::string cores_sentence(int needed, int most);

/// The values that points of a series have in common, which differ only in their numbers of cores:
/// "size=100"; empty if there are no others.
std::string series_name(const Grid& grid, const Point& point);

/// The value that points with the same work have in common: "size=100"; empty if none is swept, or
/// the work grows with the cores.
std::string workload_name(const Grid& grid, const Point& point);

/// True if the work grows with the cores.
bool is_weak(const Grid& grid);

}  // namespace plait::sweep
