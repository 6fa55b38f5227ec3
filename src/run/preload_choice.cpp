// SPDX-License-Identifier: BSD-3-Clause
// Chooses the preload object for a program by the MPI library to which it is linked.
#include "run/preload_choice.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/failure.hpp"
#include "base/subprocess.hpp"
#include "launcher/launcher_traits.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

/// The facts about one program.
struct ProgramView {
  std::filesystem::path path;
  MpiAbi abi = MpiAbi::unknown;
  std::string reason;
  std::string warning;
};

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

std::string abi_title(MpiAbi abi) {
  switch (abi) {
    case MpiAbi::openmpi:
      return "Open MPI";
    case MpiAbi::mpich:
      return "MPICH or Intel MPI";
    case MpiAbi::standard:
      return "the MPI-5 standard ABI";
    case MpiAbi::unknown:
      break;
  }
  return "an unknown MPI";
}

/// The interpreter of a script, from its first line; empty when there is none.
std::string script_interpreter(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  std::getline(in, line);
  if (!starts_with(line, "#!")) return "";
  std::istringstream fields(line.substr(2));
  std::string word;
  fields >> word;
  if (std::filesystem::path(word).filename() == "env") {
    while (fields >> word && word[0] == '-') {
    }
  }
  return word;
}

bool is_python(const std::filesystem::path& path) {
  return starts_with(path.filename().string(), "python");
}

/// The ABI of the mpi4py that a Python interpreter would import, when there is only one candidate.
ProgramView view_of_python(const std::string& interpreter) {
  ProgramView view;
  if (const char* chosen = std::getenv("MPI4PY_MPIABI")) {
    view.abi = starts_with(chosen, "openmpi")  ? MpiAbi::openmpi
               : starts_with(chosen, "mpiabi") ? MpiAbi::standard
                                               : MpiAbi::mpich;
    view.reason = fmt::format("MPI4PY_MPIABI is {}", chosen);
    return view;
  }
  constexpr const char* kAsk =
      "import importlib.util as u, glob, os\n"
      "s = u.find_spec('mpi4py')\n"
      "d = s.submodule_search_locations[0] if s else ''\n"
      "print('\\n'.join(glob.glob(os.path.join(d, 'MPI*.so'))) if d else '')\n";
  constexpr std::chrono::seconds kLimit{10};
  std::istringstream modules(run_command({interpreter, "-c", kAsk}, kLimit).out);
  std::vector<MpiAbi> found;
  for (std::string module; std::getline(modules, module);) {
    const auto elf = module.empty() ? std::nullopt : read_elf(module);
    if (!elf) continue;
    for (const std::string& name : elf->needed) {
      const MpiAbi abi = abi_of_library(name);
      if (abi != MpiAbi::unknown && std::find(found.begin(), found.end(), abi) == found.end()) {
        found.push_back(abi);
        view.reason = fmt::format("mpi4py needs {}", name);
      }
    }
  }
  // PyPI's wheels contain one module per ABI and choose at import.
  if (found.size() == 1) view.abi = found.front();
  return view;
}

/// The MPI of an executable by the libraries that it needs.
ProgramView view_of_elf(const ElfFile& elf, const LibrarySearch& search) {
  ProgramView view;
  view.path = elf.path;
  const std::string name = elf.path.string();
  std::string unknown_mpi;
  for (const NeededLibrary& library : needed_libraries(elf, search)) {
    const MpiAbi abi = abi_of_library(library.name);
    if (abi == MpiAbi::unknown && looks_like_mpi(library.name)) unknown_mpi = library.name;
    if (abi == MpiAbi::unknown) continue;
    view.abi = abi;
    view.reason = fmt::format("{} needs {}", library.needed_by, library.name);
    return view;
  }
  if (!unknown_mpi.empty()) {
    throw Error(name,
                fmt::format("linked to {}, an MPI library that Plait does not know", unknown_mpi),
                "build it with Open MPI 4 or 5, MPICH 4 or 5, Intel MPI 2021 or an MPI-5 ABI");
  }
  if (!elf.own_mpi.empty()) {
    throw Error(name,
                fmt::format("MPI is linked into it statically (it contains {}), so Plait cannot "
                            "measure it",
                            elf.own_mpi),
                "link it with the shared MPI library, without -static or -static_mpi");
  }
  if (elf.is_static()) {
    view.warning = fmt::format(
        "{} is a static executable, so Plait cannot be loaded into it and does not measure it; "
        "link it dynamically",
        name);
  }
  return view;
}

ProgramView view_of(const launcher::Application& application, const LibrarySearch& search) {
  const std::filesystem::path path = find_program(application.argv.front(), application.folder);
  ProgramView view;
  if (is_python(path)) {
    view = view_of_python(path);
  } else if (const auto elf = read_elf(path)) {
    view = view_of_elf(*elf, search);
  } else if (const std::string interpreter = script_interpreter(path);
             !interpreter.empty() && is_python(interpreter) && !find_in_path(interpreter).empty()) {
    view = view_of_python(find_in_path(interpreter));
  }
  view.path = path;
  return view;
}

/// The ABI of the mpiexec that is first in PATH, for a script without a launcher.
MpiAbi default_abi() {
  try {
    return abi_of_launcher(launcher::identify_launcher("mpiexec").kind);
  } catch (const Error&) {
    return MpiAbi::unknown;
  }
}

