// SPDX-License-Identifier: BSD-3-Clause
// The command plait: reads its command line, and reports errors to the user.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <new>

#include "base/failure.hpp"
#include "base/subprocess.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/parse.hpp"
#include "plait/error.hpp"

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
    fmt::print(stderr, "plait: error: {}\n", error.what());
    return plait::exit_code_of(error);
  } catch (const plait::Interrupted& interrupted) {
    fmt::print(stderr, "plait: {}\n", interrupted.what());
    return interrupted.exit_code();
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "plait: error: {}: cannot be used ({})\n", error.path1().string(),
               error.code().message());
    return plait::kFailureExit;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "plait: error: there is not enough memory for this input\n");
    return plait::kFailureExit;
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: error: unexpected: {}; please report this\n", error.what());
    return plait::kFailureExit;
  }
}
