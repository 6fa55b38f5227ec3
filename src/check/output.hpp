// SPDX-License-Identifier: BSD-3-Clause
// The result of plait check on the terminal and as JSON (docs/schemas/check-1.schema.json).
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "check/judge.hpp"

namespace plait::check {

inline constexpr const char* kCheckSchema = "plait-check";
inline constexpr int kCheckSchemaVersion = 1;

/// How the run ended.
struct Outcome {
  std::vector<std::string> command;
  int exit_code = 0;            ///< the program's own, or 128 + signal; 124 after the time limit
  bool ended_by_plait = false;  ///< because it was stuck
  bool time_limit = false;      ///< ended by the time limit
};

/// What plait check exits with if it found errors in a program that ended with 0.
inline constexpr int kFindingsExit = 3;

/// The exit code of plait check: the program's if it is not 0, else kFindingsExit if there are
/// findings. A program that Plait ended has no exit code of its own; one that was not checked must
/// not pass as correct.
int exit_code(const Verdict& verdict, const Outcome& outcome);

/// The verdict's lines, without line ends, at most 80 columns without colour.
std::vector<std::string> verdict_lines(const Verdict& verdict, const Outcome& outcome, bool color,
                                       bool utf8);

/// As JSON: schema "plait-check", version 1.
nlohmann::json verdict_json(const Verdict& verdict, const Outcome& outcome);

}  // namespace plait::check
