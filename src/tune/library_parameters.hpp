// SPDX-License-Identifier: BSD-3-Clause
// Asks the tools of an MPI library which parameters it has, and with which values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "launcher/launcher.hpp"

namespace plait::tune {

/// A parameter as the library's own tool lists it.
struct LibraryParameter {
  std::string value;
  bool constant = false;                                     ///< cannot be set at all
  std::vector<std::pair<std::string, std::string>> choices;  ///< number and name
  std::optional<std::pair<double, double>> range;            ///< of numbers
  std::string help;
};

/// The parameters of a library, by name.
using LibraryParameters = std::map<std::string, LibraryParameter>;

/// What `ompi_info --all --parsable` printed.
LibraryParameters parse_ompi_info(const std::string& text);
/// What `mpivars` of MPICH printed.
LibraryParameters parse_mpivars(const std::string& text);
/// What `impi_info -a` printed: descriptions, not values.
LibraryParameters parse_impi_info(const std::string& text);

/// The library's tool, beside its launcher or in PATH: "ompi_info", "mpivars", "impi_info"; an
/// empty path if there is none.
std::string parameter_tool(const launcher::Launcher& launcher);

/// Asks that tool, with these variables in its environment, so that its values are those that a job
/// with them would have. Takes up to 30 s.
/// @return nothing if there is no tool or it fails
std::optional<LibraryParameters> ask_library(const launcher::Launcher& launcher,
                                             const Assignments& environment = {});

}  // namespace plait::tune
