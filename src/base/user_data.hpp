// SPDX-License-Identifier: BSD-3-Clause
// Where Plait keeps what belongs to a user and a host.
#pragma once

#include <filesystem>
#include <string>

namespace plait {

/// $XDG_DATA_HOME/plait, else ~/.local/share/plait (XDG Base Directory Specification); the current
/// folder when neither is known. Not created.
std::filesystem::path user_data_folder();

/// $XDG_STATE_HOME/plait, else ~/.local/state/plait: what Plait has learnt while it ran, as the
/// settings in quarantine. The current folder when neither is known. Not created.
std::filesystem::path user_state_folder();

/// The machine file of a host: where `plait measure` writes and other commands look, `HOST.json`
/// in the user's data folder (a home folder is shared by the nodes of a cluster).
std::filesystem::path machine_file_of_host(const std::string& host);

}  // namespace plait
