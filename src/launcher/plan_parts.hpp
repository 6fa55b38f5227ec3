// SPDX-License-Identifier: BSD-3-Clause
// Plans for a job of several programs: which rank belongs to which, and what each of them gets.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "launcher/plan.hpp"

namespace plait::launcher {

/// The part of a rank; null if the plan has no parts.
const PlanPart* part_of_rank(const Plan& plan, int rank);

/// OMP_NUM_THREADS of a rank; 0: the plan does not set it.
int threads_of_rank(const Plan& plan, int rank);

/// The variables that a part of a command gets beside those of all ranks.
std::map<std::string, std::string> environment_of_part(const Plan& plan, std::size_t part);

/// "64 x ocean, 8 x ice".
std::string parts_text(const Plan& plan);

/// "plan \"map by blocks\"", as errors name it.
std::string plan_title(const Plan& plan);

/// Refuses a command whose parts are not those of the plan, and one of several programs whose
/// launcher cannot place their ranks.
/// @throws Error that names the first difference.
void check_parts(const Plan& plan, const LaunchCommand& command);

/// The programs of a command without a launcher, which ":" separates.
std::vector<std::vector<std::string>> programs_between_colons(
    const std::vector<std::string>& program);

/// The arguments behind the launcher that start the parts of a plan: "-n 64 ./ocean : -n 8 ./ice".
/// @param program  one for each part, separated by ":"; one for all, if all run the same
/// @throws Error when there are fewer or more.
std::vector<std::string> arguments_of_parts(const Plan& plan,
                                            const std::vector<std::string>& program);

}  // namespace plait::launcher
