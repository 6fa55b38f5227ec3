// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of plait: each adds itself to the command line.
#pragma once

#include <CLI/CLI.hpp>

namespace plait::cli {

/// Each adds one subcommand with its options; its callback sets `exit_code`.
void add_measure(CLI::App& app, int& exit_code);
void add_machine(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_where(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_map(CLI::App& app, int& exit_code);
void add_place(CLI::App& app, int& exit_code);
void add_predict(CLI::App& app, int& exit_code);
void add_advise(CLI::App& app, int& exit_code);
void add_apply(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_cluster(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);

}  // namespace plait::cli
