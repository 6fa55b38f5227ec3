// SPDX-License-Identifier: BSD-3-Clause
// Chooses the mapper for a command, and refuses jobs that would hang under it.
#include "run/mapper_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "base/layout.hpp"
#include "launcher/command_options.hpp"
#include "plait/error.hpp"
#include "run/elf.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

/// True if the program can neither call MPI nor start or open something that does.
bool has_no_mpi(const ElfFile& elf, const LibrarySearch& search) {
  static constexpr std::array<std::string_view, 10> kWaysToMpi{
      "dlopen", "execl", "execlp", "execv",       "execve",
      "execvp", "popen", "system", "posix_spawn", "posix_spawnp"};
  const auto libraries = needed_libraries(elf, search);
  return std::none_of(libraries.begin(), libraries.end(),
                      [](const auto& library) { return looks_like_mpi(library.name); }) &&
         std::none_of(elf.imports.begin(), elf.imports.end(), [](const std::string& name) {
           return std::find(kWaysToMpi.begin(), kWaysToMpi.end(), name) != kWaysToMpi.end();
         });
}

/// True if env in front of the program removes LD_PRELOAD.
bool clears_preload(const std::vector<std::string>& wrapper) {
  bool in_env = false;
  for (std::size_t i = 0; i < wrapper.size(); ++i) {
    const std::string& word = wrapper[i];
    if (!word.starts_with('-')) {
      const bool value = in_env && wrapper[i - 1] == "-u";
      if (value && word == "LD_PRELOAD") return true;
      in_env = value || fs::path(word).filename() == "env";
    } else if (in_env && (word == "-" || word == "-i" || word == "--ignore-environment" ||
                          word == "-uLD_PRELOAD" || word == "--unset=LD_PRELOAD")) {
      return true;
    }
  }
  return false;
}

/// The reason why a program of a command runs without the mapper; empty: it can load it.
std::string reason_without(const launcher::LaunchCommand& command, std::size_t part,
                           const fs::path& path, const LibrarySearch& search) {
  if (clears_preload(command.applications[part].wrapper) ||
      !launcher::variable_in_part(command, part, "LD_PRELOAD").empty()) {
    return "started with another LD_PRELOAD";
  }
  const auto elf = read_elf(path);
  if (!elf) return "";
  if (elf->is_static()) return "a static executable";
  return has_no_mpi(*elf, search) ? "not an MPI program" : "";
}

}  // namespace

fs::path choose_mapper(const launcher::LaunchCommand& command, MpiAbi abi,
                       const LibrarySearch& search) {
  for (std::size_t i = 0; i < command.applications.size(); ++i) {
    if (command.applications.size() == 1) break;
    const launcher::Application& program = command.applications[i];
    const fs::path path = find_program(program.argv.front(), program.folder);
    const std::string reason = reason_without(command, i, path, search);
    if (reason.empty()) continue;
    throw Error(path.string(),
                fmt::format("{}, so the mapper cannot be loaded into it, and the other programs "
                            "would wait for it in MPI_Init",
                            reason),
                "run without --map");
  }
  fs::path object = install_layout().preload / fmt::format("libplait-mapper-{}.so", abi_name(abi));
  if (!fs::exists(object)) {
    throw Failure(object.string(), "not found", "install Plait again, or run without --map");
  }
  return object;
}

}  // namespace plait::run
