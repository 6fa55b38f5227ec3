// SPDX-License-Identifier: BSD-3-Clause
// Starts the probe in place of a program: with its launcher, its ranks and their places.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "launcher/plan.hpp"
#include "tune/probe_messages.hpp"
#include "tune/registry.hpp"

namespace plait::tune {

/// The settings that the first rank of a probe has read with another value than they were given.
/// A provider of libfabric also if its fallback is used.
/// @param output  of the probe, with the values of their variables
std::vector<std::string> ignored_inside(const Registry& registry, const Settings& settings,
                                        const std::string& output);

/// Who has read such a value.
inline constexpr const char* kInside = "MPI_T, in a rank";

/// What a run of the probe has printed: standard output and standard error.
/// @param file  with its standard output
std::string printed_in(const std::filesystem::path& file);

/// The names of the variables that a plan sets, as the library calls them.
std::vector<std::string> variables_of(const launcher::Plan& plan);

/// The key of the provider among the values that Prober::values() returns.
inline constexpr const char* kProviderUsed = "provider";

class Prober {
public:
  /// @param command  of the program
  /// @param ranks    of its job
  /// @throws Error when it has several parts, or there is no probe for its MPI.
  Prober(const launcher::LaunchCommand& command, int ranks);

  /// The same command with the probe, which sends these messages and reports the values of these
  /// variables of the MPI library. Its plan is written into the folder.
  /// @throws Error when that cannot be written.
  [[nodiscard]] launcher::LaunchCommand command(const std::vector<ProbeMessage>& messages,
                                                const std::vector<std::string>& variables,
                                                const std::filesystem::path& folder) const;

  /// probe_time_s() of what the command printed.
  [[nodiscard]] std::optional<double> time_s(const std::vector<ProbeMessage>& messages,
                                             const std::string& output) const;

  /// The time of one of them, which is the message at `index` in the plan.
  [[nodiscard]] std::optional<double> time_of_message_s(const ProbeMessage& message,
                                                        std::size_t index,
                                                        const std::string& output) const;

  /// The values of variables as the first rank of a job with these settings reads them. A variable
  /// that the library does not show is not among them, but if they name a provider of libfabric,
  /// the one that it uses is, as kProviderUsed. Takes a run of the probe, at most 60 s.
  /// @param plan    the settings
  /// @param folder  for files of the run
  [[nodiscard]] std::map<std::string, std::string> values(
      const launcher::Plan& plan, const std::vector<std::string>& variables,
      const std::filesystem::path& folder) const;

private:
  launcher::LaunchCommand program_;
  int ranks_;
  std::filesystem::path probe_;
  std::vector<std::string> libraries_;
};

}  // namespace plait::tune
