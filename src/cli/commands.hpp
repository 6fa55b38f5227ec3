// SPDX-License-Identifier: BSD-3-Clause
// The commands of plait. Each function declares one, with its options and what it does.
#pragma once

#include <memory>

#include "cli/command.hpp"

namespace plait::cli {

/// Headings of the commands in plait --help.
namespace group {
inline constexpr const char* measure = "Measure";
inline constexpr const char* explain = "Run and explain";
inline constexpr const char* decide = "Decide";
inline constexpr const char* nodes = "Several nodes";
inline constexpr const char* tools = "Tools";
}  // namespace group

void add_measure(Command& plait);
void add_machine(Command& plait);
void add_run(Command& plait);
void add_check(Command& plait);
void add_where(Command& plait);
void add_report(Command& plait);
void add_collect(Command& plait);
void add_compare(Command& plait);
void add_map(Command& plait);
void add_place(Command& plait);
void add_predict(Command& plait);
void add_advise(Command& plait);
void add_apply(Command& plait);
void add_sweep(Command& plait);
void add_tune(Command& plait);
void add_replay(Command& plait);
void add_export(Command& plait);
void add_import(Command& plait);
void add_cluster(Command& plait);
void add_doctor(Command& plait);
/// plait completion, plait help, and what writes the manual pages at build time.
void add_self_description(Command& plait);

/// plait with all its commands.
std::unique_ptr<Command> plait_command();

}  // namespace plait::cli
