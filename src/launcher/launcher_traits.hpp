// SPDX-License-Identifier: BSD-3-Clause
// Everything that differs between launchers: one class per launcher, found through one table.
//
// To add a launcher: write a file like slurm.cpp with a class and a function that returns it, add
// an enumerator to LauncherKind, and add the function here and to the table in launcher_traits.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "launcher/inside_launcher.hpp"
#include "launcher/launcher.hpp"
#include "launcher/plan_options.hpp"

namespace plait::launcher {

/// Names of a launcher and of its options. Options are without dashes.
struct LauncherFacts {
  LauncherKind kind = LauncherKind::none;
  const char* id = "";              ///< in plan.json and as an argument of Plait: "openmpi4"
  const char* mpi = "";             ///< in run.json and hazards.json: "openmpi"
  const char* title = "";           ///< "Open MPI 4"
  const char* mpi_title = "";       ///< to be followed by a version: "Open MPI"
  const char* command = "mpiexec";  ///< its usual name
  const char* abi = "";             ///< ABI of its MPI library: "openmpi", "mpich"; empty: any
  std::vector<std::string> ranks;   ///< options that set the number of ranks
  std::vector<std::string> folder;  ///< options that set the ranks' working folder
  std::vector<std::string> hosts;   ///< options that name the hosts of a job
  /// Options that decide where ranks run. An option that sets a variable has the variable's name
  /// after a blank: "genv I_MPI_PIN_DOMAIN".
  std::vector<std::string> placement;
  /// Variables of the first part are also those of the other parts, unless these have their own.
  bool first_part_sets_all = false;
  bool may_hang_at_end = false;  ///< sometimes it does not end after its last process
};

/// A parsed option: "--ntasks=4" is ntasks and 4.
struct OptionParts {
  std::string name;   ///< without dashes
  std::string value;  ///< empty: none, or it is the next argument
};

/// An environment variable that makes an MPI library progress while the program computes.
struct AsyncProgress {
  std::string option;  ///< as a user types it; empty: the library has none
  std::string name, value;
};

/// What Plait knows about one launcher. No member function starts a process.
class LauncherTraits {
public:
  using Options = std::vector<std::string>;
  using Lookup = std::function<std::string(const std::string&)>;

  virtual ~LauncherTraits() = default;
  LauncherTraits(const LauncherTraits&) = delete;
  LauncherTraits& operator=(const LauncherTraits&) = delete;

  [[nodiscard]] const LauncherFacts& facts() const { return facts_; }

  /// True if this class describes this version; an empty version is the newest.
  [[nodiscard]] virtual bool covers(const std::string& version) const;
  /// The version ("" when it is missing) if this text is what the launcher prints for --version.
  [[nodiscard]] virtual std::optional<std::string> version_in(const std::string& text) const = 0;
  /// This process as a rank that the launcher started, from the environment variables it sets.
  [[nodiscard]] virtual std::optional<JobRank> rank_in(const Lookup& value) const = 0;

  /// How many arguments an option takes on the command line, itself included.
  /// @param option  an argument that begins with "-"
  [[nodiscard]] virtual std::size_t option_length(const std::string& option) const = 0;
  /// Splits an option, by default at "=".
  [[nodiscard]] virtual OptionParts parts(const std::string& option) const;
  /// The command line with options that pass these variables to ranks on all nodes.
  /// @throws Error when the user's options let no variable through.
  [[nodiscard]] virtual Options exporting(const LaunchCommand& command,
                                          const Assignments& variables) const = 0;

  /// Options that give each rank this many cores.
  [[nodiscard]] virtual Options bind_options(int threads) const = 0;
  /// Options that bind ranks to these hardware threads, one per rank.
  [[nodiscard]] virtual Options cpu_list_options(const std::string& cpus) const = 0;
  /// Options that make waiting ranks yield their core; empty if there are none.
  [[nodiscard]] virtual Options yield_options() const { return {}; }

  /// Options and files that put ranks where a plan has them.
  /// @param plan     with places
  /// @param version  of the launcher; empty: the newest
  /// @param folder   where the files will be
  [[nodiscard]] virtual PlacementOptions place(const Plan& plan, const std::string& version,
                                               const std::filesystem::path& folder,
                                               const SaidBefore& said) const = 0;

  /// Options that start this many unbound ranks on this node, even if it has fewer cores.
  [[nodiscard]] virtual Options unbound_here([[maybe_unused]] int ranks) const { return {}; }
  /// Options that start unbound ranks on these nodes.
  [[nodiscard]] virtual Options unbound_on([[maybe_unused]] const std::vector<std::string>& nodes,
                                           [[maybe_unused]] int per_node) const {
    return {};
  }
  [[nodiscard]] virtual AsyncProgress async_progress() const { return {}; }

protected:
  explicit LauncherTraits(LauncherFacts facts) : facts_(std::move(facts)) {}

private:
  LauncherFacts facts_;
};

const LauncherTraits& openmpi4();
const LauncherTraits& openmpi5();
const LauncherTraits& mpich();
const LauncherTraits& intel();
const LauncherTraits& slurm();

/// The launchers that Plait knows, in the order in which it lists them.
const std::vector<const LauncherTraits*>& known_launchers();

/// The class of a launcher. For LauncherKind::none: no options; ranks bind themselves.
const LauncherTraits& traits_of(LauncherKind kind);

/// "openmpi4, openmpi5, mpich, intel, slurm": the ids that a user may give.
std::string known_launcher_ids();

}  // namespace plait::launcher
