// SPDX-License-Identifier: BSD-3-Clause
// Writes the settings of a plan as what a shell or an MPI library reads.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "launcher/plan.hpp"

namespace plait::tune {

/// Forms of settings.
inline const std::vector<std::string> kForms{"env", "mca-params", "rules"};

/// Writes settings into a folder: settings.sh (export lines), mca-params.conf (a file that Open MPI
/// reads with OMPI_MCA_mca_base_param_files or from $HOME/.openmpi), and the rules of collective
/// operations.
/// @param forms  some of kForms
/// @return label and path of each file
/// @throws Error when the library does not read the form, or a file cannot be written.
std::vector<std::pair<std::string, std::string>> emit(const launcher::Plan& plan,
                                                      const std::vector<std::string>& forms,
                                                      const std::filesystem::path& folder);

/// Checks forms before anything runs. @throws Error as emit().
void check_forms(const std::vector<std::string>& forms, launcher::LauncherKind kind);

}  // namespace plait::tune
