// SPDX-License-Identifier: BSD-3-Clause
// Finds the folders in which Plait keeps the data of a user and a host.
#pragma once

#include <filesystem>
#include <string>

namespace plait {

/// $XDG_DATA_HOME/plait, else ~/.local/share/plait (XDG Base Directory Specification), where ~ is
/// $HOME or the user's home folder; the current folder when none is known. Not created.
std::filesystem::path user_data_folder();

/// $XDG_STATE_HOME/plait, else ~/.local/state/plait: what Plait has learnt while it ran, such as
/// settings in quarantine; the current folder when neither is known. Not created.
std::filesystem::path user_state_folder();

/// The machine file of a host, which `plait measure` writes and other commands read: `HOST.json` in
/// the user's data folder. The host is part of the name because the nodes of a cluster share a home
/// folder.
std::filesystem::path machine_file_of_host(const std::string& host);

}  // namespace plait