/// Determines the MPI from the programs of a command line and from its launcher.
PreloadChoice look_for_mpi(const launcher::LaunchCommand& command, const LibrarySearch& search) {
  PreloadChoice choice;
  for (const launcher::Application& application : command.applications) {
    const ProgramView view = view_of(application, search);
    if (choice.program.empty()) choice.program = view.path;
    if (!view.warning.empty()) choice.warnings.push_back(view.warning);
    if (view.abi == MpiAbi::unknown) continue;
    if (choice.abi != MpiAbi::unknown && choice.abi != view.abi) {
      throw Error(view.path.string(),
                  fmt::format("built with {}, but another program of this command is built with {}",
                              abi_title(view.abi), abi_title(choice.abi)),
                  "build both with the same MPI");
    }
    choice.abi = view.abi;
    choice.reason = view.reason;
  }
  const MpiAbi launcher = abi_of_launcher(command.launcher.kind);
  if (choice.abi == MpiAbi::unknown && launcher != MpiAbi::unknown) {
    choice.abi = launcher;
    choice.reason =
        fmt::format("the MPI of {} is unknown; {} belongs to {}",
                    choice.program.filename().string(), command.launcher.name, abi_title(launcher));
  } else if (choice.abi == MpiAbi::unknown) {
    choice.abi = default_abi();
    choice.reason = fmt::format("the MPI of {} is unknown; Plait assumes that of mpiexec in PATH",
                                choice.program.filename().string());
  } else if (launcher != MpiAbi::unknown && launcher != choice.abi &&
             choice.abi != MpiAbi::standard) {
    choice.warnings.push_back(fmt::format(
        "{} is built with {}, but {} belongs to {}: each process will be rank 0 of 1; use the "
        "mpiexec of the MPI with which it was built",
        choice.program.filename().string(), abi_title(choice.abi), command.launcher.name,
        abi_title(launcher)));
  }
  return choice;
}

/// Uses the MPI that the user names.
PreloadChoice follow(const launcher::LaunchCommand& command, MpiAbi given) {
  PreloadChoice choice;
  const launcher::Application& first = command.applications.front();
  choice.program = find_program(first.argv.front(), first.folder);
  choice.abi = given;
  choice.reason = "--mpi " + abi_name(given);
  return choice;
}

}  // namespace

std::string abi_name(MpiAbi abi) {
  switch (abi) {
    case MpiAbi::openmpi:
      return "openmpi";
    case MpiAbi::mpich:
      return "mpich";
    case MpiAbi::standard:
      return "abi";
    case MpiAbi::unknown:
      break;
  }
  return "";
}

MpiAbi abi_of_name(const std::string& name) {
  for (const MpiAbi abi : {MpiAbi::openmpi, MpiAbi::mpich, MpiAbi::standard}) {
    if (name == abi_name(abi)) return abi;
  }
  return MpiAbi::unknown;
}

MpiAbi abi_of_launcher(launcher::LauncherKind kind) {
  return abi_of_name(launcher::traits_of(kind).facts().abi);
}

MpiAbi abi_of_library(const std::string& name) {
  static const std::regex kStandard(R"(libmpi(fort)?_abi\.so(\.[0-9]+)*)");
  static const std::regex kOpenMpi(
      R"(libmpi(_mpifh|_usempi|_usempif08|_usempi_ignore_tkr|_cxx|_java)?\.so\.40(\.[0-9]+)*)");
  static const std::regex kMpich(
      R"(lib(mpi|mpich|mpifort|mpichfort|mpicxx|mpichcxx|mpi_cray|mpi_gnu_[0-9]+|)"
      R"(mpi_intel(_[0-9]+)?)\.so\.12(\.[0-9]+)*)");
  if (std::regex_match(name, kStandard)) return MpiAbi::standard;
  if (std::regex_match(name, kOpenMpi)) return MpiAbi::openmpi;
  if (std::regex_match(name, kMpich)) return MpiAbi::mpich;
  return MpiAbi::unknown;
}

bool looks_like_mpi(const std::string& name) {
  static const std::regex kPattern(R"(lib(mpi|mpich|pmpich|mpi_[a-z_0-9]+)\.so(\.[0-9.]+)?)");
  return std::regex_match(name, kPattern);
}

std::filesystem::path find_program(const std::string& name, const std::string& folder) {
  std::filesystem::path path = find_in_path(name);
  if (name.find('/') != name.npos) {
    path = name;
    if (path.is_relative() && !folder.empty() &&
        std::filesystem::exists(std::filesystem::path(folder) / path)) {
      path = std::filesystem::path(folder) / path;
    }
  } else if (path.empty() && std::filesystem::exists(std::filesystem::path(folder) / name)) {
    path = std::filesystem::path(folder.empty() ? "." : folder) /
           name;  // Open MPI searches the folder as well
  }
  if (path.empty()) throw Error(name, "program not found", "check the name and PATH");
  std::error_code none;
  if (!std::filesystem::exists(path, none)) {
    throw Error(name, "program not found", "check the path");
  }
  if (::access(path.c_str(), X_OK) != 0) {
    throw Error(name, fmt::format("cannot be executed ({})", std::strerror(errno)),
                "make it executable: chmod +x " + path.string());
  }
  return path;
}

PreloadChoice choose_preload(const launcher::LaunchCommand& command,
                             const std::filesystem::path& folder, MpiAbi given,
                             const LibrarySearch& search) {
  PreloadChoice choice =
      given == MpiAbi::unknown ? look_for_mpi(command, search) : follow(command, given);
  if (choice.abi == MpiAbi::unknown) {
    throw Error(choice.program.string(), "its MPI cannot be determined",
                "start it with mpiexec, or name the MPI: plait run --mpi openmpi|mpich|abi");
  }
  choice.object = folder / fmt::format("libplait-{}.so", abi_name(choice.abi));
  if (!std::filesystem::exists(choice.object)) {
    throw Failure(choice.object.string(),
                  fmt::format("not found, but needed for {}", abi_title(choice.abi)),
                  "install Plait again");
  }
  return choice;
}

}  // namespace plait::run
