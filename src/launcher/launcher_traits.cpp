// SPDX-License-Identifier: BSD-3-Clause
// The table of launchers, and what follows from it.
#include "launcher/launcher_traits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "launcher/plan.hpp"

namespace plait::launcher {
namespace {

/// A command without a launcher: the program itself.
class NoLauncher : public LauncherTraits {
public:
  NoLauncher() : LauncherTraits({}) {}

  std::optional<std::string> version_in(const std::string&) const override { return std::nullopt; }
  std::optional<JobRank> rank_in(const Lookup&) const override { return std::nullopt; }
  std::size_t option_length(const std::string&) const override { return 1; }
  Options exporting(const LaunchCommand& command, const Assignments&) const override {
    return command.argv;
  }
  Options bind_options(int) const override { return {}; }
  Options cpu_list_options(const std::string&) const override { return {}; }
  PlacementOptions place(const Plan& plan, const std::string&, const std::filesystem::path&,
                         const SaidBefore&) const override {
    PlacementOptions added;
    added.binder = is_bound(plan);
    return added;
  }
};

}  // namespace

const std::vector<const LauncherTraits*>& known_launchers() {
  static const std::vector<const LauncherTraits*> table{&openmpi4(), &openmpi5(), &mpich(),
                                                        &intel(), &slurm()};
  return table;
}

const LauncherTraits& traits_of(LauncherKind kind) {
  static const NoLauncher none;
  for (const LauncherTraits* launcher : known_launchers()) {
    if (launcher->facts().kind == kind) return *launcher;
  }
  return none;
}

bool LauncherTraits::covers([[maybe_unused]] const std::string& version) const {
  return true;
}

OptionParts LauncherTraits::parts(const std::string& option) const {
  const std::string bare = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  const std::size_t equals = bare.find('=');
  if (equals == bare.npos) return {bare, ""};
  return {bare.substr(0, equals), bare.substr(equals + 1)};
}

std::string kind_name(LauncherKind kind) {
  return traits_of(kind).facts().mpi;
}

LauncherKind kind_of(const std::string& name, const std::string& version) {
  for (const LauncherTraits* launcher : known_launchers()) {
    if (launcher->facts().mpi == name && launcher->covers(version)) return launcher->facts().kind;
  }
  return LauncherKind::none;
}

std::string launcher_key(LauncherKind kind) {
  return traits_of(kind).facts().id;
}

std::optional<LauncherKind> launcher_of_key(const std::string& word) {
  for (const LauncherTraits* launcher : known_launchers()) {
    if (launcher->facts().id == word) return launcher->facts().kind;
  }
  return std::nullopt;
}

std::string known_launcher_ids() {
  std::string ids;
  for (const LauncherTraits* launcher : known_launchers()) {
    ids.append(ids.empty() ? "" : ", ").append(launcher->facts().id);
  }
  return ids;
}

std::string mpi_title(const Launcher& launcher) {
  const std::string title = traits_of(launcher.kind).facts().mpi_title;
  return launcher.version.empty() ? title : title + " " + launcher.version;
}

std::size_t option_length(LauncherKind kind, const std::string& option) {
  return traits_of(kind).option_length(option);
}

}  // namespace plait::launcher
