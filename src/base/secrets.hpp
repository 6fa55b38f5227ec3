// SPDX-License-Identifier: BSD-3-Clause
// Keeps passwords, tokens and keys out of the files that Plait writes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plait {

/// What stands for a secret in a file.
inline constexpr const char* kMask = "(masked)";

/// True for names that may hold a secret: a part of them is PASSWORD, TOKEN, KEY, JWT or the
/// like, in any case. "API_KEY", "--db-password" and "pgPass", not "PWD" or "--password-file".
bool is_secret_name(std::string_view name);

/// True for variables that say how a program runs: those of MPI libraries, OpenMP, launchers, batch
/// systems, numerical libraries, the loader and Plait, search paths and the locale.
bool is_known_variable(std::string_view name);

/// A text in which kMask replaces passwords in URLs, values of secret names (token=..., Password:
/// ...) and tokens of known form.
std::string masked_text(std::string_view text);

/// A command in which kMask replaces what masked_text finds, and the value behind an option with a
/// secret name (--password VALUE).
std::vector<std::string> masked_arguments(const std::vector<std::string>& arguments);

/// The known variables of this process, secrets masked.
std::map<std::string, std::string> masked_environment();

/// All variables of this process.
std::map<std::string, std::string> whole_environment();

}  // namespace plait
