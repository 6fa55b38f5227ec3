// SPDX-License-Identifier: BSD-3-Clause
// The command plait: its subcommands and how errors reach the user.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "base/subprocess.hpp"
#include "cli/commands.hpp"
#include "cli/help_formatter.hpp"
#include "plait/error.hpp"

namespace {

bool has_command(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands({});
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return command->check_name(name); });
}

}  // namespace

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
    if (argc > 1 && argv[1][0] != '-' && !has_command(app, argv[1])) {
      throw plait::Error(argv[1], "is no command of plait", "plait --help lists them");
    }
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
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
