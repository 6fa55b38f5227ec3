// SPDX-License-Identifier: BSD-3-Clause
// Manual pages of the commands.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command.hpp"

namespace plait::cli {

/// A manual page of section 1 in the macros of man(7). A page of a command with subcommands
/// describes them too; the root's page lists the commands, which have pages of their own.
std::string man_page(const Command& command);

/// Writes plait.1 and plait-COMMAND.1 into a folder.
/// @throws Error when a file cannot be written.
void write_man_pages(const Command& root, const std::filesystem::path& folder);

}  // namespace plait::cli
