// SPDX-License-Identifier: BSD-3-Clause
// The command plait: reads its command line, and reports errors to the user.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <new>
#include <sstream>
#include <string>

#include "base/failure.hpp"
#include "base/subprocess.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/parse.hpp"
#include "plait/error.hpp"
#include "text/terminal.hpp"

namespace {

/// Messages may quote files and arguments, whose control characters a terminal would obey.
void print_error(const std::string& message) {
  std::istringstream lines("error: " + message);
  for (std::string line; std::getline(lines, line);) {
    fmt::print(stderr, "{}{}\n", line.starts_with("error: ") ? "plait: " : "",
               plait::printable(line, true));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto plait = plait::cli::plait_command();
    const plait::cli::Parsed parsed = plait::cli::parse(*plait, argc, argv);
    if (parsed.version) {
      fmt::print("plait {}\n", PLAIT_VERSION);
      return 0;
    }
    if (parsed.help) {
      fmt::print("{}", plait::cli::help_text(*parsed.command));
      return 0;
    }
    return parsed.command->run();
  } catch (const plait::Error& error) {
    print_error(error.what());
    return plait::exit_code_of(error);
  } catch (const plait::Interrupted& interrupted) {
    fmt::print(stderr, "plait: {}\n", interrupted.what());
    return interrupted.exit_code();
  } catch (const std::filesystem::filesystem_error& error) {
    print_error(error.path1().string() + ": cannot be used (" + error.code().message() + ")");
    return plait::kFailureExit;
  } catch (const std::bad_alloc&) {
    print_error("there is not enough memory for this input");
    return plait::kFailureExit;
  } catch (const std::exception& error) {
    print_error(std::string("unexpected: ") + error.what() + "; please report this");
    return plait::kFailureExit;
  }
}
