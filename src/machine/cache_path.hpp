// SPDX-License-Identifier: BSD-3-Clause
// Where the measured machine file of a host is kept between runs.
#pragma once

#include <filesystem>
#include <string>

namespace plait::machine {

/// $XDG_DATA_HOME/plait/HOST.json, or ~/.local/share/plait/HOST.json; empty when there is no home.
/// `plait measure` writes it, `plait run` reads it.
std::filesystem::path machine_cache_path(const std::string& host);

/// The name of this node, without its domain.
std::string host_name();

}  // namespace plait::machine
