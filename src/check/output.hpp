// SPDX-License-Identifier: BSD-3-Clause
// A verdict on the terminal and as JSON (docs/schemas/check-1.schema.json).
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "check/judge.hpp"

namespace plait::check {

inline constexpr const char* kCheckSchema = "plait-check";
inline constexpr int kCheckSchemaVersion = 1;

/// How the run ended.
struct Ending {
  std::vector<std::string> command;
  int exit_code = 0;            ///< the program's own, or 128 + signal
  bool ended_by_plait = false;  ///< it could never have ended
  bool time_limit = false;
};

/// The verdict's lines, without line ends.
std::vector<std::string> verdict_lines(const Verdict& verdict, const Ending& ending, bool color,
                                       bool utf8);

nlohmann::json verdict_json(const Verdict& verdict, const Ending& ending);

}  // namespace plait::check
