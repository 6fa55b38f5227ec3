// SPDX-License-Identifier: BSD-3-Clause
// The command plait: its subcommands and how errors reach the user.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/subprocess.hpp"
#include "cli/commands.hpp"
#include "cli/help_formatter.hpp"
#include "cli/usage_error.hpp"
#include "plait/error.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Plait: how an MPI+OpenMP program runs on this machine, and how it could", "plait"};
  app.formatter(std::make_shared<plait::cli::HelpFormatter>());
  app.set_version_flag("--version", "plait " PLAIT_VERSION);
  app.require_subcommand(1);
  app.footer("Start with: plait measure --quick, then plait run -- mpiexec -n 4 ./app");
  int exit_code = 0;
  plait::cli::add_measure(app, exit_code);
  plait::cli::add_machine(app, exit_code);
  plait::cli::add_run(app, exit_code);
  plait::cli::add_check(app, exit_code);
  plait::cli::add_where(app, exit_code);
  plait::cli::add_report(app, exit_code);
  plait::cli::add_compare(app, exit_code);
  plait::cli::add_map(app, exit_code);
  plait::cli::add_place(app, exit_code);
  plait::cli::add_predict(app, exit_code);
  plait::cli::add_advise(app, exit_code);
  plait::cli::add_apply(app, exit_code);
  plait::cli::add_replay(app, exit_code);
  plait::cli::add_export(app, exit_code);
  plait::cli::add_import(app, exit_code);
  plait::cli::add_cluster(app, exit_code);
  plait::cli::add_doctor(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const plait::Error told = plait::cli::usage_error(app, error);
    fmt::print(stderr, "plait: error: {}\n", told.what());
    return told.exit_code();
  } catch (const plait::Error& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    return error.exit_code();
  } catch (const plait::Interrupted& interrupted) {
    fmt::print(stderr, "plait: {}\n", interrupted.what());
    return interrupted.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: {}\n", error.what());
    return 1;
  }
  return exit_code;
}
