// SPDX-License-Identifier: BSD-3-Clause
// The settings that may be tried on one MPI library: the table joined with what the library lists.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "doctor/hazards.hpp"
#include "launcher/launcher.hpp"
#include "tune/collective_rules.hpp"
#include "tune/library_parameters.hpp"
#include "tune/providers.hpp"
#include "tune/setting_rules.hpp"

namespace plait::tune {

/// Environment variables and their values.
using Settings = std::map<std::string, std::string>;

/// A setting that this library has.
struct Setting {
  const SettingRule* rule = nullptr;
  std::string variable;  ///< environment variable that sets it
  std::string value;     ///< now, as the library reads it; empty: it does not say
  /// Legal values: what the library calls them (a number or a name) and their names.
  std::vector<std::pair<std::string, std::string>> choices;
};

/// Plait's own ways of messages, for one program.
struct OwnWays {
  bool waiting = false;    ///< plait run --wait works with it
  bool transport = false;  ///< and --transport does
  std::string problem;     ///< why one of them does not; empty: none, or nobody asked
};

/// The settings of one library.
struct Registry {
  launcher::Launcher launcher;
  std::string tool;  ///< that listed them: "ompi_info"; empty: none was found
  std::vector<Setting> settings;
  std::vector<doctor::Hazard> hazards;  ///< of this library
  OwnWays own;
  MpichTrees mpich_trees;
  std::string no_providers;           ///< why no provider of libfabric is tried; empty: some are
  double most_socket_bytes = 0;       ///< that this system grants a socket's buffer; 0: unknown
  std::vector<std::string> left_out;  ///< sentences: what is not tried and why

  /// The setting with this purpose; null if the library does not have it.
  [[nodiscard]] const Setting* find(std::string_view purpose) const;
  /// The value of a setting in bytes or as a count; nothing if the library does not say.
  [[nodiscard]] std::optional<double> number(std::string_view purpose) const;
};

/// Joins the table with what a library lists. Without a list, no setting is known to be legal.
/// @param tool  that made the list
Registry make_registry(const launcher::Launcher& launcher,
                       const std::optional<LibraryParameters>& listed, const std::string& tool,
                       const std::vector<doctor::Hazard>& hazards);

/// Adds the providers of libfabric as choices of the library's settings of them.
/// @param providers  as ask_providers() returns them
void add_providers(const std::optional<std::vector<Provider>>& providers, Registry& registry);

/// Keeps the network modules that MPICH was built with as choices, and its default as their value.
/// @param modules  as ask_network_modules() returns them
void keep_network_modules(const std::vector<std::string>& modules, Registry& registry);

/// The registry of an installed library.
Registry read_registry(const launcher::Launcher& launcher);

/// The ways of messages that Plait can give the program of a command.
OwnWays own_ways(const launcher::LaunchCommand& command);

/// Why settings must not be tried together: a value that is not legal, a condition between two of
/// them, a known hazard. Empty: they are legal.
std::string problem_of(const Registry& registry, const Settings& settings);

/// The name of a variable as the library itself calls it: without OMPI_MCA_.
std::string library_name(const std::string& variable);

/// How the library reads these settings: "btl_vader_eager_limit is 32768 (READER)", in order. Those
/// without a value are left out.
/// @param values   by library_name()
/// @param ignored  gets those whose value is another one
std::vector<std::string> compare_values(const Registry& registry, const Settings& settings,
                                        const std::map<std::string, std::string>& values,
                                        const std::string& reader,
                                        std::vector<std::string>& ignored);

/// The same as the library's tool reads them. Nothing for a library whose tool does not say.
/// @param ignored  gets those that the tool does not list, too
std::vector<std::string> read_back(const Registry& registry, const Settings& settings,
                                   std::vector<std::string>& ignored);

}  // namespace plait::tune
