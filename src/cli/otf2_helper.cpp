// SPDX-License-Identifier: BSD-3-Clause
// Replaces this process by the helper program for OTF2.
#include "cli/otf2_helper.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/failure.hpp"
#include "base/layout.hpp"
#include "plait/error.hpp"

namespace plait::cli {

void run_otf2_helper(const std::string& input, std::vector<std::string> arguments, bool force) {
  const std::string program = (install_layout().libexec / "plait-otf2").string();
  if (!std::filesystem::exists(program)) {
    throw Failure(input, "this Plait was built without OTF2",
                  "install libotf2 (Debian: libopen-trace-format2-dev) and build Plait again, or "
                  "choose another format");
  }
  if (force) arguments.emplace_back("--force");
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  throw Failure(program, std::string("cannot be started (") + std::strerror(errno) + ")",
                "install Plait again, or choose another format");
}

}  // namespace plait::cli
